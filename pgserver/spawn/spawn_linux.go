package spawn

import (
	"fmt"
	"syscall"
	"unsafe"
)

func setDeathSignal(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// cpuSet is the kernel's bit mask of cores: room for 1,024 of them.
type cpuSet [16]uint64

// onCores runs start with this thread on the given cores and gives the thread its own cores back.
func onCores(cores []int, start func() error) error {
	if len(cores) == 0 {
		return start()
	}
	var before, wanted cpuSet
	for _, c := range cores {
		if c < 0 || c >= 64*len(wanted) {
			return fmt.Errorf("there is no core %d", c)
		}
		wanted[c/64] |= 1 << (c % 64)
	}
	if err := affinity(syscall.SYS_SCHED_GETAFFINITY, &before); err != nil {
		return fmt.Errorf("read the cores of this thread: %w", err)
	}
	if err := affinity(syscall.SYS_SCHED_SETAFFINITY, &wanted); err != nil {
		return fmt.Errorf("choose cores %v: %w", cores, err)
	}
	startErr := start()
	if err := affinity(syscall.SYS_SCHED_SETAFFINITY, &before); err != nil && startErr == nil {
		return fmt.Errorf("give this thread its cores back: %w", err)
	}
	return startErr
}

func affinity(call uintptr, set *cpuSet) error {
	const thisThread = 0
	_, _, errno := syscall.RawSyscall(call, thisThread, unsafe.Sizeof(*set), uintptr(unsafe.Pointer(set)))
	if errno != 0 {
		return errno
	}
	return nil
}
