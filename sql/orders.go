package sql

import (
	"context"

	"github.com/jackc/pgx/v5"

	"splitshop/domain"
)

// Orders is domain.OrderStore on the schema orders.
type Orders struct{ pool *Pool }

var _ domain.OrderStore = (*Orders)(nil)

// NewOrders returns the orders that pool's role may see.
func NewOrders(pool *Pool) *Orders { return &Orders{pool} }

const insertOrder = `
	WITH placed AS (
		INSERT INTO orders.orders (id, cart_id, total_amount, currency, placed_at)
		VALUES ($1, $2, $3, $4, $5)
	)
	INSERT INTO orders.lines (order_id, product_id, name, quantity, price_amount, total_amount)
	SELECT $1, product_id, name, quantity, price_amount, total_amount
	FROM unnest($6::bigint[], $7::text[], $8::integer[], $9::bigint[], $10::bigint[])
		AS l (product_id, name, quantity, price_amount, total_amount)`

// insertOrderArgs returns the parameters of insertOrder.
func insertOrderArgs(o domain.Order) []any {
	n := len(o.Lines)
	products, names, quantities := make([]int64, n), make([]string, n), make([]int32, n)
	prices, totals := make([]int64, n), make([]int64, n)
	for i, l := range o.Lines {
		products[i], names[i], quantities[i] = int64(l.ProductID), l.Name, int32(l.Quantity)
		prices[i], totals[i] = l.UnitPrice.Amount, l.Total.Amount
	}
	return []any{
		[16]byte(o.ID), [16]byte(o.CartID), o.Total.Amount, o.Total.Currency, o.PlacedAt,
		products, names, quantities, prices, totals,
	}
}

// Insert is documented at domain.OrderStore.
func (s *Orders) Insert(ctx context.Context, o domain.Order) error {
	args := insertOrderArgs(o)
	return s.pool.do(ctx, subject{}, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, insertOrder, args...)
		return err
	})
}

// Order is documented at domain.OrderStore.
func (s *Orders) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	o := domain.Order{ID: id}
	err := s.pool.do(ctx, subject{notFound: domain.NoOrder}, func(conn *pgx.Conn) error {
		o.Lines = nil
		rows, _ := conn.Query(ctx, `
			SELECT o.cart_id, o.total_amount, o.currency, o.placed_at,
				l.product_id, l.name, l.quantity, l.price_amount, l.total_amount
			FROM orders.orders o
			JOIN orders.lines l ON l.order_id = o.id
			WHERE o.id = $1
			ORDER BY l.product_id`, [16]byte(id))
		var l domain.Line
		_, err := pgx.ForEachRow(rows, []any{
			(*[16]byte)(&o.CartID), &o.Total.Amount, &o.Total.Currency, &o.PlacedAt,
			(*int64)(&l.ProductID), &l.Name, &l.Quantity, &l.UnitPrice.Amount, &l.Total.Amount,
		}, func() error {
			l.UnitPrice.Currency, l.Total.Currency = o.Total.Currency, o.Total.Currency
			o.Lines = append(o.Lines, l)
			return nil
		})
		if err == nil && len(o.Lines) == 0 { // an order has a line, always
			return pgx.ErrNoRows
		}
		return err
	})
	if err != nil {
		return domain.Order{}, err
	}
	o.PlacedAt = o.PlacedAt.UTC()
	return o, nil
}
