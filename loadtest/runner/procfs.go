package runner

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The parsers of /proc: text in, values out. proc(5) describes the formats.

const (
	tick       = 10 * time.Millisecond // of the CPU times in /proc: 100 a second on every architecture Go runs on
	statFields = 22                    // of /proc/PID/stat after the name, as far as we read
)

// procStat is what /proc/PID/stat says of a process: all its threads, also those that have ended.
type procStat struct {
	parent  int
	cpu     time.Duration // user and system
	reaped  time.Duration // of the children it has waited for, and theirs
	threads int
	rss     int64 // bytes
}

func parseStat(text []byte) (procStat, error) {
	// The name, in parentheses, may hold blanks and parentheses itself.
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return procStat{}, fmt.Errorf("no name in %q", text)
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < statFields {
		return procStat{}, fmt.Errorf("%d fields after the name in %q", len(fields), text)
	}
	var n [statFields]int64
	for i := 1; i < statFields; i++ { // the first one is a letter
		var err error
		if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return procStat{}, fmt.Errorf("field %d after the name: %w", i+1, err)
		}
	}
	return procStat{
		parent:  int(n[1]),
		cpu:     time.Duration(n[11]+n[12]) * tick,
		reaped:  time.Duration(n[13]+n[14]) * tick,
		threads: int(n[17]),
		rss:     n[21] * int64(os.Getpagesize()),
	}, nil
}

// parseSchedstat returns how long a thread has waited for a core, ready to run.
func parseSchedstat(text []byte) (time.Duration, error) {
	fields := strings.Fields(string(text))
	if len(fields) != 3 {
		return 0, fmt.Errorf("%d fields in schedstat %q", len(fields), text)
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(ns), err
}

// CoreTime is how long a core did what, since the machine started.
type CoreTime struct {
	Core    int
	Busy    time.Duration // user, system, interrupts; a virtual machine's guests are user time
	Idle    time.Duration // waiting for a disk included
	IRQ     time.Duration // the part of Busy that was for hardware interrupts
	SoftIRQ time.Duration // the part of Busy that was their further work: network packets, timers
	Steal   time.Duration // wanted to run, and the hypervisor gave it to somebody else
}

// parseCoreTimes reads the lines cpu0, cpu1, ... of /proc/stat.
func parseCoreTimes(text []byte) ([]CoreTime, error) {
	var cores []CoreTime
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 9 || len(fields[0]) < 4 || fields[0][:3] != "cpu" {
			continue // the sum of all, or another kind of line
		}
		core, err := strconv.Atoi(fields[0][3:])
		if err != nil {
			return nil, fmt.Errorf("core in %q: %w", lines.Text(), err)
		}
		var t [8]time.Duration // user nice system idle iowait irq softirq steal
		for i := range t {
			n, err := strconv.ParseInt(fields[i+1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("times in %q: %w", lines.Text(), err)
			}
			t[i] = time.Duration(n) * tick
		}
		cores = append(cores, CoreTime{
			Core: core, Busy: t[0] + t[1] + t[2] + t[5] + t[6], Idle: t[3] + t[4], IRQ: t[5], SoftIRQ: t[6], Steal: t[7],
		})
	}
	if len(cores) == 0 {
		return nil, errors.New("no core in /proc/stat")
	}
	return cores, nil
}

// field returns the value of a line "name: value".
func field(text []byte, name string) (string, error) {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("no %s", name)
}

// parseKB reads "123 kB" as bytes.
func parseKB(value string) (int64, error) {
	number, ok := strings.CutSuffix(value, " kB")
	if !ok {
		return 0, fmt.Errorf("%q is not in kB", value)
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n << 10, err
}

// The readers of /proc.

// isGone says that a process or thread has ended since we learned of it.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

func procPath(pid int, rest ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(pid)}, rest...)...)
}

func readStat(pid int) (procStat, error) {
	text, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return procStat{}, err
	}
	return parseStat(text)
}

// threads returns the ids of a process's threads.
func threads(pid int) ([]int, error) { return numbers(procPath(pid, "task")) }

// numbers returns the entries of a directory that are numbers.
func numbers(dir string) ([]int, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// allStats reads every process there is.
func allStats() (map[int]procStat, error) {
	pids, err := numbers("/proc")
	if err != nil {
		return nil, err
	}
	all := make(map[int]procStat, len(pids))
	for _, pid := range pids {
		switch stat, err := readStat(pid); {
		case isGone(err):
		case err != nil:
			return nil, err
		default:
			all[pid] = stat
		}
	}
	return all, nil
}

// family returns a process and its children; nothing for 0, a process that cannot be seen.
func family(pid int) ([]int, error) {
	if pid == 0 {
		return nil, nil
	}
	all, err := allStats()
	if err != nil {
		return nil, err
	}
	pids := []int{pid}
	for child, stat := range all {
		if stat.parent == pid {
			pids = append(pids, child)
		}
	}
	return pids, nil
}
