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

// Claim locks the goroutine to its thread and asks for SCHED_RR; threads made from it do not inherit that. Where the process
// has one core it asks for the best nice value instead: there a real-time pacer that waits, spinning, for a thread of the Go
// runtime keeps that thread from the core, until the kernel lets others in after 950 ms (seen as such lags).
func (monotonic) Claim() (string, func()) {
	runtime.LockOSThread()
	var cores unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err == nil && cores.Count() == 1 {
		return claimNice()
	}
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

func claimNice() (string, func()) {
	const best, usual = -20, 0
	thread := unix.Gettid()
	// Timers of other than real-time threads may be 50 us late to save wake-ups. Without this it is only that.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	if err := unix.Setpriority(unix.PRIO_PROCESS, thread, best); err != nil {
		return fmt.Sprintf("SCHED_OTHER (nice %d refused: %v)", best, err), runtime.UnlockOSThread
	}
	return fmt.Sprintf("nice %d (its one core is no place for SCHED_RR)", best), func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // back to the thread's default
		if unix.Setpriority(unix.PRIO_PROCESS, thread, usual) == nil {
			runtime.UnlockOSThread()
		}
	}
}
