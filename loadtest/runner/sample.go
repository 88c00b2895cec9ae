package runner

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"splitshop/loadtest/runner/cgroup"
)

// Sample is what the counters said at one moment. Counters only grow: see Between.
type Sample struct {
	At     time.Time
	Parts  []PartSample  // as Running.Parts has them, and the generator last
	Others time.Duration // CPU of every other process on the machine, their ended children included
	Cores  []CoreTime    // in the order of /proc/stat
}

// PartSample is a part's counters.
type PartSample struct {
	Name      string
	PID       int           // the process, or the parent of the part's others; 0 where it has ended
	CPU       time.Duration // user and system, in steps of 10 ms; Postgres's ended backends included
	RSS       int64         // bytes; memory that processes share counts in each of them
	Peak      int64         // bytes, the most there ever was of RSS; 0 where there are several processes, or it is not known
	Cores     []int         // that its first thread may use; none where that cannot be read
	Processes int
	Threads   int

	// RunQueueWait is how long the threads alive now have waited for a core, ready to run; nil where the kernel does not
	// count it.
	RunQueueWait *time.Duration

	// Quota is how many cores the part's own control group is held to, and Throttling what came of that; nil where there is no quota,
	// it cannot be read, or the group is not the part's own: see hold.
	Quota      *float64
	Throttling *cgroup.Throttling
}

// Sample reads the counters, which costs this process a few milliseconds of CPU. A part that has ended has PID 0.
func (r *Running) Sample() (Sample, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Sample{}, fmt.Errorf("counters: %w", err)
	}
	s := Sample{At: time.Now()}
	if s.Cores, err = parseCoreTimes(text); err != nil {
		return Sample{}, fmt.Errorf("counters: %w", err)
	}
	parts := append(r.Parts(), r.generator)
	var parents []int
	for _, p := range parts {
		if p.children {
			parents = append(parents, p.main())
		}
	}
	all, err := settled(allStats, func() time.Duration { return reapedBy(parents) })
	if err != nil {
		return Sample{}, fmt.Errorf("counters: %w", err)
	}
	for _, p := range parts {
		s.Parts = append(s.Parts, take(all, p.Name, p.main(), p.children))
	}
	for _, stat := range all {
		s.Others += stat.cpu + stat.reaped
	}
	if tree, err := cgroup.Open("/"); err == nil { // where there are none, nobody has a quota
		hold(tree, s.Parts)
	}
	return s, nil
}

// mostReads is how often the counters are read at most until no child of a part ends meanwhile.
const mostReads = 5

// settled reads all processes, and again where a child of a part ended meanwhile: its CPU passes to its parent, which may have been
// read before it, so that it would count nowhere, or after it, and it would count twice. Where children never stop ending the last
// reading stands.
func settled(read func() (map[int]procStat, error), reaped func() time.Duration) (all map[int]procStat, err error) {
	before := reaped()
	for range mostReads {
		if all, err = read(); err != nil {
			return nil, err
		}
		after := reaped()
		if after == before {
			break
		}
		before = after
	}
	return all, nil
}

// reapedBy is the CPU of the ended children of some processes; of one that has ended itself nothing.
func reapedBy(pids []int) (sum time.Duration) {
	for _, pid := range pids {
		if stat, err := readStat(pid); err == nil {
			sum += stat.reaped
		}
	}
	return sum
}

// hold fills in what parts are held to. A control group counts for a part only where it is its own: no other part is in it, nor the
// generator. So local processes, which stay in the group of whoever started the lab, have none, while every container has. What more
// there is in a container's group, such as a health check, uses up the part's quota and belongs there. For the generator its group
// counts always: what holds it holds the local parts with it. Limits of the groups above are not looked at.
func hold(tree cgroup.Tree, parts []PartSample) {
	groups, members := make([]*cgroup.Group, len(parts)), make(map[string]int)
	for i, p := range parts {
		if p.PID == 0 {
			continue
		}
		if g, err := tree.Of(p.PID); err == nil {
			groups[i] = &g
			members[g.Path()]++
		}
	}
	for i, g := range groups {
		if g == nil || members[g.Path()] > 1 && parts[i].Name != partGenerator {
			continue
		}
		quota, err := g.Quota()
		if err != nil || quota == nil {
			continue
		}
		parts[i].Quota = quota
		if throttling, err := g.Throttling(); err == nil {
			parts[i].Throttling = &throttling
		}
	}
}

// take moves a part's processes out of all of them and adds them up.
func take(all map[int]procStat, name string, pid int, withChildren bool) PartSample {
	s := PartSample{Name: name}
	main, ok := all[pid]
	if !ok {
		return s
	}
	wait, counted := time.Duration(0), true
	add := func(pid int, stat procStat) {
		delete(all, pid)
		s.CPU += stat.cpu
		s.RSS += stat.rss
		s.Threads += stat.threads
		s.Processes++
		w, ok := runQueueWait(pid)
		wait += w
		counted = counted && ok
	}
	s.PID = pid
	add(pid, main)
	if withChildren {
		s.CPU += main.reaped
		for child, stat := range all {
			if stat.parent == pid {
				add(child, stat)
			}
		}
	}
	if counted {
		s.RunQueueWait = &wait
	}
	s.Cores, _ = threadCores(pid) // what is not known stays empty
	if s.Processes == 1 {
		s.Peak = peakOf(pid)
	}
	return s
}

// peakOf is the most memory in bytes that a process ever had resident; 0 where the kernel does not say.
func peakOf(pid int) int64 {
	text, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return 0
	}
	value, err := field(text, "VmHWM")
	if err != nil {
		return 0
	}
	bytes, err := parseKB(value)
	if err != nil {
		return 0
	}
	return bytes
}

// runQueueWait adds up a process's threads. One that has ended meanwhile counts as nothing.
func runQueueWait(pid int) (wait time.Duration, counted bool) {
	tids, err := threads(pid)
	if err != nil {
		return 0, isGone(err)
	}
	for _, tid := range tids {
		text, err := os.ReadFile(procPath(pid, "task", strconv.Itoa(tid), "schedstat"))
		if isGone(err) {
			if _, err := os.Stat(procPath(pid, "task", strconv.Itoa(tid))); err == nil {
				return 0, false // the thread is there, its counter is not
			}
			continue
		}
		if err != nil {
			return 0, false
		}
		w, err := parseSchedstat(text)
		if err != nil {
			return 0, false
		}
		wait += w
	}
	return wait, true
}

// PSS returns the memory of each part and of the generator in bytes, what processes share divided among them; parts where that cannot
// be read are left out. Reading it costs the kernel milliseconds a process: not for while something is measured.
func (r *Running) PSS() map[string]int64 {
	sums := make(map[string]int64)
	for _, p := range append(r.Parts(), r.generator) {
		pids, err := p.PIDs()
		if err != nil || len(pids) == 0 {
			continue
		}
		if sum, ok := pssOf(pids); ok {
			sums[p.Name] = sum
		}
	}
	return sums
}

func pssOf(pids []int) (sum int64, ok bool) {
	for _, pid := range pids {
		text, err := os.ReadFile(procPath(pid, "smaps_rollup"))
		if isGone(err) {
			continue
		}
		if err != nil {
			return 0, false
		}
		value, err := field(text, "Pss")
		if err != nil {
			return 0, false
		}
		n, err := parseKB(value)
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return sum, sum > 0
}
