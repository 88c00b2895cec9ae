package sql

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"splitshop/domain"
)

// Shop is domain.Shop by a role that sees all three schemas: the monolith at its best. What one service could do alone is
// done by that service's store; the rest is here: the cart as one join, an addition that checks the product in the same
// statement, and the checkout as one transaction.
type Shop struct {
	*Catalog
	carts  *Carts
	orders *Orders
	pool   *Pool
}

var _ domain.Shop = (*Shop)(nil)

// NewShop returns the shop that pool's role may see: all of it, or nothing works.
func NewShop(pool *Pool) *Shop {
	return &Shop{Catalog: NewCatalog(pool), carts: NewCarts(pool), orders: NewOrders(pool), pool: pool}
}

// CreateCart is documented at domain.Carts.
func (s *Shop) CreateCart(ctx context.Context) (domain.CartID, error) { return s.carts.CreateCart(ctx) }

// RemoveItem is documented at domain.Carts.
func (s *Shop) RemoveItem(ctx context.Context, cart domain.CartID, product domain.ProductID) error {
	return s.carts.RemoveItem(ctx, cart, product)
}

// Order is documented at domain.Orders.
func (s *Shop) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	return s.orders.Order(ctx, id)
}

// Cart is documented at domain.Shop.
func (s *Shop) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	var lines []domain.Line
	err := s.pool.do(ctx, subject{notFound: domain.NoCart}, func(conn *pgx.Conn) error {
		// An empty cart is one row without an item, an unknown one no row.
		rows, _ := conn.Query(ctx, `
			SELECT COALESCE(i.product_id, 0), COALESCE(i.quantity, 0),
				COALESCE(p.name, ''), COALESCE(p.price_amount, 0), COALESCE(p.currency, ''), COALESCE(p.withdrawn, false)
			FROM cart.carts c
			LEFT JOIN cart.items i ON i.cart_id = c.id
			LEFT JOIN catalog.products p ON p.id = i.product_id
			WHERE c.id = $1
			ORDER BY i.product_id`, [16]byte(id))
		n, err := scanLines(rows, &lines)
		if err == nil && n == 0 {
			return pgx.ErrNoRows
		}
		return err
	})
	if err != nil {
		return domain.Cart{}, err
	}
	return domain.NewCart(id, lines)
}

// scanLines prices the rows of a cart and returns how many rows there were. A row without a product is no line.
func scanLines(rows pgx.Rows, lines *[]domain.Line) (int64, error) {
	*lines = nil
	var (
		p        domain.Product
		quantity int
	)
	fields := []any{(*int64)(&p.ID), &quantity, &p.Name, &p.Price.Amount, &p.Price.Currency, &p.Withdrawn}
	tag, err := pgx.ForEachRow(rows, fields, func() error {
		if p.ID == 0 {
			return nil
		}
		if p.Name == "" { // in the cart, but not in the catalogue
			return domain.NoProduct(p.ID)
		}
		line, err := domain.NewLine(p, quantity)
		*lines = append(*lines, line)
		return err
	})
	return tag.RowsAffected(), err
}

// What the statements that put a line of a product have before and after what they do where the line is there already: the
// product is looked up in the same statement.
const (
	putSold = `
		WITH product AS (
			SELECT id, name, price_amount, currency FROM catalog.products WHERE id = $2 AND NOT withdrawn
		), put AS (
			INSERT INTO cart.items (cart_id, product_id, quantity)
			SELECT c.id, product.id, $3::integer FROM product, cart.carts c WHERE c.id = $1`
	putAnswer = `
		), counted AS (` + countNewLine + `)
		SELECT product.name, product.price_amount, product.currency, COALESCE(put.quantity, 0)
		FROM product LEFT JOIN put ON true`
)

// AddItem is documented at domain.Shop.
func (s *Shop) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	return s.put(ctx, cart, item, putSold+addToLine+putAnswer)
}

// SetItem is documented at domain.Shop.
func (s *Shop) SetItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	return s.put(ctx, cart, item, putSold+setLine+putAnswer)
}

// put runs a statement that puts a line: no row means no product, a row without a quantity that nothing was put.
func (s *Shop) put(ctx context.Context, cart domain.CartID, item domain.Item, statement string) (domain.Line, error) {
	if err := domain.CheckItem(item); err != nil {
		return domain.Line{}, err
	}
	p := domain.Product{ID: item.ProductID}
	var quantity int
	about := noProduct(item.ProductID)
	about.product = item.ProductID
	err := s.pool.do(ctx, about, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, statement, [16]byte(cart), int64(item.ProductID), item.Quantity).
			Scan(&p.Name, &p.Price.Amount, &p.Price.Currency, &quantity)
	})
	if err != nil {
		return domain.Line{}, err
	}
	if quantity == 0 {
		return domain.Line{}, s.carts.refused(ctx, cart, item)
	}
	return domain.NewLine(p, quantity)
}

// PlaceOrder is documented at domain.Orders. It is one transaction, so the order stands exactly if its lines left the cart.
// It holds the cart's row and its lines: an addition to one of these lines waits, and then makes a new line.
func (s *Shop) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	var (
		lines []domain.Line
		order domain.Order
	)
	read := func(b *pgx.Batch) {
		b.Queue(`SELECT id FROM cart.carts WHERE id = $1 FOR NO KEY UPDATE`, [16]byte(id)).QueryRow(func(row pgx.Row) error {
			return row.Scan(nil)
		})
		b.Queue(`
			SELECT i.product_id, i.quantity,
				COALESCE(p.name, ''), COALESCE(p.price_amount, 0), COALESCE(p.currency, ''), COALESCE(p.withdrawn, false)
			FROM cart.items i
			LEFT JOIN catalog.products p ON p.id = i.product_id
			WHERE i.cart_id = $1
			ORDER BY i.product_id
			FOR NO KEY UPDATE OF i`, [16]byte(id)).Query(func(rows pgx.Rows) error {
			_, err := scanLines(rows, &lines)
			return err
		})
	}
	write := func(b *pgx.Batch) error {
		cart, err := domain.NewCart(id, lines)
		if err != nil {
			return err
		}
		if order, err = domain.NewOrder(cart, time.Now()); err != nil {
			return err
		}
		products, quantities := make([]int64, len(lines)), make([]int32, len(lines))
		for i, l := range lines {
			products[i], quantities[i] = int64(l.ProductID), int32(l.Quantity)
		}
		b.Queue(insertOrder, insertOrderArgs(order)...)
		b.Queue(takeItems, [16]byte(id), products, quantities)
		return nil
	}
	if err := s.pool.inTx(ctx, subject{notFound: domain.NoCart}, read, write); err != nil {
		return domain.Order{}, err
	}
	return order, nil
}
