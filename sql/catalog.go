package sql

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"splitshop/domain"
)

// Catalog is domain.Catalog on the schema catalog, and what the catalogue's owner does behind the shop's back.
type Catalog struct{ pool *Pool }

var _ domain.Catalog = (*Catalog)(nil)

// NewCatalog returns the catalogue that pool's role may see.
func NewCatalog(pool *Pool) *Catalog { return &Catalog{pool} }

// Products is documented at domain.Catalog.
func (c *Catalog) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	if err := domain.CheckPage(after, limit); err != nil {
		return domain.Page{}, err
	}
	products := make([]domain.Product, 0, limit+1) // one more tells whether there is a next page
	err := c.pool.do(ctx, subject{}, func(conn *pgx.Conn) error {
		products = products[:0]
		rows, _ := conn.Query(ctx, `
			SELECT id, name, price_amount, currency
			FROM catalog.products
			WHERE id > $1 AND NOT withdrawn
			ORDER BY id
			LIMIT $2`, int64(after), limit+1)
		var p domain.Product
		_, err := pgx.ForEachRow(rows, []any{(*int64)(&p.ID), &p.Name, &p.Price.Amount, &p.Price.Currency}, func() error {
			products = append(products, p)
			return nil
		})
		return err
	})
	if err != nil {
		return domain.Page{}, err
	}
	if len(products) <= limit {
		return domain.Page{Products: products}, nil
	}
	return domain.Page{Products: products[:limit], Next: products[limit-1].ID}, nil
}

// Product is documented at domain.Catalog.
func (c *Catalog) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	p := domain.Product{ID: id}
	err := c.pool.do(ctx, noProduct(id), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			SELECT name, price_amount, currency
			FROM catalog.products
			WHERE id = $1 AND NOT withdrawn`, int64(id)).Scan(&p.Name, &p.Price.Amount, &p.Price.Currency)
	})
	return p, err
}

// Lookup is documented at domain.Catalog.
func (c *Catalog) Lookup(ctx context.Context, ids []domain.ProductID) ([]domain.Product, error) {
	if err := domain.CheckLookup(ids); err != nil {
		return nil, err
	}
	wanted := make([]int64, len(ids))
	for i, id := range ids {
		wanted[i] = int64(id)
	}
	found := make([]domain.Product, 0, len(ids)) // by id
	err := c.pool.do(ctx, subject{}, func(conn *pgx.Conn) error {
		found = found[:0]
		rows, _ := conn.Query(ctx, `
			SELECT id, name, price_amount, currency, withdrawn
			FROM catalog.products
			WHERE id = ANY ($1)
			ORDER BY id`, wanted)
		var p domain.Product
		fields := []any{(*int64)(&p.ID), &p.Name, &p.Price.Amount, &p.Price.Currency, &p.Withdrawn}
		_, err := pgx.ForEachRow(rows, fields, func() error {
			found = append(found, p)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return inOrder(ids, found)
}

// inOrder returns the products of ids, in their order, from found, which is sorted by id.
func inOrder(ids []domain.ProductID, found []domain.Product) ([]domain.Product, error) {
	products := make([]domain.Product, len(ids))
	for i, id := range ids {
		at, ok := slices.BinarySearchFunc(found, id, func(p domain.Product, id domain.ProductID) int {
			return cmp.Compare(p.ID, id)
		})
		if !ok {
			return nil, domain.NoProduct(id)
		}
		products[i] = found[at]
	}
	return products, nil
}

// AddProduct adds a product, with an id above all others, and returns that id. Errors: Invalid (CheckProduct).
func (c *Catalog) AddProduct(ctx context.Context, name string, price domain.Money) (domain.ProductID, error) {
	if err := domain.CheckProduct(domain.Product{Name: name, Price: price}); err != nil {
		return 0, err
	}
	var id domain.ProductID
	err := c.pool.do(ctx, subject{}, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			INSERT INTO catalog.products (name, price_amount, currency)
			VALUES ($1, $2, $3)
			RETURNING id`, name, price.Amount, price.Currency).Scan((*int64)(&id))
	})
	return id, err
}

// SetPrice changes a product's price from now on. Errors: Invalid (CheckProduct), NotFound (there never was one).
func (c *Catalog) SetPrice(ctx context.Context, id domain.ProductID, price domain.Money) error {
	const anyName = "-"
	if err := domain.CheckProduct(domain.Product{Name: anyName, Price: price}); err != nil {
		return err
	}
	return c.pool.do(ctx, noProduct(id), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			UPDATE catalog.products
			SET price_amount = $2, currency = $3
			WHERE id = $1
			RETURNING id`, int64(id), price.Amount, price.Currency).Scan(nil)
	})
}

// Withdraw stops selling a product. Errors: NotFound (there never was one).
func (c *Catalog) Withdraw(ctx context.Context, id domain.ProductID) error {
	return c.pool.do(ctx, noProduct(id), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			UPDATE catalog.products
			SET withdrawn = true
			WHERE id = $1
			RETURNING id`, int64(id)).Scan(nil)
	})
}

func noProduct(id domain.ProductID) subject {
	return subject{notFound: func() error { return domain.NoProduct(id) }}
}
