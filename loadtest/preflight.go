package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
)

// preflight watches the machine while a started design has no load yet: what is busy now is none of its work. It is nil for
// a given URL, where somebody else may be served, and where ctx was cancelled meanwhile. An error where there are no counters.
func (l *lab) preflight(ctx context.Context, label string, running *runner.Running) (*result.Preflight, error) {
	if l.flags.URL != "" {
		return nil, nil
	}
	usage, err := watch(ctx, l.say, label+": watching the idle machine", running, l.softIRQ, scales[l.flags.Scale].preflight)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	return preflightOf(usage, l.cores), nil
}

// watch returns what the machine did for so long, or until ctx was cancelled.
func watch(ctx context.Context, say *progress, what string, running *runner.Running, charged runner.SoftIRQ,
	length time.Duration) (runner.Usage, error) {
	began := time.Now()
	say.stage(func() string {
		return fmt.Sprintf("%s: %.0f of %.0f s", what, time.Since(began).Seconds(), length.Seconds())
	})
	before, err := running.Sample()
	if err != nil {
		return runner.Usage{}, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
	after, err := running.Sample()
	if err != nil {
		return runner.Usage{}, err
	}
	return runner.Between(before, after, charged), nil
}

// preflightOf is what happened on the machine, and on the cores of a plan; of no plan, on all.
func preflightOf(u runner.Usage, plan runner.Cores) *result.Preflight {
	p := &result.Preflight{Seconds: u.Elapsed.Seconds(), Background: &u.Background, Steal: &u.Steal}
	planned := slices.Concat(plan.Generator, plan.Postgres, plan.App)
	busy, n := 0.0, 0
	for _, c := range u.Cores {
		if len(planned) == 0 || slices.Contains(planned, c.Core) {
			busy, n = busy+c.Busy, n+1
		}
	}
	if n > 0 {
		share := busy / float64(n)
		p.Busy = &share
	}
	return p
}
