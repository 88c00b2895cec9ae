package domaintest

import (
	"cmp"
	"context"
	"slices"

	"splitshop/domain"
)

// CreateCart is documented at domain.Carts.
func (m *Memory) CreateCart(ctx context.Context) (domain.CartID, error) {
	if err := m.begin(ctx); err != nil {
		return domain.CartID{}, err
	}
	defer m.mu.Unlock()
	id := domain.NewCartID()
	m.carts[id] = map[domain.ProductID]int{}
	return id, nil
}

// Items is documented at domain.Carts.
func (m *Memory) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	quantities, err := m.beginCart(ctx, id)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	items := make([]domain.Item, 0, len(quantities))
	for product, quantity := range quantities {
		items = append(items, domain.Item{ProductID: product, Quantity: quantity})
	}
	slices.SortFunc(items, func(a, b domain.Item) int { return cmp.Compare(a.ProductID, b.ProductID) })
	return items, nil
}

// AddItem is documented at domain.Carts.
func (m *Memory) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (int, error) {
	if err := domain.CheckItem(item); err != nil {
		return 0, err
	}
	quantities, err := m.beginCart(ctx, id)
	if err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	if err := roomFor(quantities, item.ProductID); err != nil {
		return 0, err
	}
	sum := quantities[item.ProductID] + item.Quantity
	if sum > domain.MaxQuantity {
		return 0, domain.LineFull(item.ProductID)
	}
	quantities[item.ProductID] = sum
	return sum, nil
}

// SetItem is documented at domain.Carts.
func (m *Memory) SetItem(ctx context.Context, id domain.CartID, item domain.Item) error {
	if err := domain.CheckItem(item); err != nil {
		return err
	}
	quantities, err := m.beginCart(ctx, id)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	if err := roomFor(quantities, item.ProductID); err != nil {
		return err
	}
	quantities[item.ProductID] = item.Quantity
	return nil
}

// RemoveItem is documented at domain.Carts.
func (m *Memory) RemoveItem(ctx context.Context, id domain.CartID, product domain.ProductID) error {
	quantities, err := m.beginCart(ctx, id)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	delete(quantities, product)
	return nil
}

// Take is documented at domain.Carts.
func (m *Memory) Take(ctx context.Context, id domain.CartID, ordered []domain.Item) error {
	quantities, err := m.beginCart(ctx, id)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	for _, item := range ordered {
		if left := quantities[item.ProductID] - item.Quantity; left > 0 {
			quantities[item.ProductID] = left
		} else {
			delete(quantities, item.ProductID)
		}
	}
	return nil
}

// beginCart takes the lock, as begin, and finds a cart. NotFound. The caller gives the lock back where there is no error.
func (m *Memory) beginCart(ctx context.Context, id domain.CartID) (map[domain.ProductID]int, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	quantities, ok := m.carts[id]
	if !ok {
		m.mu.Unlock()
		return nil, domain.NoCart()
	}
	return quantities, nil
}

// roomFor says whether a cart has or may get a line of a product. Conflict (CartFull).
func roomFor(quantities map[domain.ProductID]int, product domain.ProductID) error {
	if _, has := quantities[product]; !has && len(quantities) >= domain.MaxLines {
		return domain.CartFull()
	}
	return nil
}
