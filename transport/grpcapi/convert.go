package grpcapi

import (
	"errors"
	"fmt"
	"time"

	"splitshop/domain"
	"splitshop/transport/grpcapi/shoppb"
)

// The converters between the domain's types and the messages. Those named pb... make messages and cannot fail. The others
// trust no message: what cannot be meant is Invalid, whatever is missing. They leave the shop's rules to the domain.

// answer makes a malformed answer a fault of ours: the caller did nothing wrong. The refusal stays as text only, so that
// the error is not Invalid as well.
func answer[T any](v T, err error) (T, error) {
	if err != nil {
		var none T
		return none, domain.Wrap(domain.Internal, errors.New("malformed answer: "+err.Error()))
	}
	return v, nil
}

func malformed(field, format string, args ...any) error {
	return &domain.Error{Kind: domain.Invalid, Field: field, Detail: fmt.Sprintf(format, args...)}
}

func cartID(b []byte) (domain.CartID, error) {
	id, err := id16("cart_id", b)
	return domain.CartID(id), err
}

func orderID(b []byte) (domain.OrderID, error) {
	id, err := id16("order_id", b)
	return domain.OrderID(id), err
}

func id16(field string, b []byte) (id [16]byte, err error) {
	if len(b) != len(id) {
		return id, malformed(field, "an id is %d bytes, not %d", len(id), len(b))
	}
	return [16]byte(b), nil
}

// number reads an int64 as an int, which is smaller on some machines.
func number(field string, n int64) (int, error) {
	if int64(int(n)) != n {
		return 0, malformed(field, "%d is too large a number", n)
	}
	return int(n), nil
}

func pbMoney(m domain.Money) *shoppb.Money {
	return &shoppb.Money{Amount: m.Amount, Currency: m.Currency}
}

func money(field string, m *shoppb.Money) (domain.Money, error) {
	if m == nil {
		return domain.Money{}, malformed(field, "there is no amount")
	}
	return domain.Money{Amount: m.GetAmount(), Currency: m.GetCurrency()}, nil
}

func pbProduct(p domain.Product) *shoppb.Product { return pbProducts([]domain.Product{p})[0] }

// pbProducts allocates all of its messages at once: a page is the most frequent answer of all.
func pbProducts(products []domain.Product) []*shoppb.Product {
	messages := make([]struct {
		product shoppb.Product
		price   shoppb.Money
	}, len(products))
	pbs := make([]*shoppb.Product, len(products))
	for i, p := range products {
		price, pb := &messages[i].price, &messages[i].product
		price.Amount, price.Currency = p.Price.Amount, p.Price.Currency
		pb.Id, pb.Name, pb.Price, pb.Withdrawn = int64(p.ID), p.Name, price, p.Withdrawn
		pbs[i] = pb
	}
	return pbs
}

func product(p *shoppb.Product) (domain.Product, error) {
	if p == nil {
		return domain.Product{}, malformed("product", "there is no product")
	}
	price, err := money("price", p.GetPrice())
	if err != nil {
		return domain.Product{}, err
	}
	return domain.Product{ID: domain.ProductID(p.GetId()), Name: p.GetName(), Price: price, Withdrawn: p.GetWithdrawn()}, nil
}

func pbPage(p domain.Page) *shoppb.ProductsResponse {
	return &shoppb.ProductsResponse{Products: pbProducts(p.Products), Next: int64(p.Next)}
}

func page(p *shoppb.ProductsResponse) (domain.Page, error) {
	products, err := tryEach(p.GetProducts(), product)
	return domain.Page{Products: products, Next: domain.ProductID(p.GetNext())}, err
}

func pbItem(i domain.Item) *shoppb.Item {
	return &shoppb.Item{ProductId: int64(i.ProductID), Quantity: int64(i.Quantity)}
}

func item(i *shoppb.Item) (domain.Item, error) {
	quantity, err := number("quantity", i.GetQuantity())
	return domain.Item{ProductID: domain.ProductID(i.GetProductId()), Quantity: quantity}, err
}

// pbLine leaves out Withdrawn: only orders have lines on the wire, and what was ordered was sold.
func pbLine(l domain.Line) *shoppb.Line {
	return &shoppb.Line{
		ProductId: int64(l.ProductID),
		Name:      l.Name,
		Quantity:  int64(l.Quantity),
		UnitPrice: pbMoney(l.UnitPrice),
		Total:     pbMoney(l.Total),
	}
}

func line(l *shoppb.Line) (domain.Line, error) {
	quantity, err := number("quantity", l.GetQuantity())
	if err != nil {
		return domain.Line{}, err
	}
	price, err := money("unit_price", l.GetUnitPrice())
	if err != nil {
		return domain.Line{}, err
	}
	total, err := money("total", l.GetTotal())
	if err != nil {
		return domain.Line{}, err
	}
	return domain.Line{
		ProductID: domain.ProductID(l.GetProductId()),
		Name:      l.GetName(),
		Quantity:  quantity,
		UnitPrice: price,
		Total:     total,
	}, nil
}

func pbOrder(o domain.Order) *shoppb.Order {
	return &shoppb.Order{
		Id:             o.ID[:],
		CartId:         o.CartID[:],
		Lines:          each(o.Lines, pbLine),
		Total:          pbMoney(o.Total),
		PlacedAtMicros: o.PlacedAt.UnixMicro(),
	}
}

func order(o *shoppb.Order) (domain.Order, error) {
	id, err := orderID(o.GetId())
	if err != nil {
		return domain.Order{}, err
	}
	cart, err := cartID(o.GetCartId())
	if err != nil {
		return domain.Order{}, err
	}
	lines, err := tryEach(o.GetLines(), line)
	if err != nil {
		return domain.Order{}, err
	}
	total, err := money("total", o.GetTotal())
	if err != nil {
		return domain.Order{}, err
	}
	placed := time.UnixMicro(o.GetPlacedAtMicros()).UTC()
	return domain.Order{ID: id, CartID: cart, Lines: lines, Total: total, PlacedAt: placed}, nil
}

func pbProductID(id domain.ProductID) int64 { return int64(id) }

func productID(n int64) domain.ProductID { return domain.ProductID(n) }

// each converts every element.
func each[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i := range from {
		to[i] = convert(from[i])
	}
	return to
}

// tryEach converts every element, or none.
func tryEach[From, To any](from []From, convert func(From) (To, error)) ([]To, error) {
	to := make([]To, len(from))
	for i := range from {
		var err error
		if to[i], err = convert(from[i]); err != nil {
			return nil, err
		}
	}
	return to, nil
}
