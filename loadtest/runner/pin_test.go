// The tests read /proc and choose cores.
//go:build linux

package runner_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"splitshop/loadtest/runner"
)

func plan(t *testing.T) runner.Cores {
	t.Helper()
	cores, err := runner.PlanHere()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.NumCPU() < 2 {
		t.Fatal("pinning cannot be told from its absence on one core")
	}
	return cores
}

func TestPins(t *testing.T) {
	t.Parallel()
	o := options(t, runner.Micro)
	o.Postgres, o.Cores = nil, plan(t) // a server of its own, pinned as well
	r := startForTest(t, o)
	if err := products(r); err != nil {
		t.Fatal(err)
	}
	if err := r.CheckPins(); err != nil {
		t.Error(err)
	}
	for _, p := range r.Parts() {
		want := o.Cores.App
		if p.Name == "postgres" {
			want = o.Cores.Postgres
		}
		if got, err := p.CoresNow(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s runs on %v, %v, want %v", p.Name, got, err, want)
		}
	}
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"gomaxprocs":%d,`, max(len(o.Cores.App), 1))
	if s := string(stats["gateway"]); !strings.Contains(s, want) {
		t.Errorf("the gateway did not start on its cores: %s, want %s", s, want)
	}

	// A pin that is lost on one thread of many is seen.
	tid := lastThread(t, pids(t, r.Part("orders"))[0])
	var elsewhere unix.CPUSet
	elsewhere.Set(o.Cores.Generator[0])
	if err := unix.SchedSetaffinity(tid, &elsewhere); err != nil {
		t.Fatal(err)
	}
	err = r.CheckPins()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("orders: thread %d of process", tid)) || strings.Contains(err.Error(), "cart:") {
		t.Errorf("one thread of orders runs elsewhere, and CheckPins says %v", err)
	}
}

func lastThread(t *testing.T, pid int) (tid int) {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || len(entries) < 2 {
		t.Fatalf("threads %v, %v", entries, err)
	}
	if _, err := fmt.Sscan(entries[len(entries)-1].Name(), &tid); err != nil {
		t.Fatal(err)
	}
	return tid
}

// TestPinsMissed is a plan that nobody carried out: the shared server was started without cores.
func TestPinsMissed(t *testing.T) {
	t.Parallel()
	o := options(t, runner.Mono)
	o.Cores.Postgres = plan(t).Postgres
	r := startForTest(t, o)
	if err := r.CheckPins(); err == nil || !strings.Contains(err.Error(), "postgres: thread") {
		t.Errorf("CheckPins says %v", err)
	}
}

// pinAndMakeThreads pins this process, which has threads, and makes more.
func pinAndMakeThreads() error {
	makeThreads(8)
	cores, err := runner.PlanHere()
	if err != nil {
		return err
	}
	if err := runner.PinSelf(cores.Generator); err != nil {
		return err
	}
	makeThreads(16)
	if n := runtime.GOMAXPROCS(0); n != len(cores.Generator) {
		return fmt.Errorf("GOMAXPROCS is %d on cores %v", n, cores.Generator)
	}
	return runner.CheckSelf(cores.Generator)
}

// makeThreads keeps n threads busy in the kernel at once, so that the runtime needs as many.
func makeThreads(n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			nap := unix.NsecToTimespec(int64(20 * time.Millisecond))
			unix.Nanosleep(&nap, nil)
		})
	}
	wg.Wait()
}

func TestPinSelf(t *testing.T) {
	t.Parallel()
	plan(t)
	if out, err := childCommand(t, "pin").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := runner.CheckSelf([]int{0}); err == nil {
		t.Error("this process is not pinned, and CheckSelf finds that it is")
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	r := startForTest(t, options(t, runner.Mono))
	before, err := r.Sample()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "CPU used by a served monolith", func() bool {
		if err := products(r); err != nil {
			t.Fatal(err)
		}
		now, err := r.Sample()
		if err != nil {
			t.Fatal(err)
		}
		return now.Parts[0].CPU > before.Parts[0].CPU
	})
	// The backend that worked here has ended when the second sample is taken.
	_, err = r.Postgres().Query(context.Background(), r.Database(), "SELECT count(*) FROM generate_series(1, 3000000) n")
	if err != nil {
		t.Fatal(err)
	}
	after, err := r.Sample()
	if err != nil {
		t.Fatal(err)
	}
	u := runner.Between(before, after, runner.SoftIRQUnknown)
	for i, name := range []string{"monolith", "postgres", "generator"} {
		a, b := before.Parts[i], after.Parts[i]
		if a.Name != name || b.Name != name {
			t.Fatalf("part %d is %s, want %s", i, b.Name, name)
		}
		if b.RSS < 1<<20 || b.Threads < 1 || b.Processes < 1 || b.RunQueueWait == nil {
			t.Errorf("%s: %+v", name, b)
		}
		if u.Parts[i].CPU == nil || *u.Parts[i].CPU <= 0 || *u.Parts[i].Cores > float64(runtime.NumCPU()) {
			t.Errorf("%s used %v", name, u.Parts[i].CPU)
		}
	}
	if used := *u.Parts[1].CPU; used < 50*time.Millisecond {
		t.Errorf("Postgres used %v: that of the ended backend is missing", used)
	}
	if len(u.Cores) < 2 || u.Background < 0 || u.Background > float64(len(u.Cores)) {
		t.Errorf("the machine: %+v", u)
	}
	if err := r.Part("postgres").Kill(); err == nil {
		t.Error("killed the Postgres server of everybody")
	}
	pss := r.PSS()
	if m, p := pss["monolith"], pss["postgres"]; m < 1<<20 || p < 1<<20 || p > after.Parts[1].RSS {
		t.Errorf("memory %v, want no more of Postgres's than its RSS %d, which counts shared memory several times", pss, after.Parts[1].RSS)
	}
}

func TestAttach(t *testing.T) {
	t.Parallel()
	r := runner.Attach("http://127.0.0.1:1")
	s, err := r.Sample()
	if err != nil || len(s.Parts) != 1 || s.Parts[0].Name != "generator" {
		t.Errorf("parts %+v, %v, want the generator alone", s.Parts, err)
	}
	for name, err := range map[string]error{"alive": r.Alive(), "pins": r.CheckPins(), "stop": r.Stop(t.Context())} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(r.Parts()) != 0 || r.URL() != "http://127.0.0.1:1" {
		t.Errorf("%v %s", r.Parts(), r.URL())
	}
}
