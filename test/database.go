package test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"splitshop/test/shopping"
)

// hold runs a statement that locks something in a topology's database, as the server's owner, and keeps the lock until
// release is called or the test ends.
func (p *topology) hold(t *testing.T, statement string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), p.Postgres().SuperuserURL(p.Database()))
	must(t, err)
	closeIt := func() { conn.Close(context.Background()) }
	t.Cleanup(closeIt)
	_, err = conn.Exec(t.Context(), "BEGIN; "+statement)
	must(t, err)
	return closeIt // Postgres takes back what a session leaves open
}

// holdCart locks a cart: it can be read, and nothing can be put in it or taken out.
func (p *topology) holdCart(t *testing.T, id fmt.Stringer) (release func()) {
	t.Helper()
	return p.hold(t, fmt.Sprintf(`
		SELECT FROM cart.carts WHERE id = '%[1]s' FOR UPDATE;
		SELECT FROM cart.items WHERE cart_id = '%[1]s' FOR UPDATE`, id))
}

// awaitBlocked waits until at least n statements of a topology wait for a lock.
func (p *topology) awaitBlocked(t *testing.T, n int) {
	t.Helper()
	shopping.Eventually(t, 10*time.Second, fmt.Sprintf("%d statements wait for a lock", n), func() error {
		blocked := p.blocked(t)
		if len(blocked) < n {
			return fmt.Errorf("only %q", blocked)
		}
		return nil
	})
}

// awaitNoneBlocked waits until every statement that waited for a lock has got it or given up.
func (p *topology) awaitNoneBlocked(t *testing.T) {
	t.Helper()
	shopping.Eventually(t, 10*time.Second, "nothing waits for a lock", func() error {
		if blocked := p.blocked(t); len(blocked) > 0 {
			return fmt.Errorf("there are %q", blocked)
		}
		return nil
	})
}

// blocked lists the statements of a topology that wait for a lock.
func (p *topology) blocked(t *testing.T) [][]string {
	t.Helper()
	return p.query(t, `
		SELECT left(query, 60) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}

// query runs a statement in a topology's database, as the server's owner.
func (p *topology) query(t *testing.T, statement string) [][]string {
	t.Helper()
	rows, err := p.Postgres().Query(t.Context(), p.Database(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return rows
}
