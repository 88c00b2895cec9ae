//go:build !linux

package runner

import "errors"

func pinThread(int, []int) error { return errors.New("choosing cores needs Linux") }
