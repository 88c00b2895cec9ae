package shopping

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"splitshop/domain"
)

// Goods are things that exist in a shop, for requests of every kind to be about.
type Goods struct {
	Cart  domain.CartID // holds products 1 and 2; never checked out
	Empty domain.CartID
	Buy   domain.CartID // holds product 1, until it is checked out
	Order domain.OrderID
}

// Goods makes some.
func (s Shop) Goods(t testing.TB) Goods {
	t.Helper()
	order, err := s.Client().PlaceOrder(t.Context(), s.FilledCart(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	return Goods{Cart: s.FilledCart(t, 1, 2), Empty: s.FilledCart(t), Buy: s.FilledCart(t, 1), Order: order.ID}
}

// FilledCart makes a cart with one of each product.
func (s Shop) FilledCart(t testing.TB, products ...domain.ProductID) domain.CartID {
	t.Helper()
	id, err := s.Client().CreateCart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, product := range products {
		if _, err := s.Client().AddItem(t.Context(), id, domain.Item{ProductID: product, Quantity: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// The kinds of requests.
const (
	Page      = "a page"
	Product   = "a product"
	NewCart   = "a new cart"
	ViewCart  = "a cart"
	ViewEmpty = "an empty cart"
	Addition  = "an addition"
	Setting   = "a setting"
	Removal   = "a removal"
	Checkout  = "a checkout"
	ViewOrder = "an order"
)

// Request returns the request of a kind. A checkout can be done once.
func (g Goods) Request(kind string) Request {
	cart := fmt.Sprintf("/carts/%s", g.Cart)
	requests := map[string]Request{
		Page:      {Method: http.MethodGet, Path: "/products?limit=5"},
		Product:   {Method: http.MethodGet, Path: "/products/1"},
		NewCart:   {Method: http.MethodPost, Path: "/carts"},
		ViewCart:  {Method: http.MethodGet, Path: cart},
		ViewEmpty: {Method: http.MethodGet, Path: fmt.Sprintf("/carts/%s", g.Empty)},
		Addition:  AddOne(g.Cart),
		Setting:   {Method: http.MethodPut, Path: cart + "/items/2", Body: `{"quantity":1}`},
		Removal:   {Method: http.MethodDelete, Path: cart + "/items/3"},
		Checkout:  CheckOut(g.Buy),
		ViewOrder: {Method: http.MethodGet, Path: fmt.Sprintf("/orders/%s", g.Order)},
	}
	r := requests[kind]
	r.Route = kind
	return r
}

// AddOne adds product 1 to a cart.
func AddOne(cart domain.CartID) Request {
	return Request{Route: Addition, Method: http.MethodPost, Path: fmt.Sprintf("/carts/%s/items", cart),
		Body: `{"product_id":1,"quantity":1}`}
}

// CheckOut checks a cart out.
func CheckOut(cart domain.CartID) Request {
	return Request{Route: Checkout, Method: http.MethodPost, Path: "/orders", Body: fmt.Sprintf(`{"cart_id":%q}`, cart)}
}

// ShopOnce fills a cart and checks it out, and sends requests of other kinds in between. It returns the first failure.
func (s Shop) ShopOnce(g Goods) error {
	ctx := context.Background() // not the test's: every request gets its answer
	var err error
	if g.Buy, err = s.Client().CreateCart(ctx); err != nil {
		return fmt.Errorf("%s: %w", NewCart, err)
	}
	for _, r := range []Request{
		AddOne(g.Buy), g.Request(Page), g.Request(Product), g.Request(Setting), g.Request(ViewCart), g.Request(Checkout), g.Request(ViewOrder),
	} {
		if a := s.Send(ctx, r); a.Err != nil || a.Status >= http.StatusMultipleChoices {
			return fmt.Errorf("%s: %v", r.Route, a)
		}
	}
	return nil
}
