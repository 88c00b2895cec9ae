package main

import (
	"context"
	"time"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
)

const countLimit = 10 * time.Second // for the database to say how many orders there are

// audit checks the books of a trial whose load has ended, and believes nothing of it where they do not balance. They are checked
// against the orders that there were before. A run that was cut is partial anyway and is not kept waiting.
func (t *trial) audit(ctx context.Context, before *int64) {
	if ctx.Err() != nil {
		return
	}
	books, err := t.books(ctx, before)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		t.disbelieve("the books could not be checked: " + firstLineOf(err))
	default:
		t.d.Books = &books
		if why := stats.Unbalanced(books); why != "" {
			t.disbelieve(why)
		}
	}
}

// books has the generator read back what it was answered, and counts what was made.
func (t *trial) books(ctx context.Context, before *int64) (result.Books, error) {
	b, err := t.gen.audit(ctx, func(stage string, done, of int) { t.say.stage(counting(t.label, stage, done, of)) })
	if err != nil {
		return result.Books{}, err
	}
	books := result.Books{Answered: b.Answered, Uncertain: b.Uncertain, ReadBack: b.ReadBack, Missing: b.Missing, Wrong: b.Wrong,
		Example: b.Example}
	after, err := countOrders(ctx, t.running)
	if err == nil && before != nil && after != nil {
		made := *after - *before
		books.Made = &made
	}
	return books, err
}

// countOrders is how many orders there are; nil where that is not ours to ask.
func countOrders(ctx context.Context, running *runner.Running) (*int64, error) {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	return running.Orders(ctx)
}

// disbelieve makes all of a trial INVALID.
func (t *trial) disbelieve(why string) {
	refuse := func(s *result.Step) {
		s.Verdict, s.Limiter, s.RanOut = stats.Disbelieve(s.Verdict, why), "", nil
	}
	for i := range t.d.Steps {
		refuse(&t.d.Steps[i])
	}
	for i := range t.d.OtherRuns {
		refuse(&t.d.OtherRuns[i].Run)
	}
	if t.d.Capacity != nil {
		c := stats.CapacityOf(t.d.Steps, t.flags.slo(), make([]stats.Facts, len(t.d.Steps)))
		t.d.Capacity = &c
	}
}
