//go:build !linux

package spawn

import (
	"errors"
	"syscall"
)

func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

func onCores(cores []int, start func() error) error {
	if len(cores) > 0 {
		return errors.New("choosing cores needs Linux")
	}
	return start()
}
