package test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// traffic is requests at a fixed rate, whatever becomes of those before: each has a goroutine of its own.
type traffic struct {
	stop     context.CancelFunc // sending; what is in flight is still waited for
	sending  sync.WaitGroup
	inFlight sync.WaitGroup

	mu      sync.Mutex
	results []result
}

// result is one request of the traffic.
type result struct {
	request
	answer
	sent, done time.Time
}

// startTraffic sends so many requests a second to the public API, kind after kind, until Stop.
func (p *topology) startTraffic(rate int, g goods, kinds ...string) *traffic {
	ctx, stop := context.WithCancel(context.Background())
	tr := &traffic{stop: stop}
	tr.sending.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			tr.inFlight.Go(func() { tr.one(p, g.request(kinds[i%len(kinds)])) })
		}
	})
	return tr
}

func (tr *traffic) one(p *topology, r request) {
	sent := time.Now()
	a := p.send(context.Background(), r) // not the test's context: every request gets its answer
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.results = append(tr.results, result{r, a, sent, time.Now()})
}

// soFar returns the results there are.
func (tr *traffic) soFar() []result {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.results)
}

// end stops sending, waits for what is in flight and returns all results.
func (tr *traffic) end() []result {
	tr.stop()
	tr.sending.Wait()
	tr.inFlight.Wait()
	return tr.soFar()
}

// succeeded returns nil where at least n requests were answered well.
func succeeded(results []result, n int) error {
	good := len(results) - len(failures(results))
	if good < n {
		return fmt.Errorf("%d of %d requests succeeded, want %d", good, len(results), n)
	}
	return nil
}

// failures returns the results that are no success.
func failures(results []result) []result {
	return slices.DeleteFunc(slices.Clone(results), func(r result) bool {
		return r.err == nil && r.status < http.StatusMultipleChoices
	})
}
