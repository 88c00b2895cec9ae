package runner

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// threadCores returns the cores a thread may use, in order, as the kernel says.
func threadCores(tid int) ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &set); err != nil {
		return nil, fmt.Errorf("cores of thread %d: %w", tid, err)
	}
	cores := make([]int, 0, set.Count())
	for c := 0; len(cores) < cap(cores); c++ {
		if set.IsSet(c) {
			cores = append(cores, c)
		}
	}
	return cores, nil
}

// pinThread lets a thread run on the given cores only. A thread that has ended is no error.
func pinThread(tid int, cores []int) error {
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("pin thread %d to cores %v: %w", tid, cores, err)
	}
	return nil
}
