package shopping

import (
	"testing"
	"time"
)

// Eventually polls until done returns nil, and ends the test where that takes longer than within.
func Eventually(t testing.TB, within time.Duration, what string, done func() error) {
	t.Helper()
	begun := time.Now()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		err := done()
		if err == nil {
			return
		}
		if time.Since(begun) > within {
			t.Fatalf("%s: not within %v: %v", what, within, err)
		}
	}
}

// Throughout does something again and again for so long.
func Throughout(long time.Duration, do func()) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < long; <-tick.C {
		do()
	}
}
