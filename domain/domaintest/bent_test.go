package domaintest

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"

	"splitshop/domain"
)

// What follows are shops that pass everything on but one thing.

type bentCart struct {
	domain.Shop
	bend func(*domain.Cart)
}

func inCart(bend func(*domain.Cart)) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentCart{s, bend} }
}

func (s bentCart) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	cart, err := s.Shop.Cart(ctx, id)
	s.bend(&cart)
	return cart, err
}

type bentLine struct {
	domain.Shop
	bend func(*domain.Line)
}

func inLine(bend func(*domain.Line)) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentLine{s, bend} }
}

func (s bentLine) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	line, err := s.Shop.AddItem(ctx, cart, item)
	s.bend(&line)
	return line, err
}

type bentOrder struct {
	domain.Shop
	place, read func(*domain.Order)
}

func nothing(*domain.Order) {}

func inOrder(bend func(*domain.Order)) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentOrder{s, bend, nothing} }
}

func inStoredOrder(bend func(*domain.Order)) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentOrder{s, nothing, bend} }
}

func (s bentOrder) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	order, err := s.Shop.PlaceOrder(ctx, id)
	if err == nil {
		s.place(&order)
	}
	return order, err
}

func (s bentOrder) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	order, err := s.Shop.Order(ctx, id)
	if err == nil {
		s.read(&order)
	}
	return order, err
}

type bentNames struct {
	domain.Shop
	bend func(string) string
}

func inNames(bend func(string) string) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentNames{s, bend} }
}

func (s bentNames) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	p, err := s.Shop.Product(ctx, id)
	p.Name = s.bend(p.Name)
	return p, err
}

type bentQuantity struct {
	domain.Shop
	bend func(int) int
}

func inQuantity(bend func(int) int) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentQuantity{s, bend} }
}

func (s bentQuantity) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	return s.Shop.AddItem(ctx, cart, of(item.ProductID, s.bend(item.Quantity)))
}

type bentRefusal struct {
	domain.Shop
	bend func(*domain.Error)
}

func inRefusal(bend func(*domain.Error)) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentRefusal{s, bend} }
}

func (s bentRefusal) refuse(err error) error {
	if err == nil {
		return nil
	}
	e := domain.Describe(err)
	e.Err = nil
	s.bend(e)
	return e
}

func (s bentRefusal) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	cart, err := s.Shop.Cart(ctx, id)
	return cart, s.refuse(err)
}

func (s bentRefusal) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	page, err := s.Shop.Products(ctx, after, limit)
	return page, s.refuse(err)
}

type askPage func(context.Context, domain.Shop, domain.ProductID, int) (domain.Page, error)

type bentPage struct {
	domain.Shop
	ask askPage
}

func inPage(ask askPage) func(domain.Shop) domain.Shop {
	return func(s domain.Shop) domain.Shop { return bentPage{s, ask} }
}

func (s bentPage) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	return s.ask(ctx, s.Shop, after, limit)
}

// oldPrices shows the price at which it first saw a product.
type oldPrices struct {
	domain.Shop
	mu   sync.Mutex
	seen map[domain.ProductID]domain.Money
}

func pricesFirstSeen(s domain.Shop) domain.Shop {
	return &oldPrices{Shop: s, seen: map[domain.ProductID]domain.Money{}}
}

func (s *oldPrices) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	cart, err := s.Shop.Cart(ctx, id)
	if err != nil {
		return cart, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range cart.Lines {
		if _, ok := s.seen[l.ProductID]; !ok {
			s.seen[l.ProductID] = l.UnitPrice
		}
		cart.Lines[i].UnitPrice = s.seen[l.ProductID]
		cart.Lines[i].Total, _ = s.seen[l.ProductID].Times(l.Quantity)
	}
	return domain.NewCart(id, cart.Lines)
}

// repricedOrders shows an order at today's prices.
type repricedOrders struct{ domain.Shop }

func (s repricedOrders) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	order, err := s.Shop.Order(ctx, id)
	order.Total = domain.Cents(0)
	for i, l := range order.Lines {
		if p, err := s.Product(ctx, l.ProductID); err == nil {
			order.Lines[i], _ = domain.NewLine(p, l.Quantity)
		}
		order.Total, _ = order.Total.Add(order.Lines[i].Total)
	}
	return order, err
}

// removesOnce refuses to remove what is not there.
type removesOnce struct{ domain.Shop }

func (s removesOnce) RemoveItem(ctx context.Context, id domain.CartID, product domain.ProductID) error {
	cart, err := s.Cart(ctx, id)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(cart.Lines, func(l domain.Line) bool { return l.ProductID == product }) {
		return domain.NoProduct(product)
	}
	return s.Shop.RemoveItem(ctx, id, product)
}

// fillsUp takes as much of an addition as fits.
type fillsUp struct{ domain.Shop }

func (s fillsUp) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	line, err := s.Shop.AddItem(ctx, cart, item)
	if domain.Describe(err).Field == "quantity" && domain.KindOf(err) == domain.Conflict {
		return s.SetItem(ctx, cart, of(item.ProductID, domain.MaxQuantity))
	}
	return line, err
}

// setAdds adds where it should set.
type setAdds struct{ domain.Shop }

func (s setAdds) SetItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	return s.AddItem(ctx, cart, item)
}

// lostUpdates adds by reading and then setting.
type lostUpdates struct{ domain.Shop }

func (s lostUpdates) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (domain.Line, error) {
	cart, err := s.Cart(ctx, id)
	sum := item.Quantity
	for _, l := range cart.Lines {
		if l.ProductID == item.ProductID {
			sum += l.Quantity
		}
	}
	if err != nil || item.Quantity < 1 || sum > domain.MaxQuantity {
		return s.Shop.AddItem(ctx, id, item)
	}
	for range 100 {
		runtime.Gosched()
	}
	return s.SetItem(ctx, id, of(item.ProductID, sum))
}

// keepsCart puts back into the cart what was ordered.
type keepsCart struct{ domain.Shop }

func (s keepsCart) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	order, err := s.Shop.PlaceOrder(ctx, id)
	for _, l := range order.Lines {
		if _, err := s.AddItem(ctx, id, of(l.ProductID, l.Quantity)); err != nil {
			return order, err
		}
	}
	return order, err
}

// dropsWithdrawn orders what is left.
type dropsWithdrawn struct{ domain.Shop }

func (s dropsWithdrawn) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	cart, err := s.Cart(ctx, id)
	for _, l := range cart.Lines {
		if l.Withdrawn {
			err = s.RemoveItem(ctx, id, l.ProductID)
		}
	}
	if err != nil {
		return domain.Order{}, err
	}
	return s.Shop.PlaceOrder(ctx, id)
}

// countedOrders numbers its orders.
type countedOrders struct {
	domain.Shop
	mu   sync.Mutex
	real []domain.OrderID
}

func countOrders(s domain.Shop) domain.Shop { return &countedOrders{Shop: s} }

func (s *countedOrders) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	order, err := s.Shop.PlaceOrder(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.real = append(s.real, order.ID)
	order.ID = domain.OrderID{6: 0x40, 8: 0x80}
	binary.BigEndian.PutUint32(order.ID[12:], uint32(len(s.real)))
	return order, err
}

func (s *countedOrders) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	s.mu.Lock()
	n := int(binary.BigEndian.Uint32(id[12:]))
	if n < 1 || n > len(s.real) {
		s.mu.Unlock()
		return s.Shop.Order(ctx, id)
	}
	counted := s.real[n-1]
	s.mu.Unlock()
	order, err := s.Shop.Order(ctx, counted)
	order.ID = id
	return order, err
}

// cartFirst looks for the cart before the product.
type cartFirst struct{ domain.Shop }

func (s cartFirst) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (domain.Line, error) {
	if _, err := s.Cart(ctx, id); err != nil {
		return domain.Line{}, err
	}
	return s.Shop.AddItem(ctx, id, item)
}

// bentLookup bends what a look-up answers.
type bentLookup struct {
	domain.Catalog
	bend func([]domain.Product) []domain.Product
}

func inLookup(bend func([]domain.Product) []domain.Product) func(*ContractFixture) {
	return func(f *ContractFixture) { f.Catalog = bentLookup{f.Catalog, bend} }
}

func (c bentLookup) Lookup(ctx context.Context, ids []domain.ProductID) ([]domain.Product, error) {
	products, err := c.Catalog.Lookup(ctx, ids)
	return c.bend(products), err
}

type takesAll struct{ domain.Carts }

func (c takesAll) Take(ctx context.Context, id domain.CartID, _ []domain.Item) error {
	items, err := c.Items(ctx, id)
	if err != nil {
		return err
	}
	return c.Carts.Take(ctx, id, items)
}

type takesNothing struct{ domain.Carts }

func (c takesNothing) Take(ctx context.Context, id domain.CartID, _ []domain.Item) error {
	return c.Carts.Take(ctx, id, nil)
}

type unorderedItems struct{ domain.Carts }

func (c unorderedItems) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	items, err := c.Carts.Items(ctx, id)
	slices.Reverse(items)
	return items, err
}

type asksCatalog struct {
	domain.Carts
	catalog domain.Catalog
}

func (c asksCatalog) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (int, error) {
	if err := domain.CheckItem(item); err != nil {
		return 0, err
	}
	if _, err := c.catalog.Product(ctx, item.ProductID); err != nil {
		return 0, err
	}
	return c.Carts.AddItem(ctx, id, item)
}
