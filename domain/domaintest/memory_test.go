package domaintest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
)

func TestMemoryCopiesInAndOut(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	id, err := m.AddProduct(t.Context(), "kept", domain.Cents(100))
	if err != nil {
		t.Fatal(err)
	}
	want := domain.Product{ID: id, Name: "kept", Price: domain.Cents(100)}
	products, _ := m.Lookup(t.Context(), []domain.ProductID{id})
	page, _ := m.Products(t.Context(), 0, 1)
	products[0].Name, page.Products[0].Name = "scribbled on", "scribbled on"
	if got, err := m.Product(t.Context(), id); got != want || err != nil {
		t.Errorf("product %+v, %v", got, err)
	}

	line, _ := domain.NewLine(want, 2)
	order := domain.Order{ID: domain.NewOrderID(), Lines: []domain.Line{line}, Total: line.Total}
	if err := m.Insert(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	order.Lines[0].Name = "scribbled on"
	out, _ := m.Order(t.Context(), order.ID)
	out.Lines[0].Name = "scribbled on"
	again, err := m.Order(t.Context(), order.ID)
	if diff := cmp.Diff([]domain.Line{line}, again.Lines); diff != "" || err != nil {
		t.Errorf("stored lines: %v (-want +got):\n%s", err, diff)
	}
}

func TestMemoryKeepsAnOrderOnce(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	order := domain.Order{ID: domain.NewOrderID(), Total: domain.Cents(1)}
	if err := m.Insert(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	second := order
	second.Total = domain.Cents(2)
	if diff := refusalDiff(m.Insert(t.Context(), second), domain.Describe(domain.Internal)); diff != "" {
		t.Errorf("the same id again (-want +got):\n%s", diff)
	}
	if got, _ := m.Order(t.Context(), order.ID); got.Total != domain.Cents(1) {
		t.Errorf("the first order was replaced: %+v", got)
	}
}

// TestMemoryAdminIsStrict keeps checks honest: nothing gets into the catalogue that a real one would refuse.
func TestMemoryAdminIsStrict(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	id, err := m.AddProduct(t.Context(), "x", domain.Cents(1))
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string, price domain.Money) error {
		_, err := m.AddProduct(t.Context(), name, price)
		return err
	}
	for _, tt := range []struct {
		name string
		err  error
		want domain.Kind
	}{
		{"adding a NUL", add("a\x00b", domain.Cents(1)), domain.Invalid},
		{"adding no name", add("", domain.Cents(1)), domain.Invalid},
		{"adding 201 code points", add(strings.Repeat("é", 201), domain.Cents(1)), domain.Invalid},
		{"adding something free", add("x", domain.Cents(0)), domain.Invalid},
		{"adding something too dear", add("x", domain.Cents(domain.MaxPrice+1)), domain.Invalid},
		{"a price of nothing", m.SetPrice(t.Context(), id, domain.Cents(0)), domain.Invalid},
		{"a price in another currency", m.SetPrice(t.Context(), id, domain.Money{Amount: 1, Currency: "CHF"}), domain.Invalid},
		{"a price of what is not there", m.SetPrice(t.Context(), id+1, domain.Cents(1)), domain.NotFound},
		{"withdrawing what is not there", m.Withdraw(t.Context(), id+1), domain.NotFound},
		{"withdrawing nothing", m.Withdraw(t.Context(), 0), domain.NotFound},
	} {
		if tt.err == nil || domain.KindOf(tt.err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.want)
		}
	}
	if next, err := m.AddProduct(t.Context(), "x", domain.Cents(1)); next != id+1 || err != nil {
		t.Errorf("refused products took ids: next is %d, %v", next, err)
	}
}

func TestMemoryEndedContext(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	id, _ := m.AddProduct(t.Context(), "x", domain.Cents(1))
	cart, _ := m.CreateCart(t.Context())
	for name, ctx := range endedContexts(t.Context()) {
		_, add := m.AddProduct(ctx, "x", domain.Cents(1))
		_, lookup := m.Lookup(ctx, []domain.ProductID{id})
		_, items := m.Items(ctx, cart)
		for i, err := range []error{add, lookup, items, m.SetPrice(ctx, id, domain.Cents(2)), m.Withdraw(ctx, id),
			m.Insert(ctx, domain.Order{}), m.Take(ctx, cart, nil)} {
			if diff := refusalDiff(err, domain.Describe(domain.Deadline)); diff != "" {
				t.Errorf("call %d with a context %s (-want +got):\n%s", i, name, diff)
			}
		}
	}
}
