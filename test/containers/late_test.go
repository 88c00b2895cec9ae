package containers

import (
	"net/http"
	"testing"
	"time"

	"splitshop/test/shopping"
)

// late is how long Postgres lets everybody wait.
const late = 30 * time.Second

// TestPostgresLate is case 13: both designs and the migration start, and Postgres half a minute later. Until then they live, say that
// they are not ready, and refuse what they are asked; then they find it by themselves.
func TestPostgresLate(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	begun := time.Now()
	s.migrate()
	edges := []*part{s.design(mono).parts["monolith"], s.design(micro).parts["gateway"]}
	for _, p := range s.servers() {
		shopping.Eventually(t, startsWithin, p.name+" lives", func() error { return s.alive(t, p) })
	}
	waits := func() {
		for _, p := range s.servers() {
			must(t, s.alive(t, p))
			must(t, s.notReady(t, p))
		}
		for _, edge := range edges {
			for _, r := range []shopping.Request{
				{Method: http.MethodGet, Path: "/products"},
				{Method: http.MethodPost, Path: "/carts"},
				{Method: http.MethodGet, Path: "/orders/00000000-0000-4000-8000-000000000000"},
			} {
				if err := s.shop(t, edge).Send(t.Context(), r).Want(http.StatusServiceUnavailable); err != nil {
					t.Errorf("%s %s of %s: %v", r.Method, r.Path, edge.name, err)
				}
			}
		}
	}
	waits()
	time.Sleep(late - time.Since(begun)) // the promise is about this time, and nothing happens in it
	waits()

	s.database()
	s.awaitReady(t)
	if code := s.exit(t, s.parts["migrate"]); code != 0 {
		t.Errorf("migrate exited with %d", code)
	}
	for _, edge := range edges {
		shop := s.shop(t, edge)
		must(t, shop.ShopOnce(shop.Goods(t)))
	}
}
