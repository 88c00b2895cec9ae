package runner

import (
	"slices"
	"time"
)

// Account holds how busy some cores were against what was used of them. A part that may use several cores does not say how much of
// each, so those are one account. Nor do other processes say on which cores they ran: each account allows for all that they used.
type Account struct {
	Cores  []int
	Time   time.Duration  // of all these cores
	Busy   time.Duration  // as the cores say
	Parts  *time.Duration // used by the parts that may run here; nil where one of them does not say
	Others time.Duration  // used by all processes that are no parts, wherever they ran

	// Interrupts is time for interrupts and softirq that no process is charged for: 0 on a kernel that charges it. Where that is not
	// known it is what of this time the processes leave open.
	Interrupts time.Duration

	// Whole says that all cores together add up, or that a part does not say what it used.
	Whole bool
}

const (
	maxGap   = 0.05 // share of the cores' busy time by which what was used may miss it
	leastGap = 0.02 // share of the cores' time that the kernel's steps leave open, however idle they are
)

// AddsUp says that the cores were as busy as what was used of them, within 5 % or, where they idled, what the kernel's steps leave open.
func (a Account) AddsUp() bool {
	if a.Parts == nil || !a.Whole {
		return false
	}
	left := a.Busy - *a.Parts - a.Interrupts
	return left >= -a.tolerance() && left <= a.Others+a.tolerance()
}

func (a Account) tolerance() time.Duration {
	return max(time.Duration(maxGap*float64(a.Busy)), time.Duration(leastGap*float64(a.Time)))
}

// accounts are those of all cores between two samples.
func accounts(parts []PartUsage, others time.Duration, a, b Sample, charged SoftIRQ) (all []Account) {
	whole, known := Account{Others: others}, true
	sum := time.Duration(0) // of all parts
	for _, cores := range islands(b) {
		acc := accountOf(cores, parts, a, b, charged)
		acc.Others = others
		whole.Time, whole.Busy, whole.Interrupts = whole.Time+acc.Time, whole.Busy+acc.Busy, whole.Interrupts+acc.Interrupts
		if known = known && acc.Parts != nil; known {
			sum += *acc.Parts
		}
		all = append(all, acc)
	}
	unexplained := whole.Busy - sum - whole.Interrupts - others
	for i := range all {
		all[i].Whole = !known || max(unexplained, -unexplained) <= whole.tolerance()
	}
	return all
}

func accountOf(cores []int, parts []PartUsage, a, b Sample, charged SoftIRQ) Account {
	acc, used, known := Account{Cores: cores}, time.Duration(0), true
	for i := range min(len(a.Cores), len(b.Cores)) {
		before, now := a.Cores[i], b.Cores[i]
		if !slices.Contains(cores, now.Core) {
			continue
		}
		busy := now.Busy - before.Busy
		acc.Busy += busy
		acc.Time += busy + now.Steal - before.Steal + now.Idle - before.Idle
		acc.Interrupts += interrupts(before, now)
	}
	for i, p := range parts {
		if !slices.Contains(cores, coreOf(b, i)) {
			continue
		}
		if known = known && p.CPU != nil; known {
			used += *p.CPU
		}
	}
	switch charged {
	case SoftIRQOfWhich:
		acc.Interrupts = 0
	case SoftIRQUnknown:
		acc.Interrupts = max(0, min(acc.Interrupts, acc.Busy-used))
	}
	if known {
		acc.Parts = &used
	}
	return acc
}

// interrupts is a core's time for them and their further work.
func interrupts(a, b CoreTime) time.Duration { return b.IRQ + b.SoftIRQ - a.IRQ - a.SoftIRQ }

// islands divides the cores so that each part may run on one set of them only.
func islands(s Sample) [][]int {
	of := make(map[int]int) // the set of each core, by its lowest core
	for _, c := range s.Cores {
		of[c.Core] = c.Core
	}
	for i := range s.Parts {
		cores := coresOf(s, i)
		for _, c := range cores {
			join(of, cores[0], c)
		}
	}
	var sets [][]int
	for _, c := range s.Cores {
		i := slices.IndexFunc(sets, func(set []int) bool { return of[set[0]] == of[c.Core] })
		if i < 0 {
			sets, i = append(sets, nil), len(sets)
		}
		sets[i] = append(sets[i], c.Core)
	}
	return sets
}

// join makes one set of those of two cores.
func join(of map[int]int, a, b int) {
	from, to := of[b], of[a]
	for core, set := range of {
		if set == from {
			of[core] = to
		}
	}
}

// coresOf are those that a part may use; all where that is not known.
func coresOf(s Sample, part int) (cores []int) {
	for _, c := range s.Cores {
		if planned := s.Parts[part].Cores; len(planned) == 0 || slices.Contains(planned, c.Core) {
			cores = append(cores, c.Core)
		}
	}
	return cores
}

// coreOf is one of the cores that a part may use, which says in which set it is; -1 where none of them is counted.
func coreOf(s Sample, part int) int {
	if cores := coresOf(s, part); len(cores) > 0 {
		return cores[0]
	}
	return -1
}
