package sql_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// checkTotals fails where an order's total is not the sum of its stored lines.
func checkTotals(t *testing.T, db *sqltest.DB) {
	t.Helper()
	wrong := db.Query(`
		SELECT o.id, o.total_amount, sum(l.quantity * l.price_amount)
		FROM orders.orders o LEFT JOIN orders.lines l ON l.order_id = o.id
		GROUP BY o.id HAVING o.total_amount IS DISTINCT FROM sum(l.total_amount)
			OR o.total_amount IS DISTINCT FROM sum(l.quantity * l.price_amount)`)
	if len(wrong) > 0 {
		t.Errorf("orders whose total is not the sum of their lines: %v", wrong)
	}
}

// Cases 2 and 9: prices that floats get wrong, totals above 2^31, names that careless programs break.
func TestOrderKeepsEverything(t *testing.T) {
	t.Parallel()
	lines := []struct {
		name     string
		price    int64
		quantity int
	}{
		{"plain", 99, 1},
		{"Crème brûlée \u0065\u0301", 105, 3},
		{"🎉👩‍👩‍👧 كوب / כוס", 1999, 7},
		{`quote ' " \ $1 ; --`, 5, 999},
		{"above 2^31", domain.MaxPrice, 3},
	}
	const total = 99 + 3*105 + 7*1999 + 999*5 + 3*domain.MaxPrice
	for _, s := range shops {
		t.Run("shop="+s.name, func(t *testing.T) {
			t.Parallel()
			db := sqltest.New(t)
			shop, admin := s.make(db), db.Admin()
			cart, err := shop.CreateCart(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				id, err := admin.AddProduct(t.Context(), l.name, domain.Cents(l.price))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := shop.AddItem(t.Context(), cart, domain.Item{ProductID: id, Quantity: l.quantity}); err != nil {
					t.Fatal(err)
				}
			}
			placed, err := shop.PlaceOrder(t.Context(), cart)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range placed.Lines { // what changes later is not the order's business
				if err := admin.SetPrice(t.Context(), l.ProductID, domain.Cents(1)); err != nil {
					t.Fatal(err)
				}
			}
			kept, err := shop.Order(t.Context(), placed.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(placed, kept); diff != "" {
				t.Errorf("the order as placed and as kept (-placed +kept):\n%s", diff)
			}
			for i, l := range lines {
				if kept.Lines[i].Name != l.name {
					t.Errorf("the name %q came back as %q", l.name, kept.Lines[i].Name)
				}
			}
			if kept.Total != domain.Cents(total) {
				t.Errorf("total %v, want %v", kept.Total, domain.Cents(total))
			}
			checkTotals(t, db)
		})
	}
}

// An order is kept with all of its lines or not at all.
func TestInsertIsAllOrNothing(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	orders := sql.NewOrders(db.Pool(sql.RoleOrders, 1))
	order := func(lines ...domain.Line) domain.Order {
		return domain.Order{ID: domain.NewOrderID(), CartID: domain.NewCartID(), Lines: lines, Total: domain.Cents(3)}
	}
	good := domain.Line{ProductID: 1, Name: "n", Quantity: 3, UnitPrice: domain.Cents(1), Total: domain.Cents(3)}
	bad := good
	bad.ProductID, bad.Total = 2, domain.Cents(4)
	o := order(good, bad)
	if err := orders.Insert(t.Context(), o); domain.KindOf(err) != domain.Internal {
		t.Fatalf("a line whose total is not price x quantity: %v, want Internal", err)
	}
	if _, err := orders.Order(t.Context(), o.ID); domain.KindOf(err) != domain.NotFound {
		t.Errorf("half an order: %v, want NotFound", err)
	}
	if n := db.Query(`SELECT count(*) FROM orders.orders`)[0][0]; n != "0" {
		t.Errorf("%s orders without lines", n)
	}
	o = order(good)
	if err := orders.Insert(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := orders.Insert(t.Context(), o); err == nil {
		t.Error("the same order twice")
	}
}
