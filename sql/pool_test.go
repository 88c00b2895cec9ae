package sql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// lock holds the table of products until release, so that every statement on it waits.
type lock struct {
	t    *testing.T
	conn *pgx.Conn
}

func lockProducts(t *testing.T, db *sqltest.DB) *lock {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.OwnerURL())
	if err != nil {
		t.Fatal(err)
	}
	l := &lock{t, conn}
	t.Cleanup(l.release)
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE catalog.products IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	return l
}

// release gives the table free; a second time does nothing.
func (l *lock) release() { _ = l.conn.Close(context.Background()) }

// waiting returns the sessions whose statements wait for the table.
func (l *lock) waiting() []int32 {
	l.t.Helper()
	rows, _ := l.conn.Query(l.t.Context(), `
		SELECT pid FROM pg_locks WHERE relation = 'catalog.products'::regclass AND NOT granted`)
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		l.t.Fatal(err)
	}
	return pids
}

// await polls until ok says yes.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Case 31: a cancelled request keeps its connection.
func TestCancelledRequestsKeepTheirConnections(t *testing.T) {
	t.Parallel()
	const size, rounds = 5, 10
	db := sqltest.New(t)
	pool := db.Pool(sql.RoleCatalog, size)
	catalog := sql.NewCatalog(pool)
	before := pool.Stats().Opened
	table := lockProducts(t, db)
	for range rounds {
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, size)
		for range size {
			go func() { _, err := catalog.Product(ctx, 1); errs <- err }()
		}
		await(t, "all statements wait", func() bool { return len(table.waiting()) == size })
		cancel()
		for range size {
			if err := <-errs; domain.KindOf(err) != domain.Deadline {
				t.Errorf("a cancelled request: %v, want Deadline", err)
			}
		}
	}
	table.release()
	if _, err := catalog.Product(t.Context(), 1); err != nil {
		t.Errorf("after the cancelled requests: %v", err)
	}
	await(t, "the pool is whole", func() bool { return pool.Stats().Idle == size })
	if n := pool.Stats().Opened - before; n != 0 {
		t.Errorf("%d connections were opened over %d cancelled requests, want none", n, rounds*size)
	}
}

// The control of the test above: with pgx's default each cancelled request costs a connection.
func TestDefaultHandlerLosesConnections(t *testing.T) {
	t.Parallel()
	const requests = 10
	db := sqltest.New(t)
	config, err := pgxpool.ParseConfig(db.URL(sql.RoleCatalog))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	lockProducts(t, db)
	for range requests {
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		var id int64
		if err := conn.QueryRow(ctx, `SELECT id FROM catalog.products WHERE id = $1`, 1).Scan(&id); err == nil {
			t.Error("a statement on a locked table worked")
		}
		cancel()
		conn.Release()
	}
	if n := pool.Stat().NewConnsCount(); n < requests {
		t.Errorf("%d connections were opened over %d cancelled requests: then the test of ours proves nothing", n, requests)
	}
}

// Case 32: the schema changes under a running pool, and no caller notices.
func TestSchemaChangeUnderLoad(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	pool := db.Pool(sql.RoleMonolith, 8)
	shop := sql.NewShop(pool)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	loop := func(call func() error) {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := call(); err != nil {
					t.Errorf("a caller noticed: %v", err)
					return
				}
			}
		})
	}
	for range 4 {
		loop(func() error { _, err := shop.Products(t.Context(), 0, 20); return err })
	}
	for range 2 {
		loop(func() error {
			cart, err := shop.CreateCart(t.Context())
			if err != nil {
				return err
			}
			if _, err := shop.AddItem(t.Context(), cart, domain.Item{ProductID: 1, Quantity: 1}); err != nil {
				return err
			}
			_, err = shop.PlaceOrder(t.Context(), cart)
			return err
		})
	}
	for i := range 10 {
		before := pool.Stats()
		kind := []string{"numeric", "bigint"}[i%2]
		db.Query(`ALTER TABLE catalog.products ALTER COLUMN price_amount TYPE ` + kind)
		await(t, "statements restarted on the changed table", func() bool {
			s := pool.Stats()
			return t.Failed() || s.Restarts > before.Restarts && s.Acquires > before.Acquires+20
		})
	}
	cancel()
	wg.Wait()
	if n := pool.Stats().Restarts; n == 0 {
		t.Error("no statement met a changed table: the test proves nothing")
	}
}

func TestAcquireObeysTheContext(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	pool := db.Pool(sql.RoleMonolith, 1)
	shop := sql.NewShop(pool)
	table := lockProducts(t, db)
	first := make(chan error)
	go func() { _, err := shop.Product(t.Context(), 1); first <- err }()
	await(t, "the connection is in use", func() bool { return pool.Stats().InUse == 1 })

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := shop.CreateCart(ctx); domain.KindOf(err) != domain.Deadline {
		t.Errorf("without a connection in time: %v, want Deadline", err)
	}
	table.release()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if s := pool.Stats(); s.CancelledAcquires != 1 || s.MaxInUse != 1 || s.InUse != 0 {
		t.Errorf("statistics %+v, want one cancelled acquire and one connection in use at most", s)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	const size, callers = 3, 6
	db := sqltest.New(t)
	pool := db.Pool(sql.RoleCatalog, size)
	catalog := sql.NewCatalog(pool)
	if s := pool.Stats(); s.Max != size || s.Total != size || s.Idle != size || s.Opened != size || s.MaxInUse != 1 {
		t.Errorf("a filled pool of %d, asked by one at a time, says %+v", size, s)
	}
	before := pool.Stats()
	table := lockProducts(t, db)
	errs := make(chan error, callers)
	for range callers {
		go func() { _, err := catalog.Product(t.Context(), 1); errs <- err }()
	}
	await(t, "all connections in use", func() bool { return pool.Stats().InUse == size })
	if s := pool.Stats(); s.Idle != 0 {
		t.Errorf("all in use, and the statistics say %+v", s)
	}
	table.release()
	for range callers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	await(t, "all connections idle", func() bool { return pool.Stats().Idle == size })
	s := pool.Stats()
	if s.MaxInUse != size || s.InUse != 0 || s.Acquires != before.Acquires+callers {
		t.Errorf("after %d calls at once the statistics say %+v", callers, s)
	}
	if s.EmptyAcquires != before.EmptyAcquires+callers-size || s.AcquireWaitMS <= before.AcquireWaitMS {
		t.Errorf("%d calls had to wait, and the statistics say %+v", callers-size, s)
	}
}

func TestReadySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, url string, conns int) *sql.Pool {
		t.Helper()
		p, err := sql.Open(t.Context(), sql.Config{URL: url, MaxConns: conns})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	// says waits until Ready's answer has want in it.
	says := func(t *testing.T, p *sql.Pool, want string) {
		t.Helper()
		var last error
		await(t, "Ready says "+want, func() bool {
			last = p.Ready(t.Context())
			return last != nil && strings.Contains(last.Error(), want)
		})
	}
	build, err := sql.SchemaVersion()
	if err != nil {
		t.Fatal(err)
	}

	t.Run("an older schema", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		p := db.Pool(sql.RoleOrders, 1)
		db.Query(`DELETE FROM goose_db_version WHERE version_id = ` + fmt.Sprint(build))
		says(t, p, fmt.Sprintf("version %d, this build needs %d: run `monolith migrate`", build-1, build))
	})
	t.Run("a later schema is none of our business", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		db.Query(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)`)
		db.Pool(sql.RoleOrders, 1)
	})
	t.Run("never migrated", func(t *testing.T) {
		t.Parallel()
		says(t, open(t, sqltest.Empty(t).URL(sql.RoleCart), 1), fmt.Sprintf("version 0, this build needs %d", build))
	})
	t.Run("a table that does not work", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		p := db.Pool(sql.RoleMonolith, 1)
		db.Query(`REVOKE SELECT ON cart.items FROM shop_monolith`)
		says(t, p, "query of schema cart")
	})
	t.Run("a role without a schema", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		p := db.Pool(sql.RoleCart, 1)
		db.Query(`REVOKE USAGE ON SCHEMA cart FROM shop_cart`)
		says(t, p, "no schema of the shop")
	})
	t.Run("the role of another service", func(t *testing.T) {
		t.Parallel()
		url := sqltest.New(t).URL(sql.RoleCatalog)
		p, err := sql.Open(t.Context(), sql.Config{URL: url, MaxConns: 1, Schemas: []string{"catalog", "cart"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		says(t, p, "may not use schema cart")
	})
	t.Run("not filled, and filled later by itself", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		db.Query(`ALTER DATABASE ` + db.Name + ` CONNECTION LIMIT 2`)
		p := open(t, db.URL(sql.RoleCatalog), 4)
		says(t, p, "2 of 4 connections are open")
		db.Query(`ALTER DATABASE ` + db.Name + ` CONNECTION LIMIT -1`)
		if err := sqltest.AwaitReady(t.Context(), p, 20*time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		const wrong = "wrong-password-7316"
		p := open(t, strings.Replace(db.URL(sql.RoleCatalog), sqltest.Passwords()[sql.RoleCatalog], wrong, 1), 1)
		says(t, p, "password authentication failed")
		if err := p.Ready(t.Context()); strings.Contains(fmt.Sprintf("%+v", err), wrong) {
			t.Errorf("the password is in the error: %v", err)
		}
		if _, err := sql.NewCatalog(p).Product(t.Context(), 1); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("a call meanwhile: %v, want Unavailable", err)
		}
	})
}

func TestOpenRefusesOnlyItsConfiguration(t *testing.T) {
	t.Parallel()
	const secret = "secret-word-5521"
	for name, c := range map[string]sql.Config{
		"no connections": {URL: "postgres://u:" + secret + "@127.0.0.1:1/d", MaxConns: 0},
		"too many":       {URL: "postgres://u:" + secret + "@127.0.0.1:1/d", MaxConns: 1<<32 + 1},
		"no port":        {URL: "postgres://u:" + secret + "@127.0.0.1:port/d", MaxConns: 1},
		"no URL at all":  {URL: "host=h password=" + secret + " sslmode=perhaps", MaxConns: 1},
	} {
		if _, err := sql.Open(t.Context(), c); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want an error without the password", name, err)
		}
	}
	if err := sql.Migrate(t.Context(), "postgres://u:"+secret+"@127.0.0.1:port/d", sql.MigrateOptions{}); err == nil ||
		strings.Contains(err.Error(), secret) {
		t.Errorf("Migrate: %v, want an error without the password", err)
	}
}

// What Postgres itself does to a statement, as the caller sees it.
func TestRealErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setUp string // of the role's new sessions
		do    func(t *testing.T, db *sqltest.DB, table *lock)
		want  domain.Kind
	}{
		{name: "statement_timeout", setUp: "SET statement_timeout = '50ms'", want: domain.Deadline},
		{name: "lock_timeout", setUp: "SET lock_timeout = '50ms'", want: domain.Unavailable},
		{name: "terminated", want: domain.Unavailable, do: func(t *testing.T, db *sqltest.DB, table *lock) {
			await(t, "the statement waits", func() bool { return len(table.waiting()) == 1 })
			db.Query(fmt.Sprintf(`SELECT pg_terminate_backend(%d)`, table.waiting()[0]))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := sqltest.New(t)
			if tt.setUp != "" {
				db.Query(`ALTER ROLE shop_catalog IN DATABASE ` + db.Name + ` ` + tt.setUp)
			}
			catalog := sql.NewCatalog(db.Pool(sql.RoleCatalog, 1))
			table := lockProducts(t, db)
			got := make(chan error, 1)
			go func() { _, err := catalog.Product(t.Context(), 1); got <- err }()
			if tt.do != nil {
				tt.do(t, db, table)
			}
			if err := <-got; !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			table.release()
			if _, err := catalog.Product(t.Context(), 1); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}
