package compose

import (
	"errors"
	"io/fs"
	"os"
)

// Own returns the CPU quota that this process's own control group has, and in Source who said so. An error means that quotas
// cannot be read here, those of containers neither.
func Own() (Limits, error) { return (kernel{"/"}).own(os.Getpid()) }

func (k kernel) own(pid int) (Limits, error) {
	text, err := k.cgroup(pid)
	if err != nil {
		return Limits{}, err
	}
	groups, mounts, err := k.groups(pid, text)
	if err != nil {
		return Limits{}, err
	}
	if group, v1 := groups["cpu"]; v1 {
		return k.ownV1(mounts, group)
	}
	l := Limits{Source: sourceV2}
	dir, err := mounted(mounts, "cgroup2", "", groups[""])
	if err != nil {
		return l, err
	}
	limit, err := k.read(dir, "cpu.max")
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil // the root's group, or one to which the controller was not handed down: neither has a quota
	}
	if err == nil {
		l.Quota, err = quotaV2(limit)
	}
	return l, err
}

func (k kernel) ownV1(mounts, group string) (Limits, error) {
	l := Limits{Source: sourceV1}
	dir, err := mounted(mounts, "cgroup", "cpu", group)
	if err != nil {
		return l, err
	}
	quota, err := k.read(dir, "cpu.cfs_quota_us")
	if errors.Is(err, fs.ErrNotExist) || quota == "-1" {
		return l, nil // the root's group has no such file
	}
	period, errPeriod := k.read(dir, "cpu.cfs_period_us")
	if err := errors.Join(err, errPeriod); err != nil {
		return l, err
	}
	l.Quota, err = ratio(quota, period)
	return l, err
}
