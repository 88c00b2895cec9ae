package load

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// NewClock returns the clock that paces real runs. It sleeps in the kernel until an absolute instant of CLOCK_MONOTONIC,
// because time.Sleep wakes in steps of about a millisecond.
func NewClock() Clock {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(fmt.Sprintf("reading CLOCK_MONOTONIC: %v", err)) // the kernel always has it
	}
	return monotonic{base: time.Now(), offset: time.Duration(ts.Nano())}
}

// monotonic is CLOCK_MONOTONIC, read through the standard library's clock, which needs no system call for it.
type monotonic struct {
	base   time.Time
	offset time.Duration
}

func (m monotonic) Now() time.Duration { return m.offset + time.Since(m.base) }

func (monotonic) SleepUntil(t time.Duration) {
	ts := unix.NsecToTimespec(int64(t))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil) == unix.EINTR {
	}
}

// Claim locks the goroutine to its thread and asks for SCHED_RR. A pacer only sleeps and hands over, so it cannot starve
// anyone; threads made from it do not inherit the policy.
func (monotonic) Claim() (string, func()) {
	runtime.LockOSThread()
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: 1}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		return fmt.Sprintf("SCHED_OTHER (SCHED_RR refused: %v)", err), runtime.UnlockOSThread
	}
	return "SCHED_RR", func() {
		normal := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		if unix.SchedSetAttr(0, &normal, 0) == nil {
			runtime.UnlockOSThread() // else the thread ends with its goroutine, and its policy with it
		}
	}
}
