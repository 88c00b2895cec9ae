package test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
	"splitshop/test/shopping"
)

const outage = 3 * time.Second // how long Postgres is away

// TestPostgresIsAway is case 13, for both edges at once on a server of their own: processes that start before Postgres, and
// processes that lose it, by an orderly restart and by a crash.
func TestPostgresIsAway(t *testing.T) {
	t.Parallel()
	pg := ownServer(t)
	topologies := []*topology{startOn(t, pg, runner.Mono, nil), startOn(t, pg, runner.Micro, nil)}
	for _, p := range topologies {
		for _, part := range p.processes() {
			must(t, part.Terminate(t.Context()))
		}
	}
	must(t, pg.Halt(t.Context()))
	for _, p := range topologies {
		for _, part := range slices.Backward(p.processes()) {
			must(t, part.Launch(t.Context()))
		}
	}
	shopping.Throughout(outage, func() {
		for _, p := range topologies {
			waitsForPostgres(t, p)
		}
	})
	must(t, pg.Resume(t.Context()))
	for _, p := range topologies {
		isWell(t, p)
	}
	for _, tt := range []struct {
		name string
		stop func() error
	}{
		{"shut down", func() error { return pg.Halt(t.Context()) }},
		{"killed", pg.Kill},
	} {
		t.Run("Postgres is "+tt.name, func(t *testing.T) { losesPostgres(t, pg, tt.stop, topologies) })
	}
}

// waitsForPostgres checks one moment of a topology that started before Postgres: alive, not ready, and saying so.
func waitsForPostgres(t *testing.T, p *topology) {
	t.Helper()
	for _, part := range p.processes() {
		must(t, p.alive(t.Context(), part))
		must(t, p.notReady(t.Context(), part))
	}
	for _, r := range []shopping.Request{
		{Method: http.MethodGet, Path: "/products"},
		{Method: http.MethodPost, Path: "/carts"},
		{Method: http.MethodGet, Path: "/orders/00000000-0000-4000-8000-000000000000"},
	} {
		if err := p.Send(t.Context(), r).Want(http.StatusServiceUnavailable); err != nil {
			t.Errorf("%s %s of %s: %v", r.Method, r.Path, p.Design(), err)
		}
	}
}

// isWell waits until every process is ready, and uses the shop.
func isWell(t *testing.T, p *topology) {
	t.Helper()
	for _, part := range p.processes() {
		shopping.Eventually(t, recovery, part.Name+" is ready", func() error { return p.ready(t.Context(), part) })
	}
	must(t, p.ShopOnce(p.Goods(t)))
}

func losesPostgres(t *testing.T, pg *pgserver.Server, stop func() error, topologies []*topology) {
	defer watchLiveness(t, topologies)()
	var streams []*shopping.Traffic
	for _, p := range topologies {
		tr := p.StartTraffic(50, p.Goods(t), shopping.Page, shopping.NewCart, shopping.ViewCart,
			shopping.Addition, shopping.Setting, shopping.ViewOrder)
		defer tr.Stop()
		streams = append(streams, tr)
		shopping.Eventually(t, recovery, "traffic flows", func() error { return shopping.Succeeded(tr.SoFar(), 10) })
	}
	begun := time.Now()
	must(t, stop())
	for _, p := range topologies {
		for _, part := range p.processes() {
			shopping.Eventually(t, recovery, part.Name+" is not ready", func() error { return p.notReady(t.Context(), part) })
		}
	}
	shopping.Throughout(outage-time.Since(begun), func() {
		for _, p := range topologies {
			must(t, p.notReady(t.Context(), p.edge()))
		}
	})
	must(t, pg.Resume(t.Context()))
	for i, p := range topologies {
		for _, part := range p.processes() {
			shopping.Eventually(t, recovery, part.Name+" is ready again", func() error { return p.ready(t.Context(), part) })
		}
		well := time.Now()
		before := len(streams[i].SoFar())
		shopping.Eventually(t, recovery, "traffic flows again", func() error { return shopping.Succeeded(streams[i].SoFar()[before:], 50) })
		onlyDuringOutage(t, p.Design(), streams[i].End(), begun, well)
	}
}

// onlyDuringOutage checks that requests failed, by the documented kinds, and none that was sent before or after.
func onlyDuringOutage(t *testing.T, design string, results []shopping.Result, begun, well time.Time) {
	t.Helper()
	kinds := map[int]int{}
	for _, r := range shopping.Failures(results) {
		kinds[r.Status]++
		documented := r.Status == http.StatusBadGateway || r.Status == http.StatusServiceUnavailable || r.Status == http.StatusGatewayTimeout
		if r.Err != nil || !documented || r.WellFormed() != nil {
			t.Errorf("%s of %s, %v after Postgres went: %v", r.Route, design, r.Sent.Sub(begun), r.Answer)
		}
		if r.Sent.After(well) || r.Done.Before(begun) {
			t.Errorf("%s of %s failed %v after Postgres went, when all was well: %v", r.Route, design, r.Sent.Sub(begun), r.Answer)
		}
	}
	if len(kinds) == 0 {
		t.Errorf("%s: nothing failed: this test shows nothing", design)
	}
	t.Logf("%s: of %d requests failed, by status: %v; well %v after Postgres went", design, len(results), kinds, well.Sub(begun))
}

// watchLiveness asks every process all the time whether it is alive, until it is told to stop.
func watchLiveness(t *testing.T, topologies []*topology) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, p := range topologies {
		for _, part := range p.processes() {
			wg.Go(func() {
				for ctx.Err() == nil {
					if err := p.alive(ctx, part); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					time.Sleep(50 * time.Millisecond) // it paces the probe
				}
			})
		}
	}
	return func() { cancel(); wg.Wait() }
}

// TestMigrationsAtOnce is case 16: five processes migrate a new database of a new server at the same time.
func TestMigrationsAtOnce(t *testing.T) {
	t.Parallel()
	const processes = 5
	w, pg := theWorld(t), ownServer(t)
	_, err := pg.Query(t.Context(), "postgres", "CREATE DATABASE shop")
	must(t, err)
	logs := make([]string, processes)
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() { logs[i], errs[i] = w.migrate(pg, "shop") })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("process %d: %v\n%s", i, err, logs[i])
		}
	}
	rows := func(query string) string {
		rows, err := pg.Query(t.Context(), "shop", query)
		must(t, err)
		return fmt.Sprint(rows)
	}
	for _, tt := range []struct{ name, query, want string }{
		{"each version once", "SELECT version_id, count(*) FROM goose_db_version WHERE version_id > 0 GROUP BY 1 ORDER BY 1", "[[1 1] [2 1] [3 1]]"},
		{"the catalogue", "SELECT count(*), min(id), max(id), count(DISTINCT name) > 1 FROM catalog.products", "[[50 1 50 t]]"},
		{"the next product's id", "SELECT nextval(pg_get_serial_sequence('catalog.products', 'id'))", "[[51]]"},
		{"the roles", "SELECT rolname FROM pg_roles WHERE rolname LIKE 'shop%' ORDER BY 1",
			"[[shop_cart] [shop_catalog] [shop_monolith] [shop_orders]]"},
	} {
		if got := rows(tt.query); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if applied := saidBy(logs, "migration applied"); len(applied) != 3 {
		t.Errorf("migrations were applied %d times: %q", len(applied), applied)
	}
}
