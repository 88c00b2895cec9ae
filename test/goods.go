package test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"splitshop/domain"
)

// goods are things that exist in a shop, for requests of every kind to be about.
type goods struct {
	cart  domain.CartID // holds products 1 and 2; never checked out
	empty domain.CartID
	buy   domain.CartID // holds product 1, until it is checked out
	order domain.OrderID
}

func (p *topology) goods(t *testing.T) goods {
	t.Helper()
	order, err := p.shop().PlaceOrder(t.Context(), p.filledCart(t, 1))
	must(t, err)
	return goods{cart: p.filledCart(t, 1, 2), empty: p.filledCart(t), buy: p.filledCart(t, 1), order: order.ID}
}

// filledCart makes a cart with one of each product.
func (p *topology) filledCart(t *testing.T, products ...domain.ProductID) domain.CartID {
	t.Helper()
	id, err := p.shop().CreateCart(t.Context())
	must(t, err)
	for _, product := range products {
		_, err := p.shop().AddItem(t.Context(), id, domain.Item{ProductID: product, Quantity: 1})
		must(t, err)
	}
	return id
}

// The kinds of requests.
const (
	page      = "a page"
	product   = "a product"
	newCart   = "a new cart"
	viewCart  = "a cart"
	viewEmpty = "an empty cart"
	addition  = "an addition"
	setting   = "a setting"
	removal   = "a removal"
	checkout  = "a checkout"
	viewOrder = "an order"
)

// request returns the request of a kind. A checkout can be done once.
func (g goods) request(kind string) request {
	cart := fmt.Sprintf("/carts/%s", g.cart)
	requests := map[string]request{
		page:      {method: http.MethodGet, path: "/products?limit=5"},
		product:   {method: http.MethodGet, path: "/products/1"},
		newCart:   {method: http.MethodPost, path: "/carts"},
		viewCart:  {method: http.MethodGet, path: cart},
		viewEmpty: {method: http.MethodGet, path: fmt.Sprintf("/carts/%s", g.empty)},
		addition:  addOne(g.cart),
		setting:   {method: http.MethodPut, path: cart + "/items/2", body: `{"quantity":1}`},
		removal:   {method: http.MethodDelete, path: cart + "/items/3"},
		checkout:  checkOut(g.buy),
		viewOrder: {method: http.MethodGet, path: fmt.Sprintf("/orders/%s", g.order)},
	}
	r := requests[kind]
	r.route = kind
	return r
}

// addOne adds product 1 to a cart.
func addOne(cart domain.CartID) request {
	return request{route: addition, method: http.MethodPost, path: fmt.Sprintf("/carts/%s/items", cart),
		body: `{"product_id":1,"quantity":1}`}
}

func checkOut(cart domain.CartID) request {
	return request{route: checkout, method: http.MethodPost, path: "/orders", body: fmt.Sprintf(`{"cart_id":%q}`, cart)}
}

// shopOnce fills a cart and checks it out, and sends requests of other kinds in between. It returns the first failure.
func (p *topology) shopOnce(g goods) error {
	ctx := context.Background() // not the test's: every request gets its answer
	var err error
	if g.buy, err = p.shop().CreateCart(ctx); err != nil {
		return fmt.Errorf("%s: %w", newCart, err)
	}
	for _, r := range []request{
		addOne(g.buy), g.request(page), g.request(product), g.request(setting), g.request(viewCart), g.request(checkout), g.request(viewOrder),
	} {
		if a := p.send(ctx, r); a.err != nil || a.status >= http.StatusMultipleChoices {
			return fmt.Errorf("%s: %v", r.route, a)
		}
	}
	return nil
}
