package runner

import "time"

// SoftIRQ says whether the kernel charges the CPU of interrupts and their further work (softirq), such as taking in the packets of the
// loopback interface, to the process during which it happens. Kernels are built either way.
type SoftIRQ string

// What there is to find out.
const (
	SoftIRQOfWhich SoftIRQ = "of which" // it is in the processes' CPU already
	SoftIRQBeside  SoftIRQ = "beside"   // no process has it: it comes on top of theirs
	SoftIRQUnknown SoftIRQ = ""
)

const (
	burstLength   = 400 * time.Millisecond
	burstTries    = 3
	leastSoftIRQ  = 0.10 // share of a burst: with less, the kernel's steps of 10 ms would decide
	clearlyPart   = 0.25 // share of the softirq time that may be missing where it is charged
	clearlyBeside = 0.75 // ... and that must be where it is not
)

// FindSoftIRQ keeps one core that this process may use busy with packets of its own, for up to 1.2 s, and looks whether the time that
// the core spent on softirq is missing from the CPU of the thread which sent them. It is unknown where the kernel does not count
// softirq, or others disturbed each try.
func FindSoftIRQ() SoftIRQ {
	for range burstTries {
		b, err := packetBurst(burstLength)
		if err != nil {
			return SoftIRQUnknown
		}
		if found := b.judge(); found != SoftIRQUnknown {
			return found
		}
	}
	return SoftIRQUnknown
}

// burst is what became of the time of a thread that never slept, on a core of its own.
type burst struct {
	wall       time.Duration
	cpu        time.Duration  // that the thread was charged for
	waited     *time.Duration // for the core while others had it; nil where the kernel does not count that
	interrupts time.Duration  // of the core, softirq included
	softIRQ    time.Duration  // of the core
	steal      time.Duration  // of the core
}

func (b burst) judge() SoftIRQ {
	if float64(b.softIRQ) < leastSoftIRQ*float64(b.wall) || float64(b.steal) > clearlyPart*float64(b.interrupts) {
		return SoftIRQUnknown
	}
	missing := b.wall - b.cpu - b.steal
	if b.waited != nil {
		missing -= *b.waited
	}
	switch share := float64(missing) / float64(b.interrupts); {
	case share < clearlyPart:
		return SoftIRQOfWhich
	case share > clearlyBeside && share < 2-clearlyBeside && b.waited != nil:
		return SoftIRQBeside
	}
	return SoftIRQUnknown
}
