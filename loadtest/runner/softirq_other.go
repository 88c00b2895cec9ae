//go:build !linux

package runner

import "time"

func packetBurst(time.Duration) (burst, error) { return burst{}, errNotLinux }
