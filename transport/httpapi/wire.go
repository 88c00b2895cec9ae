package httpapi

import (
	"fmt"
	"time"

	"splitshop/domain"
)

// The documents of the API, field by field as openapi.yaml has them, and each one's way to and from the shop's own types.

type moneyJSON struct {
	Amount   int64  `json:"amount"` // minor units
	Currency string `json:"currency"`
}

type productJSON struct {
	ID    int64     `json:"id"`
	Name  string    `json:"name"`
	Price moneyJSON `json:"price"`
}

type pageJSON struct {
	Products []productJSON `json:"products"`
	Next     *string       `json:"next"` // a cursor; null on the last page
}

type lineJSON struct {
	ProductID int64     `json:"product_id"`
	Name      string    `json:"name"`
	Quantity  int       `json:"quantity"`
	UnitPrice moneyJSON `json:"unit_price"`
	LineTotal moneyJSON `json:"line_total"`
}

type cartLineJSON struct {
	lineJSON
	Available bool `json:"available"`
}

type cartJSON struct {
	ID    string         `json:"id"`
	Lines []cartLineJSON `json:"lines"`
	Total moneyJSON      `json:"total"`
}

type orderJSON struct {
	ID       string     `json:"id"`
	CartID   string     `json:"cart_id"`
	Lines    []lineJSON `json:"lines"`
	Total    moneyJSON  `json:"total"`
	PlacedAt string     `json:"placed_at"`
}

// timeLayout is RFC 3339 in UTC with six digits, always.
const timeLayout = "2006-01-02T15:04:05.000000Z"

func cartPath(id domain.CartID) string   { return "/carts/" + id.String() }
func orderPath(id domain.OrderID) string { return "/orders/" + id.String() }

func productToJSON(p domain.Product) productJSON {
	return productJSON{ID: int64(p.ID), Name: p.Name, Price: moneyJSON(p.Price)}
}

func (p productJSON) toProduct() domain.Product {
	return domain.Product{ID: domain.ProductID(p.ID), Name: p.Name, Price: domain.Money(p.Price)}
}

func pageToJSON(page domain.Page) pageJSON {
	out := pageJSON{Products: make([]productJSON, len(page.Products))}
	for i, p := range page.Products {
		out.Products[i] = productToJSON(p)
	}
	if page.Next != 0 {
		next := Cursor(page.Next)
		out.Next = &next
	}
	return out
}

func (p pageJSON) toPage() (domain.Page, error) {
	var page domain.Page
	for _, product := range p.Products {
		page.Products = append(page.Products, product.toProduct())
	}
	if p.Next != nil {
		var ok bool
		if page.Next, ok = parseCursor(*p.Next); !ok {
			return page, fmt.Errorf("next is no cursor: %q", *p.Next)
		}
	}
	return page, nil
}

func lineToJSON(l domain.Line) lineJSON {
	return lineJSON{
		ProductID: int64(l.ProductID),
		Name:      l.Name,
		Quantity:  l.Quantity,
		UnitPrice: moneyJSON(l.UnitPrice),
		LineTotal: moneyJSON(l.Total),
	}
}

func (l lineJSON) toLine() domain.Line {
	return domain.Line{
		ProductID: domain.ProductID(l.ProductID),
		Name:      l.Name,
		Quantity:  l.Quantity,
		UnitPrice: domain.Money(l.UnitPrice),
		Total:     domain.Money(l.LineTotal),
	}
}

func cartLineToJSON(l domain.Line) cartLineJSON {
	return cartLineJSON{lineJSON: lineToJSON(l), Available: !l.Withdrawn}
}

func (l cartLineJSON) toLine() domain.Line {
	line := l.lineJSON.toLine()
	line.Withdrawn = !l.Available
	return line
}

func cartToJSON(c domain.Cart) cartJSON {
	out := cartJSON{ID: c.ID.String(), Lines: make([]cartLineJSON, len(c.Lines)), Total: moneyJSON(c.Total)}
	for i, l := range c.Lines {
		out.Lines[i] = cartLineToJSON(l)
	}
	return out
}

func (c cartJSON) toCart() (domain.Cart, error) {
	id, err := domain.ParseCartID(c.ID)
	cart := domain.Cart{ID: id, Total: domain.Money(c.Total)}
	for _, l := range c.Lines {
		cart.Lines = append(cart.Lines, l.toLine())
	}
	return cart, err
}

func orderToJSON(o domain.Order) orderJSON {
	out := orderJSON{
		ID:       o.ID.String(),
		CartID:   o.CartID.String(),
		Lines:    make([]lineJSON, len(o.Lines)),
		Total:    moneyJSON(o.Total),
		PlacedAt: o.PlacedAt.UTC().Format(timeLayout),
	}
	for i, l := range o.Lines {
		out.Lines[i] = lineToJSON(l)
	}
	return out
}

func (o orderJSON) toOrder() (domain.Order, error) {
	order := domain.Order{Total: domain.Money(o.Total)}
	for _, l := range o.Lines {
		order.Lines = append(order.Lines, l.toLine())
	}
	var err error
	if order.ID, err = domain.ParseOrderID(o.ID); err != nil {
		return order, err
	}
	if order.CartID, err = domain.ParseCartID(o.CartID); err != nil {
		return order, err
	}
	order.PlacedAt, err = time.Parse(timeLayout, o.PlacedAt)
	return order, err
}
