package load

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestClaimNice(t *testing.T) {
	t.Parallel()
	done := make(chan string)
	var during, after int
	go func() {
		runtime.LockOSThread() // and left so: this thread ends with its goroutine
		granted, release := claimNiceHere(&during)
		release()
		after, _ = unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		done <- granted
	}()
	granted := <-done
	// The kernel answers 20 - nice, so that it is never negative.
	if refused := strings.Contains(granted, "refused"); !refused && (during != 40 || after != 20) || refused && during != 20 {
		t.Errorf("%q: priority %d, then %d", granted, during, after)
	}
}

// claimNiceHere is claimNice and the priority that the thread then has.
func claimNiceHere(priority *int) (string, func()) {
	granted, release := claimNice()
	*priority, _ = unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	return granted, release
}

func TestTheClockNeverWakesEarly(t *testing.T) {
	t.Parallel()
	c := NewClock()
	for _, d := range []time.Duration{-time.Second, 0, 10 * time.Microsecond, 3 * time.Millisecond} {
		until := c.Now() + d
		c.SleepUntil(until)
		if now := c.Now(); now < until {
			t.Errorf("slept until %v and it is %v", until, now)
		}
	}
}
