package sqltest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

func TestMain(m *testing.M) { sqltest.Main(m) }

// Databases are copies of the template that know nothing of each other and go with their tests.
func TestDatabasesAreIndependent(t *testing.T) {
	t.Parallel()
	var names []string
	t.Run("while they are used", func(t *testing.T) {
		one, other := sqltest.New(t), sqltest.New(t)
		names = []string{one.Name, other.Name}
		if err := one.Admin().SetPrice(t.Context(), 1, domain.Cents(1)); err != nil {
			t.Fatal(err)
		}
		var prices []string
		for _, db := range []*sqltest.DB{one, other} {
			prices = append(prices, db.Query(`SELECT price_amount FROM catalog.products WHERE id = 1`)[0][0])
		}
		if prices[0] != "1" || prices[1] == "1" {
			t.Errorf("a price set in one database; prices in both: %v", prices)
		}
		for _, role := range sql.Roles() {
			one.Pool(role, 1)
		}
	})
	left := sqltest.Empty(t).Query(`SELECT datname FROM pg_database WHERE datname IN ('` + strings.Join(names, "', '") + `')`)
	if diff := cmp.Diff([][]string(nil), left); diff != "" {
		t.Errorf("databases of ended tests are still there: %s", diff)
	}
}
