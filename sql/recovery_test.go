package sql_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"splitshop/domain"
	"splitshop/pgserver"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// Case 13: the database comes late, is stopped, killed, and crashes in the middle of writes. The pool recovers by itself,
// and what its errors say is true: an addition that was answered counts, one refused as Unavailable does not, and of the
// others each may.
func TestDatabaseComesAndGoes(t *testing.T) {
	t.Parallel()
	server := startServer(t, pgserver.Options{Settings: map[string]string{"shared_buffers": "16MB"}}) // durable: it crashes
	err := sql.Migrate(t.Context(), server.SuperuserURL("postgres"), sql.MigrateOptions{Passwords: sqltest.Passwords()})
	if err != nil {
		t.Fatal(err)
	}
	down(t, server.Halt)

	began := time.Now()
	pool, err := sql.Open(t.Context(), sql.Config{
		URL: server.URL("postgres", sql.RoleMonolith, sqltest.Passwords()[sql.RoleMonolith]), MaxConns: 8,
	})
	if err != nil || time.Since(began) > time.Second {
		t.Fatalf("opening without a database took %v: %v", time.Since(began), err)
	}
	t.Cleanup(pool.Close)
	shop := sql.NewShop(pool)
	if err := pool.Ready(t.Context()); err == nil {
		t.Error("ready without a database")
	}
	if _, err := shop.CreateCart(t.Context()); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("a call without a database: %v, want Unavailable", err)
	}
	up(t, server, pool)

	cart, err := shop.CreateCart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := adding{shop: shop, cart: cart}
	for name, end := range map[string]func(context.Context) error{
		"halted": server.Halt,
		"killed": func(context.Context) error { return server.Kill() },
	} {
		b.during(t, func() {
			down(t, end)
			if err := pool.Ready(t.Context()); err == nil {
				t.Errorf("%s: ready without a database", name)
			}
			up(t, server, pool)
		})
	}
	if b.kinds[domain.Unavailable] == 0 {
		t.Error("no call met the missing database: the test proves nothing")
	}
	for crashes := 0; b.kinds[domain.MayHaveExecuted] == 0; crashes++ {
		if crashes == 10 {
			t.Fatal("no call was cut by ten crashes: the test proves nothing")
		}
		b.during(t, func() { crash(t, server, pool) })
	}
	view, err := shop.Cart(t.Context(), cart)
	if err != nil {
		t.Fatal(err)
	}
	var kept int
	for _, l := range view.Lines {
		kept += l.Quantity
	}
	if kept < b.answered || kept > b.answered+b.kinds[domain.MayHaveExecuted] {
		t.Errorf("%d pieces in the cart; %d additions were answered; errors by kind: %v", kept, b.answered, b.kinds)
	}
	t.Logf("%d pieces in the cart; %d additions were answered; errors by kind: %v", kept, b.answered, b.kinds)

	// Ready again means what it means at the start: all connections are open, and no request waits for a login.
	down(t, server.Halt)
	if _, err := shop.Cart(t.Context(), cart); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("a call after the database went: %v, want Unavailable", err)
	}
	up(t, server, pool)
	if s := pool.Stats(); s.Idle != s.Max {
		t.Errorf("ready again with %d of %d connections", s.Idle, s.Max)
	}
}

// Migrate waits for a server that does not answer as long as it may, and not for one that refuses the login.
func TestMigrateWaits(t *testing.T) {
	t.Parallel()
	server := startServer(t, pgserver.Options{Fast: true})
	migrate := func(url string, wait time.Duration) error {
		return sql.Migrate(t.Context(), url, sql.MigrateOptions{Products: 1, Wait: wait})
	}
	began := time.Now()
	wrong := server.URL("postgres", pgserver.Superuser, "wrong")
	if err := migrate(wrong, time.Minute); sqlState(err) != "28P01" || time.Since(began) > 30*time.Second {
		t.Errorf("a wrong password: %v after %v, want SQLSTATE 28P01 at once", err, time.Since(began))
	}
	down(t, server.Halt)
	if err := migrate(server.SuperuserURL("postgres"), 0); err == nil {
		t.Error("without a server and without waiting: no error")
	}
	done := make(chan error, 1)
	go func() { done <- migrate(server.SuperuserURL("postgres"), time.Minute) }()
	if err := server.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("a server that came late: %v", err)
	}
}

// down ends the server.
func down(t *testing.T, end func(context.Context) error) {
	t.Helper()
	if err := end(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// up starts the server again and waits until the pool is ready, by itself.
func up(t *testing.T, server *pgserver.Server, pool *sql.Pool) {
	t.Helper()
	if err := server.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sqltest.AwaitReady(t.Context(), pool, 20*time.Second); err != nil {
		t.Fatal(err)
	}
}

// crash kills a session of the server, upon which Postgres cuts all of them without an answer and starts again by itself.
func crash(t *testing.T, server *pgserver.Server, pool *sql.Pool) {
	t.Helper()
	const kill = `DO $$ BEGIN
		EXECUTE (SELECT format('COPY (SELECT 1) TO PROGRAM ''kill -9 %s''', min(pid))
			FROM pg_stat_activity WHERE usename = 'shop_monolith');
	END $$`
	if _, err := server.Query(t.Context(), "postgres", kill); err != nil {
		t.Logf("the session that killed another: %v", err) // it may be cut as well
	}
	if err := sqltest.AwaitReady(t.Context(), pool, 20*time.Second); err != nil {
		t.Fatal(err)
	}
}

// adding adds pieces one by one, over many lines so that none is full, and keeps the books.
type adding struct {
	shop *sql.Shop
	cart domain.CartID

	mu       sync.Mutex
	answered int
	kinds    map[domain.Kind]int
	next     atomic.Int64
}

// during adds from several goroutines while f runs and for some additions after it, which must work.
func (a *adding) during(t *testing.T, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := a.one(t); err != nil {
					time.Sleep(10 * time.Millisecond) // as a polite client does
				}
			}
		})
	}
	before := a.worked()
	await(t, "additions work before", func() bool { return a.worked() > before+50 })
	f()
	before = a.worked()
	await(t, "additions work again", func() bool { return a.worked() > before+50 })
	cancel()
	wg.Wait()
}

func (a *adding) worked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answered
}

func (a *adding) one(t *testing.T) error {
	item := domain.Item{ProductID: domain.ProductID(1 + a.next.Add(1)%domain.MaxLines), Quantity: 1}
	_, err := a.shop.AddItem(t.Context(), a.cart, item)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch kind := domain.KindOf(err); {
	case err == nil:
		a.answered++
	case kind == domain.Unavailable || kind == domain.MayHaveExecuted:
		if a.kinds == nil {
			a.kinds = map[domain.Kind]int{}
		}
		a.kinds[kind]++
	default:
		t.Errorf("neither Unavailable nor MayHaveExecuted: %v", err)
	}
	return err
}
