package main

import (
	"context"
	"sync"
	"time"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
)

// lookEvery is how often Postgres is asked what it does, besides at the boundaries of steps.
const lookEvery = time.Second

// looker asks Postgres from time to time. Where it was answered wrongly once it asks no more.
type looker struct {
	mu    sync.Mutex
	watch *runner.ActivityWatch // nil: nobody to ask
	looks []runner.Activity     // since the last boundary, the one there included
	ended sync.WaitGroup
	stop  context.CancelFunc
}

// newLooker looks at a design's Postgres until it is closed; at none where there is none of ours, or none that answers.
func newLooker(ctx context.Context, running *runner.Running) *looker {
	ctx, cancel := context.WithCancel(ctx)
	l := &looker{stop: cancel}
	connecting, connected := context.WithTimeout(ctx, statsLimit)
	defer connected()
	l.watch, _ = running.WatchActivity(connecting) // what is not known stays null
	if l.watch == nil {
		return l
	}
	l.ended.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.mu.Lock()
				l.look()
				l.mu.Unlock()
			}
		}
	})
	return l
}

// look asks once. The caller holds the lock.
func (l *looker) look() {
	if l.watch == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), statsLimit)
	defer cancel()
	a, err := l.watch.Look(ctx)
	if err != nil {
		l.watch.Close()
		l.watch, l.looks = nil, nil
		return
	}
	l.looks = append(l.looks, a)
}

// boundary returns what was seen since the last one, this moment included: it begins what the next one returns.
func (l *looker) boundary() []runner.Activity {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	seen := l.looks
	if n := len(seen); n > 0 {
		l.looks = []runner.Activity{seen[n-1]}
	}
	return seen
}

// close ends the looking and the connection.
func (l *looker) close() {
	l.stop()
	l.ended.Wait()
	if l.watch != nil {
		l.watch.Close()
	}
}

// activityOf sums looks up, the first and the last of which are at the ends of a step; nil of fewer than two.
func activityOf(looks []runner.Activity) *result.Activity {
	n := len(looks)
	if n < 2 {
		return nil
	}
	a := &result.Activity{Looks: n, WAL: looks[n-1].WAL - looks[0].WAL}
	for _, l := range looks {
		a.Active += float64(l.Active) / float64(n)
		a.Waiting += float64(l.Waiting) / float64(n)
		a.Locked += float64(l.Locked) / float64(n)
	}
	return a
}
