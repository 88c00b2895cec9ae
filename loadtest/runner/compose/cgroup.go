package compose

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"splitshop/loadtest/runner/cgroup"
)

// Limits are what a container is held to, as read back. Nil: no limit.
type Limits struct {
	Cores  []int    // where it may run; nil where that could not be read
	Quota  *float64 // cores
	Memory *int64   // bytes
	Source string   // who said so: kernel (v1 or v2), or engine where the kernel's files are out of reach
}

// kernel reads the kernel's files. root is "/", but for tests.
type kernel struct{ root string }

func (k kernel) read(path ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join(append([]string{k.root}, path...)...))
	return strings.TrimSpace(string(text)), err
}

// errNotThere says that a process is none of the container's: the engine runs on another machine, or a virtual one.
var errNotThere = errors.New("the container's process cannot be seen from here")

// group is a container's control group.
func (k kernel) group(pid int, container string) (cgroup.Group, error) {
	tree, err := cgroup.Open(k.root)
	if err != nil {
		return cgroup.Group{}, err
	}
	group, err := tree.Of(pid)
	if err != nil || !group.Within(container) {
		return cgroup.Group{}, errNotThere
	}
	return group, nil
}

// limits reads what the kernel holds a container's process to, of either version of cgroups.
func (k kernel) limits(pid int, container string) (Limits, error) {
	group, err := k.group(pid, container)
	if err != nil {
		return Limits{}, err
	}
	quota, err1 := group.Quota()
	set, err2 := group.Cores()
	memory, err3 := group.Memory()
	if err := errors.Join(err1, err2, err3); err != nil {
		return Limits{}, err
	}
	cores, err := ParseCores(set)
	if err != nil {
		return Limits{}, err
	}
	return Limits{Cores: cores, Quota: quota, Memory: memory, Source: group.Source()}, nil
}

// Own returns the CPU quota that this process's own control group has, and in Source who said so. An error means that quotas
// cannot be read here, those of containers neither.
func Own() (Limits, error) { return (kernel{"/"}).own(os.Getpid()) }

func (k kernel) own(pid int) (l Limits, err error) {
	tree, err := cgroup.Open(k.root)
	if err != nil {
		return Limits{}, err
	}
	group, err := tree.Of(pid)
	if err != nil {
		return Limits{}, err
	}
	l.Source = group.Source()
	if l.Quota, err = group.Quota(); cgroup.Missing(err) {
		err = nil
	}
	return l, err
}
