package sql_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

func TestSeededProducts(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for id := domain.ProductID(1); id <= 100_000; id++ {
		p := sql.SeedProduct(id)
		if err := domain.CheckProduct(p); err != nil || p.ID != id || p.Withdrawn {
			t.Fatalf("product %d is %+v: %v", id, p, err)
		}
		if p.Price.Amount < 99 || p.Price.Amount >= 300_00 {
			t.Fatalf("product %d costs %v, want 0.99 to 299.99", id, p.Price)
		}
		for kind, is := range map[string]bool{
			"a price ending in .05": p.Price.Amount%100 == 5,
			"a slash":               strings.Contains(p.Name, "/"),
			"accents":               strings.Contains(p.Name, "è"),
			"emoji":                 strings.Contains(p.Name, "🎉"),
			"right to left":         strings.ContainsFunc(p.Name, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }),
			"200 code points":       utf8.RuneCountInString(p.Name) == domain.MaxNameLength,
		} {
			if is && id <= sql.DefaultProducts {
				seen[kind]++
			}
		}
	}
	for _, kind := range []string{"a price ending in .05", "a slash", "accents", "emoji", "right to left", "200 code points"} {
		if n := seen[kind]; n < 10 || n > 250 {
			t.Errorf("%d of the first %d products have %s, want some", n, sql.DefaultProducts, kind)
		}
	}
}

// Runs of different builds are comparable only while the catalogue is the same to the byte.
func TestSeedStaysTheSame(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for id := domain.ProductID(1); id <= sql.DefaultProducts; id++ {
		fmt.Fprintln(h, sql.SeedProduct(id))
	}
	const want = "ad0798607062dda4908703ba7a91970ca17402a82d3e64638dbb2a1daa83b4c3"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("the seeded catalogue changed: %s, was %s", got, want)
	}
}

// Case 9: what was seeded comes back, the same bytes, and over as many pages as it takes.
func TestSeedComesBack(t *testing.T) {
	t.Parallel()
	catalog := sql.NewCatalog(sqltest.New(t).Pool(sql.RoleCatalog, 1))
	var got []domain.Product
	for after := domain.ProductID(0); ; {
		page, err := catalog.Products(t.Context(), after, domain.MaxPage)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Products...)
		if after = page.Next; after == 0 {
			break
		}
	}
	want := make([]domain.Product, sql.DefaultProducts)
	for i := range want {
		want[i] = sql.SeedProduct(domain.ProductID(i + 1))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seeded and read (-seeded +read):\n%s", diff)
	}
}

// A smaller catalogue is continued, what was added to it stays, and progress is said sparingly.
func TestSeedContinues(t *testing.T) {
	t.Parallel()
	const many = 100_000
	db := sqltest.New(t)
	admin := db.Admin()
	added, err := admin.AddProduct(t.Context(), "added by hand", domain.Cents(5))
	if err != nil {
		t.Fatal(err)
	}
	if added != sql.DefaultProducts+1 {
		t.Errorf("the first product after the seeded ones has id %d", added)
	}
	var log bytes.Buffer
	began := time.Now()
	err = sql.Migrate(t.Context(), db.OwnerURL(), sql.MigrateOptions{
		Products: many, Log: slog.New(slog.NewTextHandler(&lockedWriter{w: &log}, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := db.Query(`SELECT count(*) FROM catalog.products`)[0][0]; n != strconv.Itoa(many) {
		t.Errorf("%s products, want %d", n, many)
	}
	for _, id := range []domain.ProductID{added, added + 1, many} {
		want := sql.SeedProduct(id)
		if id == added {
			want = domain.Product{ID: id, Name: "added by hand", Price: domain.Cents(5)}
		}
		if got, err := admin.Product(t.Context(), id); err != nil || got != want {
			t.Errorf("product %d is %+v, %v; want %+v", id, got, err, want)
		}
	}
	if id, err := admin.AddProduct(t.Context(), "n", domain.Cents(5)); err != nil || id != many+1 {
		t.Errorf("the next product has id %d, %v; want %d", id, err, many+1)
	}
	progress, took := strings.Count(log.String(), "seeding the catalogue"), time.Since(began)
	if progress > int(took/time.Second) || !strings.Contains(log.String(), "catalogue seeded") {
		t.Errorf("%d lines of progress in %v, at most one a second is wanted, and one at the end:\n%s", progress, took, &log)
	}
}

// lockedWriter is a writer that several loggers may share.
type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
