// The tests read /proc and choose cores.
//go:build linux

package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
)

func TestDesigns(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, parts, pools string }{
		{runner.Mono, "monolith postgres", "monolith:pool"},
		{runner.Modular, "monolith postgres", "monolith:pool"},
		{runner.ModularPools, "monolith postgres", "monolith:pool.cart monolith:pool.catalog monolith:pool.orders"},
		{runner.MicroUnix, "gateway orders cart catalog postgres", "cart:pool catalog:pool orders:pool"},
		{runner.Micro, "gateway orders cart catalog postgres", "cart:pool catalog:pool orders:pool"},
	}
	if len(tests) != len(runner.Designs()) {
		t.Errorf("%d of %d designs are tested", len(tests), len(runner.Designs()))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options(t, tt.name))
			if err := products(r); err != nil {
				t.Error(err)
			}
			var names []string
			for _, p := range r.Parts() {
				names = append(names, p.Name)
			}
			if got := strings.Join(names, " "); got != tt.parts {
				t.Errorf("parts %q, want %q", got, tt.parts)
			}
			if got := pools(t, r); got != tt.pools {
				t.Errorf("pools %q, want %q", got, tt.pools)
			}
			ofDesign := pids(t, r.Parts()[:len(names)-1]...)
			if err := r.Alive(); err != nil {
				t.Error(err)
			}
			stopLeavesNothing(t, r, ofDesign)
		})
	}
}

// pools lists the pools that the processes show, as part:pool.
func pools(t *testing.T, r *runner.Running) string {
	t.Helper()
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for part, text := range stats {
		var page struct{ Stats map[string]any }
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		for name := range page.Stats {
			if strings.HasPrefix(name, "pool") {
				names = append(names, part+":"+name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func stopLeavesNothing(t *testing.T, r *runner.Running, pids []int) {
	t.Helper()
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	rows, err := r.Postgres().Query(t.Context(), "postgres", "SELECT 1 FROM pg_database WHERE datname = '"+r.Database()+"'")
	if err != nil || len(rows) != 0 {
		t.Errorf("the database is still there: %v, %v", rows, err)
	}
}

func TestStopsTheEdgeFirst(t *testing.T) {
	t.Parallel()
	o := options(t, runner.Micro)
	r := start(t, o)
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var when []time.Time
	for _, name := range []string{"gateway", "orders", "cart", "catalog"} {
		when = append(when, timeOf(t, filepath.Join(o.LogDir, name+".log"), "draining"))
	}
	if !slices.IsSortedFunc(when, time.Time.Compare) {
		t.Errorf("drained at %v, want the gateway first and the catalog last", when)
	}
}

func timeOf(t *testing.T, log, msg string) time.Time {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Time time.Time
			Msg  string
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == msg {
			return entry.Time
		}
	}
	t.Fatalf("no %q in %s:\n%s", msg, log, text)
	return time.Time{}
}

func TestPartKilledFromOutside(t *testing.T) {
	t.Parallel()
	r := start(t, options(t, runner.MicroUnix))
	cart := r.Part("cart")
	pid := pids(t, cart)[0]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the killed part is noticed", func() bool { return r.Alive() != nil })
	if err := r.Alive(); !strings.Contains(err.Error(), "cart: it ended by itself: signal: killed") {
		t.Errorf("Alive says %v", err)
	}
	s, err := r.Sample()
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(s.Parts, func(p runner.PartSample) bool { return p.Name == "cart" }); s.Parts[i].PID != 0 {
		t.Errorf("the sample has counters of the dead: %+v", s.Parts[i])
	}
	if err := r.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "cart: it ended by itself") {
		t.Errorf("Stop says %v", err)
	}
}

func TestPostgresKilledFromOutside(t *testing.T) {
	t.Parallel()
	o := options(t, runner.Mono)
	o.Postgres = nil // one of its own
	r := startForTest(t, o)
	if err := r.Alive(); err != nil {
		t.Fatal(err)
	}
	if err := r.Postgres().Kill(); err != nil { // as an experiment does
		t.Fatal(err)
	}
	if err := r.Alive(); err != nil {
		t.Errorf("Alive says %v of a server whose end was asked for", err)
	}
	if err := r.Postgres().Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Postgres().PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the killed server is noticed", func() bool { return r.Alive() != nil })
	if err := r.Alive(); !strings.Contains(err.Error(), "postgres: it ended by itself") {
		t.Errorf("Alive says %v", err)
	}
}

func TestPartStoppedAndStartedAgain(t *testing.T) {
	t.Parallel()
	r := startForTest(t, options(t, runner.Micro))
	catalog := r.Part("catalog")
	addr, before := catalog.Addr, pids(t, catalog)[0]
	stops := []func() error{
		catalog.Kill,
		func() error { return catalog.Terminate(t.Context()) },
		func() error { return errors.Join(catalog.Signal(syscall.SIGTERM), catalog.Wait(t.Context())) },
	}
	for _, stop := range stops {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if err := r.Alive(); err != nil {
			t.Errorf("it was wanted, and is reported: %v", err)
		}
		if err := catalog.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if catalog.Addr != addr || pids(t, catalog)[0] == before {
			t.Errorf("now process %v at %s, before %d at %s", pids(t, catalog), catalog.Addr, before, addr)
		}
		eventually(t, "the gateway finds it again", func() bool { return products(r) == nil })
	}
	if err := catalog.Start(t.Context()); err == nil {
		t.Error("started twice")
	}
}

func TestPartThatDoesNotStop(t *testing.T) {
	t.Parallel()
	r := start(t, options(t, runner.Mono))
	monolith := r.Part("monolith")
	pid := pids(t, monolith)[0]
	if err := monolith.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := r.Stop(ctx); err == nil || !strings.Contains(err.Error(), "monolith: it did not stop in time and was killed") {
		t.Errorf("Stop says %v", err)
	}
	if !gone(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// TestStartFails does not run beside others, so that what is left behind is its own.
func TestStartFails(t *testing.T) {
	w := sharedWorld(t)
	tests := []struct {
		name   string
		change func(*runner.Options)
		says   string
		until  string // the monolith's log says this: then patience ends
	}{
		{"no such design", func(o *runner.Options) { o.Design = "nano" }, `no design "nano", only mono, modular,`, ""},
		{"no binaries", func(o *runner.Options) { o.BinDir = "/nowhere" }, "/nowhere/", ""},
		{"a part that ends at once", func(o *runner.Options) { o.Env = map[string]string{"SHOP_DRAIN": "1h"} }, "catalog: it did not say where", ""},
		{"a part that is never ready", func(o *runner.Options) {
			o.Design = runner.Mono
			o.Env = map[string]string{"SHOP_DB": w.pg.URL("postgres", "nobody", "wrong")}
		}, `"msg":"not ready yet"`, "not ready yet"},
		{"a core that is not there", func(o *runner.Options) { o.Cores.App = []int{1000} }, "cores [1000]", ""},
	}
	before := leftovers(t, w)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, runner.Micro)
			tt.change(&o)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.until != "" {
				go cancelWhen(ctx, cancel, filepath.Join(o.LogDir, "monolith.log"), tt.until)
			}
			r, err := runner.Start(ctx, o)
			if err == nil {
				t.Fatal("started", r.Stop(t.Context()))
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v\nand should say %s", err, tt.says)
			}
			if after := leftovers(t, w); len(after) > len(before)+1 { // the template may be new
				t.Errorf("before %v\nafter %v", before, after)
			}
		})
	}
}

// cancelWhen cancels as soon as a log says something.
func cancelWhen(ctx context.Context, cancel func(), log, says string) {
	for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(log); err == nil && strings.Contains(string(text), says) {
			cancel()
		}
	}
}

// leftovers lists databases, run directories and processes of the shared binaries.
func leftovers(t *testing.T, w world) (all []string) {
	t.Helper()
	rows, err := w.pg.Query(t.Context(), "postgres", "SELECT datname FROM pg_database")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		all = append(all, row[0])
	}
	dirs, err := filepath.Glob(filepath.Join(w.pg.Dir(), "run-*"))
	if err != nil {
		t.Fatal(err)
	}
	exes, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range exes {
		if exe, err := os.Readlink(link); err == nil && strings.HasPrefix(exe, w.bin+"/") {
			dirs = append(dirs, exe)
		}
	}
	return append(all, dirs...)
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	o := options(t, runner.Micro)
	start(t, o).Stop(t.Context())
	logs, err := filepath.Glob(filepath.Join(o.LogDir, "*.log"))
	if err != nil || len(logs) != 4 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	_, password, _ := strings.Cut(strings.TrimPrefix(o.Postgres.SuperuserURL(""), "postgres://"), ":")
	password, _, _ = strings.Cut(password, "@")
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(text); strings.Contains(s, password) || (strings.Contains(s, "postgres://") && !strings.Contains(s, ":xxxxx@")) {
			t.Errorf("%s:\n%s", log, s)
		}
	}
}

// startAndHang is a lab that somebody kills: it says which processes it has and waits for that.
func startAndHang(bin string) error {
	r, err := runner.Start(context.Background(), runner.Options{Design: runner.MicroUnix, BinDir: bin, Products: 50})
	if err != nil {
		return err
	}
	fmt.Println(r.Postgres().Dir())
	for _, p := range r.Parts() {
		pids, err := p.PIDs()
		if err != nil {
			return err
		}
		for _, pid := range pids {
			fmt.Println(pid)
		}
	}
	fmt.Println("end")
	select {}
}

func TestLabKilled(t *testing.T) {
	t.Parallel()
	cmd := childCommand(t, "lab", "RUNNER_TEST_BIN="+sharedWorld(t).bin)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := readUntil(t, out, "end")
	cmd.Process.Kill()
	cmd.Wait()
	if len(lines) < 10 { // the directory, four processes, the postmaster and some of its children
		t.Fatalf("the lab has only %q", lines)
	}
	for _, line := range lines[1:] {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end of process "+line, func() bool { return gone(pid) })
	}
	if err := pgserver.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of "+lines[0], func() bool { // another program may be sweeping it at this moment
		_, err := os.Stat(lines[0])
		return os.IsNotExist(err)
	})
}
