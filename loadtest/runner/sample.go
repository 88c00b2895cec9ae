package runner

import (
	"fmt"
	"os"
	"strconv"
	"time"
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
	Processes int
	Threads   int

	// RunQueueWait is how long the threads alive now have waited for a core, ready to run; nil where the kernel does not
	// count it.
	RunQueueWait *time.Duration
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
	all, err := allStats()
	if err != nil {
		return Sample{}, fmt.Errorf("counters: %w", err)
	}
	for _, p := range append(r.Parts(), r.generator) {
		s.Parts = append(s.Parts, take(all, p.Name, p.main(), p.children))
	}
	for _, stat := range all {
		s.Others += stat.cpu + stat.reaped
	}
	return s, nil
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
	return s
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

// PSS returns each part's memory in bytes, what processes share divided among them; parts where that cannot be read are
// left out. Reading it costs the kernel milliseconds a process: not for while something is measured.
func (r *Running) PSS() map[string]int64 {
	sums := make(map[string]int64)
	for _, p := range r.Parts() {
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
