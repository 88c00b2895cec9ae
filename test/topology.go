package test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
	"splitshop/sql"
	"splitshop/sql/sqltest"
	"splitshop/test/shopping"
)

// topology is a running design of the shop.
type topology struct {
	*runner.Running
	shopping.Shop
}

// start starts a design on the shared server; env is added to every process's environment. It is stopped when the test
// ends, and all its processes must end well.
func start(t *testing.T, design string, env map[string]string) *topology {
	t.Helper()
	return startOn(t, theWorld(t).pg, design, env)
}

func startOn(t *testing.T, pg *pgserver.Server, design string, env map[string]string) *topology {
	t.Helper()
	w := theWorld(t)
	all := map[string]string{"GORACE": "atexit_sleep_ms=20"} // a process built with the race detector would take a second to end
	maps.Copy(all, env)
	r, err := runner.Start(t.Context(), runner.Options{
		Design: design, BinDir: w.bin(), Products: products, LogDir: w.logFolder(design), Env: all, Postgres: pg,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &topology{r, shopping.Shop{Base: r.URL(), HTTP: shopping.HTTP(t)}}
}

// edge is the process that serves the public API.
func (p *topology) edge() *runner.Part { return p.Parts()[0] }

// processes are the parts that are processes of the shop, the edge first.
func (p *topology) processes() []*runner.Part {
	parts := p.Parts()
	return parts[:len(parts)-1] // the last is Postgres
}

// admin changes the catalogue behind the shop's back.
func (p *topology) admin(t *testing.T) *sql.Catalog {
	t.Helper()
	password := runner.Passwords(p.Postgres())[sql.RoleCatalog]
	pool, err := sql.Open(t.Context(), sql.Config{URL: p.Postgres().URL(p.Database(), sql.RoleCatalog, password), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if err := sqltest.AwaitReady(t.Context(), pool, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	return sql.NewCatalog(pool)
}

// pools returns what the processes say of their pools, by process and pool.
func (p *topology) pools(t *testing.T) map[string]sql.PoolStats {
	t.Helper()
	pages, err := p.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pools := make(map[string]sql.PoolStats)
	for part, text := range pages {
		var page struct{ Stats map[string]sql.PoolStats }
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatalf("statistics of %s: %v: %s", part, err, text)
		}
		for name, stats := range page.Stats {
			pools[part+" "+name] = stats
		}
	}
	return pools
}
