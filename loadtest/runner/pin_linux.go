package runner

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

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
