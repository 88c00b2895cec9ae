package runner

import (
	"time"

	"splitshop/loadtest/runner/cgroup"
)

// Usage is what happened between two samples, as averages over that time.
type Usage struct {
	Elapsed    time.Duration
	Parts      []PartUsage
	Background float64 // cores used by every process that is no part
	Cores      []CoreUsage
	Accounts   []Account // of all cores, each in one of them
	Steal      float64   // cores, all together
}

// PartUsage is what a part used. Nil: not known, because it ended, was started again or is not counted.
type PartUsage struct {
	Name         string
	CPU          *time.Duration // user and system, all its processes
	Cores        *float64       // CPU / Elapsed
	RunQueueWait *float64       // share of Elapsed that its threads together waited for a core; above 1 where several did

	Quota      *float64           // cores, at the end; nil where the part has none of its own
	Throttling *cgroup.Throttling // what came of it; nil where there is no quota
}

// CoreUsage is what became of a core's time, in shares of it.
type CoreUsage struct {
	Core                 int
	Busy, SoftIRQ, Steal float64 // SoftIRQ is a part of Busy
	SoftIRQTime          time.Duration
}

// Between compares two samples of one Running, the earlier first, on a kernel that charges interrupts to processes or not.
func Between(a, b Sample, charged SoftIRQ) Usage {
	u := Usage{Elapsed: b.At.Sub(a.At)}
	for i := range min(len(a.Parts), len(b.Parts)) {
		u.Parts = append(u.Parts, partBetween(a.Parts[i], b.Parts[i], u.Elapsed))
	}
	var busy, ours time.Duration // interrupts apart that no process is charged for
	for i := range min(len(a.Cores), len(b.Cores)) {
		busy += b.Cores[i].Busy - a.Cores[i].Busy
		if charged == SoftIRQBeside {
			busy -= interrupts(a.Cores[i], b.Cores[i])
		}
	}
	for _, p := range u.Parts {
		if p.CPU != nil {
			ours += *p.CPU
		}
	}
	others := background(b.Others-a.Others, busy-ours)
	u.Background = share(others, u.Elapsed)
	for i := range min(len(a.Cores), len(b.Cores)) {
		c := coreBetween(a.Cores[i], b.Cores[i])
		u.Cores = append(u.Cores, c)
		u.Steal += c.Steal
	}
	u.Accounts = accounts(u.Parts, others, a, b, charged)
	return u
}

// background is what other processes used: what they say, unless the cores say that it cannot be. A process that ends while
// all are read is counted twice or not at all, with the CPU of its whole life. What the cores leave over is only a bound: on
// some kernels it includes interrupts that no process is charged for.
func background(said, bound time.Duration) time.Duration {
	if said < 0 || said > bound {
		return max(0, bound)
	}
	return said
}

func partBetween(a, b PartSample, elapsed time.Duration) PartUsage {
	u := PartUsage{Name: b.Name, Quota: b.Quota}
	if a.PID == 0 || a.PID != b.PID || a.Name != b.Name {
		return u
	}
	cpu := b.CPU - a.CPU
	cores := share(cpu, elapsed)
	u.CPU, u.Cores = &cpu, &cores
	if a.RunQueueWait != nil && b.RunQueueWait != nil {
		// Threads that ended took what they had waited with them.
		wait := max(0, share(*b.RunQueueWait-*a.RunQueueWait, elapsed))
		u.RunQueueWait = &wait
	}
	if a.Throttling != nil && b.Throttling != nil {
		if t, ok := b.Throttling.Since(*a.Throttling); ok {
			u.Throttling = &t
		}
	}
	return u
}

func coreBetween(a, b CoreTime) CoreUsage {
	busy, steal, softIRQ := b.Busy-a.Busy, b.Steal-a.Steal, b.SoftIRQ-a.SoftIRQ
	all := busy + steal + b.Idle - a.Idle
	return CoreUsage{Core: b.Core, Busy: share(busy, all), SoftIRQ: share(softIRQ, all), Steal: share(steal, all), SoftIRQTime: softIRQ}
}

// share is part / whole, 0 where there is no whole.
func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
