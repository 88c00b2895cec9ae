package compose

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

const (
	sourceV1 = "kernel, cgroup v1"
	sourceV2 = "kernel, cgroup v2"
)

// limits reads what the kernel holds a container's process to, of either version of cgroups.
func (k kernel) limits(pid int, container string) (Limits, error) {
	text, err := k.cgroup(pid)
	if err != nil || !strings.Contains(text, container) {
		return Limits{}, errNotThere
	}
	groups, mounts, err := k.groups(pid, text)
	if err != nil {
		return Limits{}, err
	}
	if _, v1 := groups["cpu"]; v1 { // beside it version 2 may be mounted, with no controllers
		return k.limitsV1(groups, mounts)
	}
	dir, err := mounted(mounts, "cgroup2", "", groups[""])
	if err != nil {
		return Limits{}, err
	}
	return k.limitsV2(dir)
}

// cgroup is what the kernel says of a process's control groups.
func (k kernel) cgroup(pid int) (string, error) { return k.read("proc", strconv.Itoa(pid), "cgroup") }

// groups are the control groups in what cgroup says, by controller; "" is version 2, which has one for all. mounts is the text of
// mountinfo.
func (k kernel) groups(pid int, text string) (groups map[string]string, mounts string, err error) {
	if mounts, err = k.read("proc/self/mountinfo"); err != nil {
		return nil, "", err
	}
	groups = make(map[string]string)
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			return nil, "", fmt.Errorf("a cgroup line of process %d: %q", pid, line)
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			groups[controller] = fields[2]
		}
	}
	return groups, mounts, nil
}

func (k kernel) limitsV1(groups map[string]string, mounts string) (Limits, error) {
	l := Limits{Source: sourceV1}
	read := func(controller, file string) (string, error) {
		dir, err := mounted(mounts, "cgroup", controller, groups[controller])
		if err != nil {
			return "", err
		}
		return k.read(dir, file)
	}
	quota, err1 := read("cpu", "cpu.cfs_quota_us")
	period, err2 := read("cpu", "cpu.cfs_period_us")
	set, err3 := read("cpuset", "cpuset.cpus")
	memory, err4 := read("memory", "memory.limit_in_bytes")
	err := errors.Join(err1, err2, err3, err4)
	if err != nil {
		return Limits{}, err
	}
	if quota != "-1" {
		if l.Quota, err = ratio(quota, period); err != nil {
			return Limits{}, err
		}
	}
	if l.Cores, err = ParseCores(set); err != nil {
		return Limits{}, err
	}
	bytes, err := strconv.ParseInt(memory, 10, 64)
	if err != nil {
		return Limits{}, err
	}
	if bytes < math.MaxInt64-1<<20 { // without a limit it is the largest number of whole pages
		l.Memory = &bytes
	}
	return l, nil
}

func (k kernel) limitsV2(dir string) (Limits, error) {
	l := Limits{Source: sourceV2}
	cpu, err1 := k.read(dir, "cpu.max")
	set, err2 := k.read(dir, "cpuset.cpus.effective")
	memory, err3 := k.read(dir, "memory.max")
	err := errors.Join(err1, err2, err3)
	if err != nil {
		return Limits{}, err
	}
	if l.Quota, err = quotaV2(cpu); err != nil {
		return Limits{}, err
	}
	if l.Cores, err = ParseCores(set); err != nil {
		return Limits{}, err
	}
	if memory != "max" {
		bytes, err := strconv.ParseInt(memory, 10, 64)
		if err != nil {
			return Limits{}, err
		}
		l.Memory = &bytes
	}
	return l, nil
}

// quotaV2 reads cpu.max.
func quotaV2(text string) (*float64, error) {
	quota, period, _ := strings.Cut(text, " ")
	if quota == "max" {
		return nil, nil
	}
	return ratio(quota, period)
}

// ratio is quota/period in cores.
func ratio(quota, period string) (*float64, error) {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err := errors.Join(err1, err2); err != nil || p <= 0 {
		return nil, fmt.Errorf("a quota of %q in a period of %q", quota, period)
	}
	cores := q / p
	return &cores, nil
}

// mounted is the directory of a control group, found in the text of mountinfo (proc(5)): a mount shows a hierarchy from some
// group on downwards.
func mounted(mounts, kind, controller, group string) (string, error) {
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		place, what := strings.Fields(before), strings.Fields(after)
		if !ok || len(place) < 5 || len(what) < 3 || what[0] != kind {
			continue
		}
		if controller != "" && !slices.Contains(strings.Split(what[2], ","), controller) {
			continue
		}
		rest, err := filepath.Rel(place[3], group)
		if err != nil || rest == ".." || strings.HasPrefix(rest, "../") {
			continue
		}
		return filepath.Join(place[4], rest), nil
	}
	return "", fmt.Errorf("%s %s is mounted nowhere that shows %s", kind, controller, group)
}
