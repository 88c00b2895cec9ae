package shopping

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Traffic is requests at a fixed rate, whatever becomes of those before: each has a goroutine of its own.
type Traffic struct {
	Stop     context.CancelFunc // sending; what is in flight is still waited for
	sending  sync.WaitGroup
	inFlight sync.WaitGroup

	mu      sync.Mutex
	results []Result
}

// Result is one request of the traffic.
type Result struct {
	Request
	Answer
	Sent, Done time.Time
}

// StartTraffic sends so many requests a second to the public API, kind after kind, until Stop.
func (s Shop) StartTraffic(rate int, g Goods, kinds ...string) *Traffic {
	ctx, stop := context.WithCancel(context.Background())
	tr := &Traffic{Stop: stop}
	tr.sending.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			tr.inFlight.Go(func() { tr.one(s, g.Request(kinds[i%len(kinds)])) })
		}
	})
	return tr
}

func (tr *Traffic) one(s Shop, r Request) {
	sent := time.Now()
	a := s.Send(context.Background(), r) // not the test's context: every request gets its answer
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.results = append(tr.results, Result{r, a, sent, time.Now()})
}

// SoFar returns the results there are.
func (tr *Traffic) SoFar() []Result {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.results)
}

// End stops sending, waits for what is in flight and returns all results.
func (tr *Traffic) End() []Result {
	tr.Stop()
	tr.sending.Wait()
	tr.inFlight.Wait()
	return tr.SoFar()
}

// Succeeded returns nil where at least n requests were answered well.
func Succeeded(results []Result, n int) error {
	good := len(results) - len(Failures(results))
	if good < n {
		return fmt.Errorf("%d of %d requests succeeded, want %d", good, len(results), n)
	}
	return nil
}

// Failures returns the results that are no success.
func Failures(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return r.Err == nil && r.Status < http.StatusMultipleChoices
	})
}
