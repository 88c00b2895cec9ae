package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splitshop/process"
	"splitshop/sql"
	"splitshop/test/shopping"
)

// halfOpen is case 12: two hundred connections whose headers never end, half of them trickling, keep nobody else from an
// answer, and the server closes them.
func halfOpen(t *testing.T, p *topology) {
	const slow = 200
	var dialer net.Dialer
	var wg sync.WaitGroup
	for i := range slow {
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(p.URL(), "http://"))
		must(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, "GET /products HTTP/1.1\r\nHost: shop\r\n")
		must(t, err)
		conn.SetReadDeadline(time.Now().Add(3 * process.ReadHeaderTimeout))
		wg.Go(func() { // it is reset rather than ended where bytes of ours were left unread
			if n, err := io.Copy(io.Discard, conn); n != 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("a slow connection got %d bytes, and then %v", n, err)
			}
		})
		if i%2 == 0 {
			go trickle(conn)
		}
	}
	g := p.Goods(t)
	for _, kind := range []string{shopping.Page, shopping.NewCart, shopping.Addition, shopping.Checkout} {
		begun := time.Now()
		if a := p.Send(t.Context(), g.Request(kind)); a.Err != nil || a.Status >= http.StatusMultipleChoices {
			t.Errorf("%s beside %d half-open connections: %v after %v", kind, slow, a, time.Since(begun))
		}
	}
	wg.Wait()
}

// trickle sends a header byte by byte, until the connection is closed.
func trickle(conn net.Conn) {
	for _, err := io.WriteString(conn, "Slow: "); err == nil; _, err = io.WriteString(conn, "x") {
		time.Sleep(500 * time.Millisecond) // it paces the client
	}
}

// cancelledRequests is case 31: a hundred clients go away while Postgres works for them, or while they wait for a
// connection. The pool keeps its connections, and they are the same ones.
func cancelledRequests(t *testing.T, p *topology) {
	const clients = 100
	before, backends := p.pools(t), connections(t, p)
	g := p.Goods(t)
	release := p.holdCart(t, g.Cart)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answers := make([]shopping.Answer, clients)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = p.Send(ctx, shopping.AddOne(g.Cart)) })
	}
	p.awaitBlocked(t, before[cartPool(p)].Max)
	cancel()
	wg.Wait()
	for _, a := range answers {
		if !errors.Is(a.Err, context.Canceled) {
			t.Fatalf("a request that was to be cancelled: %v", a)
		}
	}
	shopping.Eventually(t, 10*time.Second, "all connections are idle again", func() error {
		for name, pool := range p.pools(t) {
			if pool.InUse != 0 || pool.Idle != pool.Max {
				return fmt.Errorf("%s: %+v", name, pool)
			}
		}
		return nil
	})
	release()
	opened := cmpopts.IgnoreFields(sql.PoolStats{}, "InUse", "MaxInUse", "Acquires", "EmptyAcquires", "CancelledAcquires",
		"AcquireWaitMS", "Restarts")
	if diff := cmp.Diff(before, p.pools(t), opened); diff != "" {
		t.Errorf("pools (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(backends, connections(t, p)); diff != "" {
		t.Errorf("connections to Postgres (-before +after):\n%s", diff)
	}
	must(t, p.Send(t.Context(), shopping.AddOne(g.Cart)).Want(http.StatusOK))
}

// cartPool names the pool whose connections wait for a locked cart.
func cartPool(p *topology) string {
	if p.Part("cart") != nil {
		return "cart pool"
	}
	return "monolith pool"
}

// connections lists the sessions of the shop's processes in Postgres.
func connections(t *testing.T, p *topology) [][]string {
	t.Helper()
	return p.query(t, `SELECT usename, pid FROM pg_stat_activity
		WHERE datname = current_database() AND usename IN ('shop_monolith', 'shop_cart', 'shop_orders') ORDER BY 1, 2`)
}

// changedTables is case 32: columns get other types under load, so that prepared statements must be made anew. No client
// notices.
func changedTables(t *testing.T, p *topology) {
	before := restarts(t, p)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 6 {
		g := p.Goods(t)
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := p.ShopOnce(g); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for _, statement := range []string{
		"ALTER TABLE catalog.products ADD COLUMN note text NOT NULL DEFAULT ''",
		"ALTER TABLE catalog.products ALTER COLUMN name TYPE varchar(200)",
		"ALTER TABLE cart.items ALTER COLUMN quantity TYPE bigint",
		"ALTER TABLE orders.lines ALTER COLUMN quantity TYPE bigint",
		"ALTER TABLE catalog.products DROP COLUMN note",
	} {
		done := counter(t, p)
		p.query(t, statement)
		shopping.Eventually(t, recovery, "traffic goes on after "+statement, func() error {
			if more := counter(t, p) - done; more < 100 {
				return fmt.Errorf("%d acquires", more)
			}
			return nil
		})
	}
	stop()
	wg.Wait()
	if restarts(t, p) == before {
		t.Error("no statement had to be made anew: this test shows nothing")
	}
}

// restarts counts how often the processes began work again.
func restarts(t *testing.T, p *topology) (n int64) {
	t.Helper()
	for _, pool := range p.pools(t) {
		n += pool.Restarts
	}
	return n
}

// counter counts how often the processes took a connection.
func counter(t *testing.T, p *topology) (n int64) {
	t.Helper()
	for _, pool := range p.pools(t) {
		n += pool.Acquires
	}
	return n
}
