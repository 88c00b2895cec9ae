package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is all control groups, as far as they are mounted where this process can see them.
type Tree struct {
	root   string // "/", but for tests
	mounts string // the text of mountinfo: proc(5)
}

// Open finds the control groups. Below a root other than "/" it finds those of recorded files.
func Open(root string) (Tree, error) {
	t := Tree{root: root}
	var err error
	if t.mounts, err = t.read("proc/self/mountinfo"); err != nil {
		return Tree{}, fmt.Errorf("control groups: %w", err)
	}
	return t, nil
}

// read returns a file's text without the blanks around it.
func (t Tree) read(path ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join(append([]string{t.root}, path...)...))
	return strings.TrimSpace(string(text)), err
}

// Group is the control group of a process: of version 1 one for each controller, of version 2 one for all.
type Group struct {
	tree  Tree
	paths map[string]string // by controller; "" is version 2
}

// Of returns the group that a process is in now. The error wraps fs.ErrNotExist where there is no such process.
func (t Tree) Of(pid int) (Group, error) {
	text, err := t.read("proc", strconv.Itoa(pid), "cgroup")
	if err != nil {
		return Group{}, fmt.Errorf("control group of process %d: %w", pid, err)
	}
	g := Group{tree: t, paths: make(map[string]string)}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			return Group{}, fmt.Errorf("a cgroup line of process %d: %q", pid, line)
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			g.paths[controller] = fields[2]
		}
	}
	return g, nil
}

// v1 says that version 1 controls the CPU. Beside it version 2 may be mounted, with no controllers.
func (g Group) v1() bool {
	_, ok := g.paths["cpu"]
	return ok
}

// Source says which files are read: "kernel, cgroup v1" or "kernel, cgroup v2".
func (g Group) Source() string {
	if g.v1() {
		return "kernel, cgroup v1"
	}
	return "kernel, cgroup v2"
}

// Path is the name of the group that decides how much CPU there is: processes with the same are held together.
func (g Group) Path() string {
	if g.v1() {
		return g.paths["cpu"]
	}
	return g.paths[""]
}

// Within says that a name, such as a container's id, is part of the group's path.
func (g Group) Within(name string) bool {
	for _, path := range g.paths {
		if strings.Contains(path, name) {
			return true
		}
	}
	return false
}

// file reads one of the group's files, which has another name in each version.
func (g Group) file(controller, nameV1, nameV2 string) (string, error) {
	kind, path, name := "cgroup2", g.paths[""], nameV2
	if g.v1() {
		kind, path, name = "cgroup", g.paths[controller], nameV1
	} else {
		controller = ""
	}
	dir, err := g.tree.mounted(kind, controller, path)
	if err != nil {
		return "", err
	}
	return g.tree.read(dir, name)
}

// Quota is how many cores' time the group may use; nil where it is not limited. The error wraps fs.ErrNotExist where the group has
// no such limit at all: the topmost group, or one to which the controller was not handed down.
func (g Group) Quota() (*float64, error) {
	var quota, period string
	if g.v1() {
		var err error
		if quota, err = g.file("cpu", "cpu.cfs_quota_us", ""); err != nil || quota == "-1" {
			return nil, err
		}
		if period, err = g.file("cpu", "cpu.cfs_period_us", ""); err != nil {
			return nil, fmt.Errorf("a quota without its period: %s", err.Error()) // not wrapped: half a quota is not none
		}
	} else {
		text, err := g.file("", "", "cpu.max")
		if quota, period, _ = strings.Cut(text, " "); err != nil || quota == "max" {
			return nil, err
		}
	}
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err := errors.Join(err1, err2); err != nil || p <= 0 {
		return nil, fmt.Errorf("a quota of %q in a period of %q", quota, period)
	}
	cores := q / p
	return &cores, nil
}

// Cores is the text of the set of cores that the group may use, such as "0,2-3".
func (g Group) Cores() (string, error) {
	return g.file("cpuset", "cpuset.cpus", "cpuset.cpus.effective")
}

// Memory is how many bytes the group may use; nil where it is not limited.
func (g Group) Memory() (*int64, error) {
	text, err := g.file("memory", "memory.limit_in_bytes", "memory.max")
	if err != nil || text == "max" {
		return nil, err
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, err
	}
	if bytes >= math.MaxInt64-1<<20 { // version 1 says the largest number of whole pages where there is no limit
		return nil, nil
	}
	return &bytes, nil
}

// mounted is the directory of a group: a mount shows a hierarchy from some group on downwards.
func (t Tree) mounted(kind, controller, group string) (string, error) {
	for line := range strings.Lines(t.mounts) {
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

// Missing says that an error of Quota means that there is none to read.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
