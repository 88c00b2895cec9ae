package runner

import (
	"fmt"
	"os"
	"runtime"
	"slices"
)

// Cores says which cores the parts of a run may use. An empty set: any core.
type Cores struct {
	Generator []int
	Postgres  []int
	App       []int // shared by every process of the design
}

// PlanCores divides cores 0 to n-1. From six cores on core 0 is left to the operating system, and a quarter each goes to the
// generator and to Postgres; on two, Postgres shares the application's core rather than the generator's, so that both
// designs are limited by the same thing.
func PlanCores(n int) Cores {
	all := make([]int, max(n, 1))
	for i := range all {
		all[i] = i
	}
	return plan(all)
}

// PlanHere divides the cores this process may use. Call it before PinSelf. An error where they cannot be read.
func PlanHere() (Cores, error) {
	all, err := threadCores(os.Getpid())
	if err != nil {
		return Cores{}, fmt.Errorf("plan cores: %w", err)
	}
	return plan(all), nil
}

func plan(all []int) Cores {
	n := len(all)
	switch {
	case n == 1:
		return Cores{Generator: all, Postgres: all, App: all}
	case n == 2:
		return Cores{Generator: all[:1], Postgres: all[1:], App: all[1:]}
	case n >= 6:
		all = all[1:]
	}
	quarter := max(1, n/4)
	return Cores{Generator: all[:quarter], Postgres: all[quarter : 2*quarter], App: all[2*quarter:]}
}

// PinSelf keeps this process on the given cores: every thread it has and those they will make. It reads the result back
// from the kernel, and adapts GOMAXPROCS.
func PinSelf(cores []int) error {
	if len(cores) == 0 {
		return nil
	}
	// A thread that is not pinned yet may make another one while we look: look until a round finds nothing to do.
	for range 100 {
		wrong, err := strayThreads(os.Getpid(), cores)
		if err != nil {
			return err
		}
		if len(wrong) == 0 {
			runtime.SetDefaultGOMAXPROCS()
			return nil
		}
		for _, t := range wrong {
			if err := pinThread(t.TID, cores); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("threads without cores %v keep appearing", cores)
}

// CheckSelf asks the kernel where every thread of this process may run, and returns an error where that is not the given
// cores.
func CheckSelf(cores []int) error {
	strays, err := strayThreads(os.Getpid(), cores)
	if err != nil {
		return err
	}
	if len(strays) > 0 {
		return fmt.Errorf("%d threads of this process may run elsewhere than on cores %v: thread %d on %v",
			len(strays), cores, strays[0].TID, strays[0].Cores)
	}
	return nil
}

// Stray is a thread that may run elsewhere than planned.
type Stray struct {
	PID, TID int
	Cores    []int // where the kernel lets it run
}

// strayThreads returns the threads of a process whose cores are not exactly the given ones. Threads that end meanwhile are
// none.
func strayThreads(pid int, cores []int) ([]Stray, error) {
	planned := slices.Sorted(slices.Values(cores))
	tids, err := threads(pid)
	if err != nil {
		return nil, err
	}
	var stray []Stray
	for _, tid := range tids {
		has, err := threadCores(tid)
		if isGone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.Equal(has, planned) {
			stray = append(stray, Stray{PID: pid, TID: tid, Cores: has})
		}
	}
	return stray, nil
}
