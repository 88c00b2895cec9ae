package sql_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// Case 8: fifty products of equal price, pages of seven, products added and withdrawn in between: each id once.
func TestPagesAreStable(t *testing.T) {
	t.Parallel()
	catalog := sql.NewCatalog(sqltest.New(t).Pool(sql.RoleCatalog, 2))
	add := func() domain.ProductID {
		t.Helper()
		id, err := catalog.AddProduct(t.Context(), "one of many", domain.Cents(105))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	const before, added = 50, 5
	var want, got []domain.ProductID
	for range before {
		want = append(want, add())
	}
	for after, pages := want[0]-1, 0; ; pages++ {
		page, err := catalog.Products(t.Context(), after, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Products {
			got = append(got, p.ID)
		}
		if after = page.Next; after == 0 {
			break
		}
		if pages < added { // one more at the end, and one withdrawn that was read already
			want = append(want, add())
			if err := catalog.Withdraw(t.Context(), got[pages]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	catalog := sql.NewCatalog(sqltest.New(t).Pool(sql.RoleCatalog, 2))
	if err := catalog.Withdraw(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	withdrawn := sql.SeedProduct(4)
	withdrawn.Withdrawn = true
	tests := []struct {
		name string
		ids  []domain.ProductID
		want []domain.Product
		err  error
	}{
		{name: "in the order asked for", ids: []domain.ProductID{9, 2, 7},
			want: []domain.Product{sql.SeedProduct(9), sql.SeedProduct(2), sql.SeedProduct(7)}},
		{name: "twice", ids: []domain.ProductID{2, 2}, want: []domain.Product{sql.SeedProduct(2), sql.SeedProduct(2)}},
		{name: "withdrawn", ids: []domain.ProductID{4}, want: []domain.Product{withdrawn}},
		{name: "none", want: []domain.Product{}},
		{name: "one that never existed", ids: []domain.ProductID{1, 1e9, 2}, err: domain.NoProduct(1e9)},
		{name: "too many", ids: make([]domain.ProductID, domain.MaxLines+1), err: domain.Invalid},
	}
	for _, tt := range tests {
		got, err := catalog.Lookup(t.Context(), tt.ids)
		if (err == nil) != (tt.err == nil) || domain.KindOf(err) != domain.KindOf(tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestOwnerOfTheCatalogue(t *testing.T) {
	t.Parallel()
	catalog := sql.NewCatalog(sqltest.New(t).Pool(sql.RoleCatalog, 2))
	for _, tt := range []struct {
		name string
		err  error
		want domain.Kind
	}{
		{"price of an unknown product", catalog.SetPrice(t.Context(), 1e9, domain.Cents(1)), domain.NotFound},
		{"price of nothing", catalog.SetPrice(t.Context(), 1, domain.Cents(0)), domain.Invalid},
		{"other currency", catalog.SetPrice(t.Context(), 1, domain.Money{Amount: 1, Currency: "USD"}), domain.Invalid},
		{"withdraw an unknown product", catalog.Withdraw(t.Context(), 1e9), domain.NotFound},
	} {
		if domain.KindOf(tt.err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.want)
		}
	}
	if _, err := catalog.AddProduct(t.Context(), "a\x00b", domain.Cents(1)); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a NUL in a name: %v, want Invalid", err)
	}
}
