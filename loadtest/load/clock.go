package load

import "time"

// Clock is the time of a run. The real one is NewClock; tests run everything but it on a virtual one.
type Clock interface {
	// Now is the monotonic time since an origin of the clock's own.
	Now() time.Duration

	// SleepUntil returns at t, or at once where t has passed.
	SleepUntil(t time.Duration)

	// Claim makes the calling goroutine a pacer: on a thread of its own with the best scheduling the system grants. It
	// returns the name of what was granted ("SCHED_RR", or why not).
	Claim() (scheduling string, release func())
}
