package sql

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"splitshop/domain"
)

// How many products a catalogue is seeded with.
const (
	DefaultProducts = 1_000
	MaxProducts     = 1_000_000
)

// seed adds the products up to id want that are above all there are. One COPY, so all of them or none.
func seed(ctx context.Context, conn *pgx.Conn, want int, log *slog.Logger) error {
	var have int
	if err := conn.QueryRow(ctx, `SELECT COALESCE(max(id), 0) FROM catalog.products`).Scan(&have); err != nil {
		return err
	}
	if have >= want {
		return nil
	}
	id, lastLine := have, time.Now()
	source := pgx.CopyFromFunc(func() ([]any, error) {
		if id == want {
			return nil, nil
		}
		if time.Since(lastLine) >= time.Second {
			lastLine = time.Now()
			log.Info("seeding the catalogue", "products", id, "of", want)
		}
		id++
		p := seedProduct(domain.ProductID(id))
		return []any{int64(p.ID), p.Name, p.Price.Amount, p.Price.Currency, p.Withdrawn}, nil
	})
	columns := []string{"id", "name", "price_amount", "currency", "withdrawn"}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"catalog", "products"}, columns, source); err != nil {
		return err
	}
	for _, statement := range []string{
		`SELECT setval(pg_get_serial_sequence('catalog.products', 'id'), max(id)) FROM catalog.products`,
		`VACUUM (ANALYZE) catalog.products`, // a plan and a page must not depend on when autovacuum comes by
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	log.Info("catalogue seeded", "products", want)
	return nil
}

// seedProduct returns the product that every seeded catalogue has under this id.
func seedProduct(id domain.ProductID) domain.Product {
	h := splitmix32(uint32(id))
	return domain.Product{ID: id, Name: seedName(id, h), Price: domain.Cents(seedPrice(splitmix32(h)))}
}

// seedName makes most names plain and five in a hundred such as break careless programs.
func seedName(id domain.ProductID, h uint32) string {
	plain := fmt.Sprintf("%s %s %s %d", pick(qualities, h), pick(materials, h>>8), pick(things, h>>16), id)
	switch id % 100 {
	case 7:
		return fmt.Sprintf("Crème brûlée Schälchen Ærø 珈琲 %d", id)
	case 27:
		return fmt.Sprintf("Party mug 🎉👩‍👩‍👧🇪🇺 %d", id)
	case 47:
		return fmt.Sprintf("كوب قهوة / כוס %d", id) // right to left
	case 67:
		return fmt.Sprintf("Adapter 1/2\" x 3/4\" <A&B> %d", id)
	case 87:
		return plain + strings.Repeat("ß", domain.MaxNameLength-utf8.RuneCountInString(plain))
	}
	return plain
}

// seedPrice returns 0.99 to 299.99 EUR; one in seven ends in .05.
func seedPrice(h uint32) int64 {
	endings := [...]int64{99, 49, 5, 95, 0, 50, 19}
	return max(99, int64(h%300)*100+endings[(h>>16)%uint32(len(endings))])
}

var (
	qualities = []string{"Small", "Large", "Light", "Sturdy", "Folding", "Round", "Quiet", "Warm"}
	materials = []string{"oak", "steel", "linen", "glass", "cork", "wool", "clay", "copper", "paper", "bamboo"}
	things    = []string{"chair", "lamp", "bowl", "shelf", "mug", "basket", "clock", "blanket", "table", "hook", "tray", "vase"}
)

func pick(words []string, h uint32) string { return words[h%uint32(len(words))] }

// splitmix32 turns a number into one that looks random.
func splitmix32(x uint32) uint32 {
	x += 0x9e3779b9
	x = (x ^ x>>16) * 0x21f0aaad
	x = (x ^ x>>15) * 0x735a2d97
	return x ^ x>>15
}
