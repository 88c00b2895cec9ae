package domaintest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splitshop/domain"
)

// backstage is the context of what is shared by several checks and so must outlive each.
var backstage = context.Background()

// shopper is a customer and the shop's owner in one, for one check. Its methods end the check where something that must
// work does not, so that a check reads as a script. They are for the check's own goroutine.
type shopper struct {
	*testing.T
	Fixture
	shelf func() ([]domain.ProductID, error)
}

// shelved returns the first n products of the shelf, in the order of their ids.
func (s *shopper) shelved(n int) []domain.ProductID {
	s.Helper()
	ids, err := s.shelf()
	s.must(err, "filling the shelf")
	return ids[:n]
}

// product adds a product of the check's own, at a price in cents.
func (s *shopper) product(cents int64) domain.ProductID {
	s.Helper()
	return s.named("something", cents)
}

func (s *shopper) named(name string, cents int64) domain.ProductID {
	s.Helper()
	id, err := s.Admin.AddProduct(s.Context(), name, domain.Cents(cents))
	s.must(err, "adding a product")
	return id
}

func (s *shopper) setPrice(id domain.ProductID, cents int64) {
	s.Helper()
	s.must(s.Admin.SetPrice(s.Context(), id, domain.Cents(cents)), "setting a price")
}

func (s *shopper) withdraw(ids ...domain.ProductID) {
	s.Helper()
	for _, id := range ids {
		s.must(s.Admin.Withdraw(s.Context(), id), "withdrawing a product")
	}
}

// cart makes a cart with items in it.
func (s *shopper) cart(items ...domain.Item) domain.CartID {
	s.Helper()
	id, err := s.Shop.CreateCart(s.Context())
	s.must(err, "creating a cart")
	for _, item := range items {
		s.add(id, item.ProductID, item.Quantity)
	}
	return id
}

// cartOf makes a cart with one of each product.
func (s *shopper) cartOf(products ...domain.ProductID) domain.CartID {
	s.Helper()
	id := s.cart()
	for _, p := range products {
		s.add(id, p, 1)
	}
	return id
}

func (s *shopper) add(cart domain.CartID, product domain.ProductID, quantity int) domain.Line {
	s.Helper()
	line, err := s.Shop.AddItem(s.Context(), cart, domain.Item{ProductID: product, Quantity: quantity})
	s.must(err, fmt.Sprintf("adding %d of product %d", quantity, product))
	return line
}

func (s *shopper) set(cart domain.CartID, product domain.ProductID, quantity int) domain.Line {
	s.Helper()
	line, err := s.Shop.SetItem(s.Context(), cart, domain.Item{ProductID: product, Quantity: quantity})
	s.must(err, fmt.Sprintf("setting %d of product %d", quantity, product))
	return line
}

func (s *shopper) remove(cart domain.CartID, product domain.ProductID) {
	s.Helper()
	s.must(s.Shop.RemoveItem(s.Context(), cart, product), fmt.Sprintf("removing product %d", product))
}

// view looks at a cart, and checks what holds for every cart: its lines are in the order of product ids and its total is
// the sum of those that are sold.
func (s *shopper) view(id domain.CartID) domain.Cart {
	s.Helper()
	cart, err := s.Shop.Cart(s.Context(), id)
	s.must(err, "looking at a cart")
	s.equal("id of the cart", cart.ID, id)
	s.equal("total and the sum of the cart's lines", cart.Total, s.sum(cart.Lines))
	return cart
}

// order checks a cart out, and checks what holds for every order.
func (s *shopper) order(cart domain.CartID) domain.Order {
	s.Helper()
	order, err := s.Shop.PlaceOrder(s.Context(), cart)
	s.must(err, "placing an order")
	s.equal("cart of the order", order.CartID, cart)
	s.equal("total and the sum of the order's lines", order.Total, s.sum(order.Lines))
	return order
}

// stored reads an order back.
func (s *shopper) stored(id domain.OrderID) domain.Order {
	s.Helper()
	order, err := s.Shop.Order(s.Context(), id)
	s.must(err, "reading an order")
	return order
}

// sum adds up lines with plain integers, beside the shop's own arithmetic.
func (s *shopper) sum(lines []domain.Line) domain.Money {
	s.Helper()
	var cents int64
	var before domain.ProductID
	for _, l := range lines {
		total := domain.Cents(l.UnitPrice.Amount * int64(l.Quantity))
		s.equal(fmt.Sprintf("total of the line of product %d", l.ProductID), l.Total, total)
		if l.ProductID <= before {
			s.Errorf("the line of product %d stands after that of product %d", l.ProductID, before)
		}
		if !l.Withdrawn {
			cents += l.Total.Amount
		}
		before = l.ProductID
	}
	return domain.Cents(cents)
}

// holds checks what is in a cart: these items in this order.
func (s *shopper) holds(id domain.CartID, want ...domain.Item) {
	s.Helper()
	s.equal("items in the cart", itemsOf(s.view(id).Lines), want)
}

func itemsOf(lines []domain.Line) []domain.Item {
	items := make([]domain.Item, len(lines))
	for i, l := range lines {
		items[i] = domain.Item{ProductID: l.ProductID, Quantity: l.Quantity}
	}
	return items
}

// of is short for an item.
func of(product domain.ProductID, quantity int) domain.Item {
	return domain.Item{ProductID: product, Quantity: quantity}
}

func (s *shopper) must(err error, doing string) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", doing, err)
	}
}

// equal compares. An empty list and none are the same thing.
func (s *shopper) equal(what string, got, want any) {
	s.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		s.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refused checks that err is the refusal want, as far as an error crosses a transport: kind, words and field.
func (s *shopper) refused(doing string, err, want error) {
	s.Helper()
	if diff := refusalDiff(err, want); diff != "" {
		s.Errorf("%s: refusal differs (-want +got):\n%s", doing, diff)
	}
}

// refusal is what everybody may see of an error.
type refusal struct {
	Kind          domain.Kind
	Detail, Field string
}

func refusalDiff(got, want error) string {
	public := func(err error) refusal {
		if err == nil {
			return refusal{Detail: "(no error at all)"}
		}
		e := domain.Describe(err)
		return refusal{Kind: e.Kind, Detail: e.Detail, Field: e.Field}
	}
	g, w := public(got), public(want)
	if g == w && got != nil && (domain.KindOf(got) != w.Kind || !errors.Is(got, w.Kind)) {
		return fmt.Sprintf("described as %q, but KindOf says %q and errors.Is %v",
			w.Kind, domain.KindOf(got), errors.Is(got, w.Kind))
	}
	return cmp.Diff(w, g)
}
