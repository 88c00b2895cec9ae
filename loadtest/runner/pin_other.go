//go:build !linux

package runner

import "errors"

var errNotLinux = errors.New("cores can be chosen and read on Linux only")

func threadCores(int) ([]int, error) { return nil, errNotLinux }

func pinThread(int, []int) error { return errNotLinux }
