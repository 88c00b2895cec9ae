package domaintest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"splitshop/domain"
)

// Memory is the shop's three stores in memory behind one mutex: a catalogue, carts and orders. It keeps every rule of the
// contracts and forgets everything at the end of the process. What goes in and what comes out is copied.
type Memory struct {
	mu       sync.Mutex
	products []domain.Product // product n is at n-1
	carts    map[domain.CartID]map[domain.ProductID]int
	orders   map[domain.OrderID]domain.Order
}

var (
	_ domain.Catalog    = (*Memory)(nil)
	_ domain.Carts      = (*Memory)(nil)
	_ domain.OrderStore = (*Memory)(nil)
	_ Admin             = (*Memory)(nil)
)

// NewMemory returns a shop with nothing in it.
func NewMemory() *Memory {
	return &Memory{
		carts:  map[domain.CartID]map[domain.ProductID]int{},
		orders: map[domain.OrderID]domain.Order{},
	}
}

// NewFixture returns a fresh in-memory shop under test.
func NewFixture() Fixture {
	m := NewMemory()
	return Fixture{Shop: m.Shop(), Admin: m}
}

// NewContractFixture returns the contracts of a fresh in-memory shop under test.
func NewContractFixture() ContractFixture {
	m := NewMemory()
	return ContractFixture{Catalog: m, Carts: m, Orders: m.Checkout(), Admin: m}
}

// Shop returns the whole shop over these stores, composed as the modular monolith composes its own.
func (m *Memory) Shop() domain.Shop {
	return domain.Composed{Catalog: m, Carts: m, Orders: m.Checkout()}
}

// Checkout returns the orders contract over these stores.
func (m *Memory) Checkout() domain.Checkout {
	return domain.Checkout{OrderStore: m, Carts: m, Catalog: m, Log: slog.New(slog.DiscardHandler)}
}

// begin refuses an ended context and takes the lock, which the caller gives back.
func (m *Memory) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return domain.Wrap(domain.Deadline, err)
	}
	m.mu.Lock()
	return nil
}

// Products is documented at domain.Catalog.
func (m *Memory) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	if err := domain.CheckPage(after, limit); err != nil {
		return domain.Page{}, err
	}
	if err := m.begin(ctx); err != nil {
		return domain.Page{}, err
	}
	defer m.mu.Unlock()
	var page domain.Page
	for i := min(int64(after), int64(len(m.products))); i < int64(len(m.products)); i++ {
		p := m.products[i]
		switch {
		case p.Withdrawn:
		case len(page.Products) == limit:
			page.Next = page.Products[limit-1].ID
			return page, nil
		default:
			page.Products = append(page.Products, p)
		}
	}
	return page, nil
}

// Product is documented at domain.Catalog.
func (m *Memory) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	if err := m.begin(ctx); err != nil {
		return domain.Product{}, err
	}
	defer m.mu.Unlock()
	p, err := m.known(id)
	if err != nil {
		return domain.Product{}, err
	}
	if p.Withdrawn {
		return domain.Product{}, domain.NoProduct(id)
	}
	return *p, nil
}

// Lookup is documented at domain.Catalog.
func (m *Memory) Lookup(ctx context.Context, ids []domain.ProductID) ([]domain.Product, error) {
	if err := domain.CheckLookup(ids); err != nil {
		return nil, err
	}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	products := make([]domain.Product, len(ids))
	for i, id := range ids {
		p, err := m.known(id)
		if err != nil {
			return nil, err
		}
		products[i] = *p
	}
	return products, nil
}

// known finds a product, sold or withdrawn. NotFound. The caller holds the lock.
func (m *Memory) known(id domain.ProductID) (*domain.Product, error) {
	if id < 1 || int64(id) > int64(len(m.products)) {
		return nil, domain.NoProduct(id)
	}
	return &m.products[id-1], nil
}

// AddProduct is documented at Admin. Errors: Invalid.
func (m *Memory) AddProduct(ctx context.Context, name string, price domain.Money) (domain.ProductID, error) {
	p := domain.Product{Name: name, Price: price}
	if err := domain.CheckProduct(p); err != nil {
		return 0, err
	}
	if err := m.begin(ctx); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	p.ID = domain.ProductID(len(m.products) + 1)
	m.products = append(m.products, p)
	return p.ID, nil
}

// SetPrice is documented at Admin. Errors: Invalid, NotFound.
func (m *Memory) SetPrice(ctx context.Context, id domain.ProductID, price domain.Money) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	p, err := m.known(id)
	if err != nil {
		return err
	}
	if err := domain.CheckProduct(domain.Product{Name: p.Name, Price: price}); err != nil {
		return err
	}
	p.Price = price
	return nil
}

// Withdraw is documented at Admin. Errors: NotFound.
func (m *Memory) Withdraw(ctx context.Context, id domain.ProductID) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	p, err := m.known(id)
	if err != nil {
		return err
	}
	p.Withdrawn = true
	return nil
}

// Insert is documented at domain.OrderStore. A second order with the same id is Internal.
func (m *Memory) Insert(ctx context.Context, o domain.Order) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if _, taken := m.orders[o.ID]; taken {
		return domain.Wrap(domain.Internal, errors.New("inserting an order: its id is taken"))
	}
	o.Lines = slices.Clone(o.Lines)
	m.orders[o.ID] = o
	return nil
}

// Order is documented at domain.Orders.
func (m *Memory) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	if err := m.begin(ctx); err != nil {
		return domain.Order{}, err
	}
	defer m.mu.Unlock()
	o, ok := m.orders[id]
	if !ok {
		return domain.Order{}, domain.NoOrder()
	}
	o.Lines = slices.Clone(o.Lines)
	return o, nil
}
