//go:build !linux

package load

import (
	"runtime"
	"time"
)

// NewClock returns a clock that sleeps with time.Sleep, as good as this system's timers are. The lag is recorded all the same.
func NewClock() Clock { return portable{origin: time.Now()} }

type portable struct{ origin time.Time }

func (c portable) Now() time.Duration         { return time.Since(c.origin) }
func (c portable) SleepUntil(t time.Duration) { time.Sleep(t - c.Now()) }

func (portable) Claim() (string, func()) {
	runtime.LockOSThread()
	return "default (real-time scheduling is asked for on Linux only)", runtime.UnlockOSThread
}
