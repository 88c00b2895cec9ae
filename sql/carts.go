package sql

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"splitshop/domain"
)

// Carts is domain.Carts on the schema cart.
type Carts struct{ pool *Pool }

var _ domain.Carts = (*Carts)(nil)

// NewCarts returns the carts that pool's role may see.
func NewCarts(pool *Pool) *Carts { return &Carts{pool} }

// CreateCart is documented at domain.Carts.
func (c *Carts) CreateCart(ctx context.Context) (domain.CartID, error) {
	id := domain.NewCartID()
	err := c.pool.do(ctx, subject{}, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO cart.carts (id) VALUES ($1)`, [16]byte(id))
		return err
	})
	return id, err
}

// Items is documented at domain.Carts.
func (c *Carts) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	var items []domain.Item
	err := c.pool.do(ctx, subject{notFound: domain.NoCart}, func(conn *pgx.Conn) error {
		items = nil
		// An empty cart is one row without an item, an unknown one no row.
		rows, _ := conn.Query(ctx, `
			SELECT COALESCE(i.product_id, 0), COALESCE(i.quantity, 0)
			FROM cart.carts c
			LEFT JOIN cart.items i ON i.cart_id = c.id
			WHERE c.id = $1
			ORDER BY i.product_id`, [16]byte(id))
		var item domain.Item
		tag, err := pgx.ForEachRow(rows, []any{(*int64)(&item.ProductID), &item.Quantity}, func() error {
			if item.ProductID != 0 {
				items = append(items, item)
			}
			return nil
		})
		if err == nil && tag.RowsAffected() == 0 {
			return pgx.ErrNoRows
		}
		return err
	})
	return items, err
}

// The parts that the statements which put a line share: they insert rows (cart_id, product_id, quantity) into cart.items
// as "put". (xmax = 0) says that the row was inserted and not updated. The count is the last thing to be locked.
const (
	addToLine = `
			ON CONFLICT (cart_id, product_id) DO UPDATE
				SET quantity = items.quantity + excluded.quantity
				WHERE items.quantity + excluded.quantity <= 999
			RETURNING quantity, xmax = 0 AS is_new`
	setLine = `
			ON CONFLICT (cart_id, product_id) DO UPDATE
				SET quantity = excluded.quantity
			RETURNING quantity, xmax = 0 AS is_new`
	countNewLine = `
			UPDATE cart.carts
			SET lines = lines + 1
			FROM put
			WHERE id = $1 AND is_new`
)

// AddItem is documented at domain.Carts. It is one statement, and both limits hold however many of them race.
func (c *Carts) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (int, error) {
	if err := domain.CheckItem(item); err != nil {
		return 0, err
	}
	var quantity int
	err := c.pool.do(ctx, subject{product: item.ProductID}, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			WITH put AS (
				INSERT INTO cart.items (cart_id, product_id, quantity)
				SELECT id, $2::bigint, $3::integer FROM cart.carts WHERE id = $1
				`+addToLine+`
			), counted AS (`+countNewLine+`)
			SELECT quantity FROM put`, [16]byte(id), int64(item.ProductID), item.Quantity).Scan(&quantity)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, c.refused(ctx, id, item)
	}
	return quantity, err
}

// refused says why nothing was added: there is no such cart, or the line is full.
func (c *Carts) refused(ctx context.Context, id domain.CartID, item domain.Item) error {
	err := c.pool.do(ctx, subject{notFound: domain.NoCart}, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT id FROM cart.carts WHERE id = $1`, [16]byte(id)).Scan(nil)
	})
	if err != nil {
		return err
	}
	return domain.LineFull(item.ProductID)
}

// SetItem is documented at domain.Carts.
func (c *Carts) SetItem(ctx context.Context, id domain.CartID, item domain.Item) error {
	if err := domain.CheckItem(item); err != nil {
		return err
	}
	s := subject{product: item.ProductID, notFound: domain.NoCart}
	return c.pool.do(ctx, s, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			WITH put AS (
				INSERT INTO cart.items (cart_id, product_id, quantity)
				SELECT id, $2::bigint, $3::integer FROM cart.carts WHERE id = $1
				`+setLine+`
			), counted AS (`+countNewLine+`)
			SELECT quantity FROM put`, [16]byte(id), int64(item.ProductID), item.Quantity).Scan(nil)
	})
}

// RemoveItem is documented at domain.Carts.
func (c *Carts) RemoveItem(ctx context.Context, id domain.CartID, product domain.ProductID) error {
	return c.pool.do(ctx, subject{notFound: domain.NoCart}, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			WITH locked AS MATERIALIZED (
				SELECT id FROM cart.carts WHERE id = $1 FOR NO KEY UPDATE
			), removed AS (
				DELETE FROM cart.items i
				USING locked
				WHERE i.cart_id = locked.id AND i.product_id = $2
				RETURNING i.product_id
			), counted AS (
				UPDATE cart.carts c
				SET lines = c.lines - 1
				FROM removed
				WHERE c.id = $1
			)
			SELECT id FROM locked`, [16]byte(id), int64(product)).Scan(nil)
	})
}

// takeItems subtracts quantities ($3) of products ($2) from a cart ($1). The lines are locked and read by one part and
// written by two others, because only a locked line is sure to have the quantity that was read.
const takeItems = `
	WITH locked AS MATERIALIZED (
		SELECT id FROM cart.carts WHERE id = $1 FOR NO KEY UPDATE
	), line AS MATERIALIZED (
		SELECT i.product_id, i.quantity - t.quantity AS remaining
		FROM locked
		JOIN cart.items i ON i.cart_id = locked.id
		JOIN unnest($2::bigint[], $3::integer[]) AS t (product_id, quantity) ON t.product_id = i.product_id
		ORDER BY i.product_id
		FOR NO KEY UPDATE OF i
	), reduced AS (
		UPDATE cart.items i
		SET quantity = line.remaining
		FROM line
		WHERE i.cart_id = $1 AND i.product_id = line.product_id AND line.remaining > 0
	), removed AS (
		DELETE FROM cart.items i
		USING line
		WHERE i.cart_id = $1 AND i.product_id = line.product_id AND line.remaining <= 0
		RETURNING i.product_id
	), counted AS (
		UPDATE cart.carts c
		SET lines = c.lines - gone.lines
		FROM (SELECT count(*) AS lines FROM removed) gone
		WHERE c.id = $1 AND gone.lines > 0
	)
	SELECT id FROM locked`

// Take is documented at domain.Carts.
func (c *Carts) Take(ctx context.Context, id domain.CartID, ordered []domain.Item) error {
	products, quantities := make([]int64, len(ordered)), make([]int32, len(ordered))
	for i, item := range ordered {
		products[i], quantities[i] = int64(item.ProductID), int32(item.Quantity)
	}
	return c.pool.do(ctx, subject{notFound: domain.NoCart}, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, takeItems, [16]byte(id), products, quantities).Scan(nil)
	})
}
