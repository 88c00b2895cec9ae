package workload

import (
	"encoding/json"
	"errors"
	"fmt"

	"splitshop/loadtest/load"
)

const (
	linesOfCart   = 5
	quantityLimit = 900 // a cart is taken out of use before a line reaches this, far from the shop's own limit
)

// lease is a cart that one iteration at a time may use.
type lease struct {
	id    string
	sure  bool // what the shop holds is known: no request about this cart has failed
	late  bool // a request that changes this cart may yet be carried out: nothing is sure any more
	full  bool // check the current answer in full
	lines [linesOfCart]struct {
		product  int64
		quantity int
		add      load.Request
	}
	line  int // the one being added to
	read  load.Request
	order load.Request
}

func newLease(id string) *lease {
	l := &lease{id: id, sure: true}
	l.read = load.Request{Route: "GET /carts/{id}", Method: "GET", Path: "/carts/" + id, Check: l.checkRead}
	body, _ := json.Marshal(map[string]string{"cart_id": id}) // a string always marshals
	l.order = load.Request{Route: "POST /orders", Method: "POST", Path: "/orders", Body: body, Check: l.checkOrder}
	return l
}

// addition is the request that adds one of a product to a cart.
func (l *lease) addition(product int64) load.Request {
	return load.Request{Route: "POST /carts/{id}/items", Method: "POST", Path: "/carts/" + l.id + "/items",
		Body: fmt.Appendf(nil, `{"product_id":%d,"quantity":1}`, product)}
}

// fill names the products of a cart whose lines are about to be made, one of each.
func (l *lease) fill(products []int64) {
	for i, p := range products {
		l.lines[i].product, l.lines[i].quantity = p, 1
		l.lines[i].add = l.addition(p)
		l.lines[i].add.Check = l.checkAdd
	}
}

// worn says that a line is about to reach the limit.
func (l *lease) worn() bool {
	for i := range l.lines {
		if l.lines[i].quantity >= quantityLimit-1 {
			return true
		}
	}
	return false
}

func (l *lease) checkRead(resp *load.Response) error {
	if !l.full {
		return expectNames(resp.Body, productIDName, linesOfCart)
	}
	got, err := readLines(resp.Body)
	if err != nil {
		return err
	}
	if len(got.Lines) != linesOfCart || got.ID != l.id {
		return fmt.Errorf("cart: %d lines, not %d", len(got.Lines), linesOfCart)
	}
	for _, want := range l.lines {
		if l.sure && !hasLine(got.Lines, want.product, want.quantity) {
			return fmt.Errorf("cart: no line with %d of product %d", want.quantity, want.product)
		}
	}
	return nil
}

func hasLine(lines []lineAnswer, product int64, quantity int) bool {
	for _, l := range lines {
		if l.ProductID == product {
			return l.Quantity == quantity
		}
	}
	return false
}

// checkAdd checks the answer to the addition of one to a line.
func (l *lease) checkAdd(resp *load.Response) error {
	if !l.full {
		return expectNames(resp.Body, quantityName, 1)
	}
	var got lineAnswer
	if err := json.Unmarshal(resp.Body, &got); err != nil {
		return err
	}
	want := l.lines[l.line]
	if got.ProductID != want.product || l.sure && got.Quantity != want.quantity+1 {
		return fmt.Errorf("added one of product %d to %d and got %+v", want.product, want.quantity, got)
	}
	return nil
}

// checkOrder checks an order: of one line, if the cart was empty before the item was added as it must have been.
func (l *lease) checkOrder(resp *load.Response) error {
	if resp.Location == "" {
		return errors.New("order: no Location")
	}
	if l.sure {
		if err := expectNames(resp.Body, productIDName, 1); err != nil {
			return err
		}
	}
	if !l.full {
		return expectNames(resp.Body, totalName, 1)
	}
	got, err := readLines(resp.Body)
	if err != nil {
		return err
	}
	if l.sure && (len(got.Lines) != 1 || got.Lines[0].Quantity != 1) {
		return fmt.Errorf("order: %+v is not one of one product", got.Lines)
	}
	return nil
}
