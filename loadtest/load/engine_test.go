package load

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bubble is a virtual clock: inside synctest.Test time passes only while everybody waits.
type bubble struct {
	origin time.Time
	late   func(time.Duration) time.Duration // how late the pacer wakes for an instant; nil: never
}

func (b bubble) Now() time.Duration { return time.Since(b.origin) }
func (b bubble) SleepUntil(t time.Duration) {
	if b.late != nil {
		t += b.late(t)
	}
	time.Sleep(t - b.Now())
}
func (bubble) Claim() (string, func()) { return "virtual", func() {} }

// server is a Transport to something that takes its time; it gives up after the client timeout, as a Transport must.
type server func(ctx context.Context, req *Request) (status int, takes time.Duration)

func (s server) Exchanger() Exchanger { return s }

func (s server) Exchange(ctx context.Context, req *Request, resp *Response) error {
	resp.Status = 0
	status, takes := s(ctx, req)
	ctx, cancel := context.WithTimeout(ctx, DefaultTimeout)
	defer cancel()
	select {
	case <-time.After(takes):
		resp.Status = status
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// oneRequest is the workload whose iteration is one request.
type oneRequest struct{}

func (oneRequest) Run(s *Session, _ Iteration) bool {
	s.Send(&Request{Route: "GET /", Method: "GET", Path: "/"})
	return true
}

func config(s server) Config {
	return Config{Workload: oneRequest{}, Transport: s, Clock: bubble{origin: time.Now()}, Users: DefaultUsers,
		Timeout: DefaultTimeout, Drain: DefaultDrain, LateLimit: DefaultLateLimit}
}

func planOf(arrivals Arrivals, steps ...Step) Plan {
	return Plan{Mix: Mix{Name: "one", Weights: []int{DeckSize}}, Arrivals: arrivals, Steps: steps, Seed: 1}
}

// open runs a plan and checks what holds for every record.
func open(t *testing.T, ctx context.Context, cfg Config, plan Plan) Record {
	t.Helper()
	rec, err := Open(ctx, cfg, plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range rec.Steps {
		failed := int64(0)
		for _, f := range s.Failures {
			failed += f.Count
		}
		switch {
		case s.Offered != s.Started+s.Dropped.Total():
			t.Errorf("step %d: offered %d, started %d, dropped %d", i, s.Offered, s.Started, s.Dropped.Total())
		case s.Started != s.Finished:
			t.Errorf("step %d: started %d, finished %d", i, s.Started, s.Finished)
		case s.Requests != s.RequestsSucceeded+failed:
			t.Errorf("step %d: %d requests, %d good, %d failed", i, s.Requests, s.RequestsSucceeded, failed)
		case s.Requests != s.FromDue.Count || s.Requests != s.FromSend.Count:
			t.Errorf("step %d: %d requests, %d and %d latencies", i, s.Requests, s.FromDue.Count, s.FromSend.Count)
		}
		for _, l := range []Latency{s.FromDue, s.FromSend, s.SuccessesFromDue, s.Lag} {
			if !ordered(l) {
				t.Errorf("step %d: percentiles out of order: %+v", i, l)
			}
		}
	}
	return rec
}

// about says whether microseconds are within 0.2 % of a time, which is more than a histogram's three digits.
func about(us int64, want time.Duration) bool {
	return (time.Duration(us)*time.Microsecond - want).Abs() <= want/500+time.Microsecond
}

func TestFrozenServer(t *testing.T) {
	t.Parallel()
	// 10 ms a request, frozen from second 5 to 15 of 20, at 100/s: half the requests wait 0 to 10 s for its end.
	frozen := func(origin time.Time) server {
		return func(context.Context, *Request) (int, time.Duration) {
			if at := time.Since(origin) - lead; at >= 5*time.Second && at < 15*time.Second {
				return 200, 15*time.Second - at
			}
			return 200, 10 * time.Millisecond
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.Context(), config(frozen(time.Now())), planOf(Uniform, Step{100, 20 * time.Second})).Steps[0]
		if l := s.FromDue; !about(l.P50, 10*time.Millisecond) || !about(l.P75, 5*time.Second) || !about(l.P99, 9800*time.Millisecond) ||
			!about(l.Max, 10*time.Second) {
			t.Errorf("%+v", l)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the negative control: a closed loop hardly notices the same freeze
		cfg := config(frozen(time.Now()))
		cfg.Users = 1
		rec, err := Closed(t.Context(), cfg, planOf(Uniform).Mix, 1, 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if l := rec.Steps[0].FromSend; !about(l.P99, 10*time.Millisecond) || rec.Steps[0].FromDue.Count != 0 {
			t.Errorf("closed loop: %+v", l)
		}
	})
}

type times []time.Duration

func (h times) Len() int           { return len(h) }
func (h times) Less(i, j int) bool { return h[i] < h[j] }
func (h times) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *times) Push(x any)        { *h = append(*h, x.(time.Duration)) }
func (h *times) Pop() any          { x := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return x }

// simulateDrops is the same question answered by an event simulation that shares nothing with the engine.
func simulateDrops(plan Plan, users int, delay time.Duration) (dropped int64) {
	var busyUntil times
	for _, a := range arrivalsOf(plan) {
		for len(busyUntil) > 0 && busyUntil[0] <= a.Due {
			heap.Pop(&busyUntil)
		}
		if len(busyUntil) == users {
			dropped++
			continue
		}
		heap.Push(&busyUntil, a.Due+delay)
	}
	return dropped
}

func TestDropsAreThoseOfASimulation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		arrivals Arrivals
		rate     float64
		users    int
		delay    time.Duration
	}{
		{"overloaded four times", Uniform, 100, 12, 481 * time.Millisecond},
		{"poisson", Poisson, 100, 12, 97 * time.Millisecond},
		{"poisson, just enough on average", Poisson, 100, 10, 100 * time.Millisecond},
		{"one user", Poisson, 50, 1, 13 * time.Millisecond},
		{"plenty of users", Poisson, 100, 500, 100 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				plan := planOf(test.arrivals, Step{test.rate, 10 * time.Second})
				cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, test.delay })
				cfg.Users = test.users
				s := open(t, t.Context(), cfg, plan).Steps[0]
				want := simulateDrops(plan, test.users, test.delay)
				if diff := cmp.Diff(Dropped{UsersBusy: want}, s.Dropped); diff != "" {
					t.Errorf("of %d arrivals: %s", s.Offered, diff)
				}
			})
		})
	}
}

func TestFailuresNeverLookQuick(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                    string
		every                   int64 // so many-th request fails
		status                  int
		takes                   time.Duration
		reason                  Reason
		wantFailed, wantAnswers int64
	}{
		{"30 percent instant errors", 3, 500, time.Millisecond, "status 500", 333, 1000},
		{"every request times out", 1, 200, time.Hour, Timeout, 1000, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				cfg := config(func(context.Context, *Request) (int, time.Duration) {
					if n.Add(1)%test.every == 0 {
						return test.status, test.takes
					}
					return 200, time.Millisecond
				})
				cfg.Drain = time.Minute
				s := open(t, t.Context(), cfg, planOf(Uniform, Step{100, 10 * time.Second})).Steps[0]
				if diff := cmp.Diff([]Failure{{"GET /", test.reason, test.wantFailed}}, s.Failures); diff != "" {
					t.Error(diff)
				}
				if s.Completed != test.wantAnswers || !about(s.FromDue.P90, DefaultTimeout) || !about(s.FromSend.P90, DefaultTimeout) {
					t.Errorf("answered %d, %+v", s.Completed, s.FromDue)
				}
				if good := s.SuccessesFromDue; good.Count != 1000-test.wantFailed || good.Max > 1000 {
					t.Errorf("successes alone: %+v", good)
				}
			})
		})
	}
}

// Whatever latencies a server has: when some requests fail, and quickly, no percentile gets better.
func TestAFailureNeverImprovesAPercentile(t *testing.T) {
	t.Parallel()
	for seed := range uint32(20) {
		var without, with Latency
		for _, failing := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				r := NewRandom(seed)
				cfg := config(func(context.Context, *Request) (int, time.Duration) {
					mu.Lock()
					defer mu.Unlock()
					takes, fails := time.Duration(r.Below(100_000))*time.Microsecond, r.Below(10) == 0
					if failing && fails {
						return 503, takes / 100
					}
					return 200, takes
				})
				s := open(t, t.Context(), cfg, planOf(Uniform, Step{50, 10 * time.Second})).Steps[0]
				without, with = with, s.FromDue // the second time the first is what was without
			})
		}
		if with.P50 < without.P50 || with.P90 < without.P90 || with.P95 < without.P95 || with.P99 < without.P99 || with.P999 < without.P999 {
			t.Errorf("seed %d: without failures %+v, with %+v", seed, without, with)
		}
	}
}

func TestARequestBelongsToTheStepOfItsArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, 1490 * time.Millisecond })
		var boundaries []int
		cfg.Boundary = func(step int) { boundaries = append(boundaries, step) }
		rec := open(t, t.Context(), cfg, planOf(Uniform, Step{10, time.Second}, Step{20, time.Second}, Step{10, time.Second}))
		type row struct{ Offered, Finished, Within, Start, End int64 }
		var got []row
		for _, s := range rec.Steps {
			got = append(got, row{s.Offered, s.Finished, s.FinishedWithin, s.InFlightStart, s.InFlightEnd})
		}
		// Each ends 1.49 s after it was due: of the first step's, six within the second.
		want := []row{{10, 10, 0, 0, 10}, {20, 20, 6, 10, 24}, {10, 10, 15, 24, 19}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]int{0, 1, 2, 3}, boundaries); diff != "" {
			t.Error("boundaries:", diff)
		}
		if rec.Drained < 1300*time.Millisecond || rec.Drained > 1490*time.Millisecond || rec.Interrupted {
			t.Errorf("drained %v, interrupted %v", rec.Drained, rec.Interrupted)
		}
	})
}

func TestWhatIsUnfinishedAfterDrainingFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, 6500 * time.Millisecond })
		rec := open(t, t.Context(), cfg, planOf(Uniform, Step{10, 3 * time.Second}))
		// Those of the first 1.5 s are done by the end of the draining, 8 s after the start.
		if diff := cmp.Diff([]Failure{{"GET /", Unfinished, 14}}, rec.Steps[0].Failures); diff != "" {
			t.Error(diff)
		}
		if rec.Drained != DefaultDrain {
			t.Errorf("drained %v", rec.Drained)
		}
	})
}

// TestGeneratorsShareAPlan has two generators offer one plan to one server, which sees at each instant one of them.
func TestGeneratorsShareAPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []time.Duration
		origin := time.Now()
		cfg := config(func(context.Context, *Request) (int, time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, time.Since(origin))
			return 200, time.Millisecond
		})
		var generators sync.WaitGroup
		for part, want := range []int64{51, 50} { // of 101
			plan := planOf(Uniform, Step{101, time.Second})
			plan.Share = Share{part, 2}
			generators.Go(func() {
				rec := open(t, t.Context(), cfg, plan)
				if s := rec.Steps[0]; s.Offered != want || s.Succeeded != want || s.Step.Rate != 50.5 {
					t.Errorf("part %d offered %d at %g/s, %d succeeded, want %d", part, s.Offered, s.Step.Rate, s.Succeeded, want)
				}
			})
		}
		generators.Wait()
		slices.Sort(seen)
		for i := range seen[1:] {
			if gap := seen[i+1] - seen[i]; (gap - time.Second/101).Abs() > time.Microsecond {
				t.Errorf("arrival %d came %v after the one before", i+1, gap)
			}
		}
	})
}

func TestLateGeneratorDrops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, time.Millisecond })
		asleep := lead + 500*time.Millisecond // the pacer sleeps through 100 ms from here
		cfg.Clock = bubble{origin: time.Now(), late: func(until time.Duration) time.Duration {
			if until >= asleep && until < asleep+time.Millisecond {
				return 100 * time.Millisecond
			}
			return 0
		}}
		s := open(t, t.Context(), cfg, planOf(Uniform, Step{100, time.Second})).Steps[0]
		// Due at 500, 510, ... 580 ms, each more than 10 ms before 600; that of 590 is just in time.
		if diff := cmp.Diff(Dropped{Generator: 9}, s.Dropped); diff != "" {
			t.Error(diff)
		}
		if !about(s.PacerLag.Max, 100*time.Millisecond) || !about(s.Lag.Max, 10*time.Millisecond) {
			t.Errorf("lag: pacer %+v, sent %+v", s.PacerLag, s.Lag)
		}
	})
}

func TestACancelledRunIsPartialAndValid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(lead+2550*time.Millisecond, cancel)
		cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, time.Second })
		var boundaries []int
		cfg.Boundary = func(step int) { boundaries = append(boundaries, step) }
		rec := open(t, ctx, cfg, planOf(Uniform, Step{100, 2 * time.Second}, Step{100, 2 * time.Second}, Step{100, 2 * time.Second}))
		if len(rec.Steps) != 2 || rec.Steps[0].Cut || !rec.Steps[1].Cut || !rec.Interrupted {
			t.Fatalf("%+v", rec)
		}
		s := rec.Steps[1]
		if s.Offered < 50 || s.Offered > 60 || s.Seconds < 0.5 || s.Seconds > 0.7 || len(s.Failures) > 0 {
			t.Errorf("the cut step: %+v", s) // what was begun was finished
		}
		if diff := cmp.Diff([]int{0, 1, 2}, boundaries); diff != "" {
			t.Error("boundaries:", diff)
		}
	})
}

// twoRequests has a second request, and no lease for every tenth iteration.
type twoRequests struct{}

func (twoRequests) Run(s *Session, it Iteration) bool {
	if it.Index%10 == 9 {
		return false
	}
	if _, ok := s.Send(&Request{Route: "first"}); ok {
		s.Send(&Request{Route: "second", Check: func(*Response) error { return errors.New("wrong") }})
	}
	return true
}

func TestASecondRequestIsDueWhenTheFirstEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config(func(_ context.Context, req *Request) (int, time.Duration) {
			if req.Route == "first" {
				return 201, 30 * time.Millisecond
			}
			return 201, 20 * time.Millisecond
		})
		cfg.Workload = twoRequests{}
		s := open(t, t.Context(), cfg, planOf(Uniform, Step{10, 10 * time.Second})).Steps[0]
		if s.Dropped != (Dropped{Leases: 10}) || s.Started != 90 || s.Requests != 180 || s.Completed != 180 || s.Succeeded != 0 {
			t.Errorf("%+v", s)
		}
		if diff := cmp.Diff([]Failure{{"second", WrongBody, 90}}, s.Failures); diff != "" {
			t.Error(diff)
		}
		if s.SuccessesFromDue.Max != 30_000 || s.Lag.Count != 90 {
			t.Errorf("the first: %+v; lag of iterations: %+v", s.SuccessesFromDue, s.Lag)
		}
	})
}

func TestClosedLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config(func(context.Context, *Request) (int, time.Duration) { return 200, 10 * time.Millisecond })
		cfg.Users = 16
		rec, err := Closed(t.Context(), cfg, planOf(Uniform).Mix, 1, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		s := rec.Steps[0]
		if want := int64(16 * 1000); s.GoodWithin < want-16 || s.GoodWithin > want || s.Seconds != 10 || len(s.Failures) > 0 {
			t.Errorf("%d iterations in %g s: %+v", s.GoodWithin, s.Seconds, s.Failures)
		}
	})
}

func TestConfigsThatCannotRun(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"no users":     func(c *Config) { c.Users = 0 },
		"no timeout":   func(c *Config) { c.Timeout = 0 },
		"no workload":  func(c *Config) { c.Workload = nil },
		"no transport": func(c *Config) { c.Transport = nil },
		"no clock":     func(c *Config) { c.Clock = nil },
	} {
		cfg := config(nil)
		change(&cfg)
		if _, err := Open(t.Context(), cfg, planOf(Uniform, Step{10, time.Second})); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
