// The tests read /proc and choose cores.
//go:build linux

package runner_test

import (
	"context"
	"testing"
	"time"

	"splitshop/loadtest/runner"
)

// TestActivity has one session hold a lock and another wait for it; the watch sees the one that waits, and what was written.
func TestActivity(t *testing.T) {
	t.Parallel()
	r := startForTest(t, options(t, runner.Mono))
	w, err := r.WatchActivity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	before, err := w.Look(t.Context())
	if err != nil || before.Locked != 0 || before.WAL <= 0 {
		t.Fatalf("%+v, %v: nobody holds a lock yet", before, err)
	}
	holder, err := r.Postgres().Connect(t.Context(), r.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.Query(t.Context(), "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	waiter := make(chan error, 1)
	go func() {
		_, err := r.Postgres().Query(context.Background(), r.Database(),
			"CREATE TABLE public.written AS SELECT n FROM generate_series(1, 1000) n; SELECT pg_advisory_lock(1)")
		waiter <- err
	}()
	look := func() (a runner.Activity) {
		if a, err = w.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		return a
	}
	eventually(t, "a backend that waits for the lock", func() bool { a := look(); return a.Locked == 1 && a.Waiting >= 1 && a.Active >= 1 })
	holder.Close()
	if err := <-waiter; err != nil {
		t.Fatal(err)
	}
	eventually(t, "no backend waits", func() bool { return look().Locked == 0 })
	if after := look(); after.WAL-before.WAL < 1000 {
		t.Errorf("%d bytes of log for 1,000 rows", after.WAL-before.WAL)
	}
}

func TestActivityOfNobody(t *testing.T) {
	t.Parallel()
	if w, err := runner.Attach("http://127.0.0.1:1").WatchActivity(t.Context()); w != nil || err != nil {
		t.Errorf("%v, %v", w, err)
	}
	r := startForTest(t, options(t, runner.Mono))
	w, err := r.WatchActivity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	eventually(t, "a look that is cut off", func() bool { _, err := w.Look(ctx); return err != nil })
}
