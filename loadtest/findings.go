package main

import (
	"fmt"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/runner/compose"
	"splitshop/loadtest/stats"
	"splitshop/pgserver"
)

// state is what a finding means for measuring.
type state string

const (
	fine     state = "ok"
	limits   state = "limit" // measured all the same, but less, or less surely
	unknown  state = "n/a"
	prevents state = "no" // nothing can be measured
)

// finding is one line of the doctor: what was looked at, what was found, and what can be done about it.
type finding struct {
	What  string `json:"what"`
	State state  `json:"state"`
	Found string `json:"found"`
	Fix   string `json:"fix"` // "" where there is nothing to do
}

// The limits of a machine to measure on. Those of noise are the judge's.
const (
	coarseClock  = time.Microsecond
	filesBesides = 64 // that the generator has open beside its connections
)

func ofCores(c runner.Cores, err error) finding {
	f := finding{What: "cores", State: fine}
	if err != nil {
		f.State, f.Found = prevents, firstLineOf(err)
		f.Fix = "the lab places its parts on cores, which needs Linux; with --url it only drives load"
		return f
	}
	f.Found = fmt.Sprintf("generator %s, Postgres %s, application %s", compose.FormatCores(c.Generator),
		compose.FormatCores(c.Postgres), compose.FormatCores(c.App))
	if c.Postgres[0] == c.App[0] {
		f.State = limits
		f.Found += ": parts share cores, so a result's grade is structure at best"
		f.Fix = "quote ratios, not absolute figures; four cores give each part its own, six leave one to the system"
	}
	return f
}

func ofQuotas(l compose.Limits, err error) finding {
	f := finding{What: "quotas", State: fine, Found: strings.TrimPrefix(l.Source, "kernel, ") + ", can be read; this process has none"}
	switch {
	case err != nil:
		f.State, f.Found = limits, "cannot be read: "+firstLineOf(err)
		f.Fix = "containers' quotas are taken from the engine then; mount /sys/fs/cgroup to read them back"
	case l.Quota != nil:
		f.State, f.Found = limits, fmt.Sprintf("this process is held to %.2f cores (%s)", *l.Quota, l.Source)
		f.Fix = "run the lab outside that container or group: throttling shows as the generator's lag"
	}
	return f
}

// ofScheduling judges what the pacer was granted; on one core of its own it does not want real time.
func ofScheduling(granted string, generatorCores int) finding {
	f := finding{What: "real-time scheduling", State: fine, Found: granted}
	switch {
	case strings.HasPrefix(granted, "SCHED_RR"):
		if generatorCores == 1 {
			f.Found += "; on the generator's one core its pacer takes nice -20 instead"
		}
	case !strings.HasPrefix(granted, "nice "):
		f.State, f.Fix = limits, "run as root, or allow it: setcap cap_sys_nice+ep bin/loadtest; until then see the lag in the report"
	}
	return f
}

// ofSoftIRQ judges whether interrupts are counted, and whose CPU they are in.
func ofSoftIRQ(charged runner.SoftIRQ, cores []runner.CoreTime, err error) finding {
	f := finding{What: "softirq accounting", State: fine}
	if err != nil {
		f.State, f.Found, f.Fix = unknown, firstLineOf(err), "CPU of parts and cores is read from /proc, which needs Linux"
		return f
	}
	var sum time.Duration
	for _, c := range cores {
		sum += c.SoftIRQ
	}
	f.Found = fmt.Sprintf("counted: %.0f s since the machine started", sum.Seconds())
	if sum == 0 {
		f.State, f.Found = limits, "this kernel counts none: interrupts look like CPU of whichever process they met"
		f.Fix = "CPU per request includes them; compare only on this kernel"
		return f
	}
	switch charged {
	case runner.SoftIRQOfWhich:
		f.Found += "; it is in the CPU of the processes that it interrupts"
	case runner.SoftIRQBeside:
		f.Found += "; no process is charged for it, so it comes on top of CPU per request"
	default:
		f.State, f.Found = limits, f.Found+"; whether processes are charged for it could not be found out"
		f.Fix = "try again while the machine is quiet: until then reports show it without saying which"
	}
	return f
}

func ofClock(source string, step time.Duration) finding {
	f := finding{What: "clock", State: fine, Found: fmt.Sprintf("%s, steps of %v", source, step)}
	if source == "" {
		f.Found = fmt.Sprintf("steps of %v; its source is not known", step)
	}
	if slow := source == "hpet" || source == "acpi_pm" || source == "jiffies"; slow || step > coarseClock {
		f.State, f.Fix = limits, "latencies of microseconds are uncertain, and "+
			"reading the clock costs CPU; a kernel with tsc or kvm-clock is better"
	}
	return f
}

func ofGovernor(governor *string) finding {
	switch {
	case governor == nil:
		return finding{What: "CPU governor", State: unknown, Found: "the kernel does not say, as in most virtual machines"}
	case *governor == "performance":
		return finding{What: "CPU governor", State: fine, Found: *governor}
	}
	return finding{What: "CPU governor", State: limits, Found: *governor + ": the clock rate follows the load",
		Fix: "sudo cpupower frequency-set --governor performance"}
}

func ofFiles(limit uint64, err error) finding {
	f := finding{What: "open files", State: fine, Found: fmt.Sprintf("at most %d, for %d users at most", limit, load.DefaultUsers)}
	switch {
	case err != nil:
		f.State, f.Found = unknown, err.Error()
	case limit < load.DefaultUsers+filesBesides:
		f.State = limits
		f.Fix = fmt.Sprintf("raise it: ulimit -Hn %d as root, or LimitNOFILE; or give --users %d or fewer",
			2*load.DefaultUsers, max(1, int(limit)-filesBesides))
	}
	return f
}

func ofPostgres(source string, err error) finding {
	if err != nil {
		first, fix, _ := strings.Cut(err.Error(), "\n")
		return finding{What: "Postgres", State: prevents, Found: first, Fix: fix}
	}
	return finding{What: "Postgres", State: fine, Found: source}
}

func ofEngine(t *compose.Tools, err error) finding {
	if err != nil {
		first, fix, _ := strings.Cut(err.Error(), "\n")
		return finding{What: "containers", State: limits, Found: "only local processes here: " + first, Fix: fix}
	}
	return finding{What: "containers", State: fine, Found: fmt.Sprintf("engine %s, compose %s (%s)", t.EngineVersion,
		t.ComposeVersion, strings.Join(t.Compose, " "))}
}

func ofContainers(parts []compose.Part, err error) finding {
	f := finding{What: "shop in containers", State: fine, Found: "nothing is up"}
	if err != nil {
		f.State, f.Found = unknown, firstLineOf(err)
		return f
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name+" "+p.State)
	}
	if len(names) > 0 {
		f.State, f.Found, f.Fix = limits, strings.Join(names, ", "), "make down, unless you use it: it takes CPU from what is measured"
	}
	return f
}

func ofLock(err error) finding {
	if err != nil {
		return finding{What: "lab's lock", State: prevents, Found: firstLineOf(err), Fix: "wait for its end, or end it with Ctrl-C"}
	}
	return finding{What: "lab's lock", State: fine, Found: "free: no other lab measures"}
}

// ofNoise holds what else the machine does against the noise gate.
func ofNoise(u runner.Usage, err error) finding {
	if err != nil {
		return finding{What: "noise", State: unknown, Found: firstLineOf(err)}
	}
	f := finding{What: "noise", State: fine, Found: fmt.Sprintf(
		"%.3f cores used by others, %.3f stolen, over %.1f s; the gate is at %.2f and %.2f",
		u.Background, u.Steal, u.Elapsed.Seconds(), stats.MaxBackground, stats.MaxSteal)}
	var fixes []string
	if u.Background > stats.MaxBackground {
		fixes = append(fixes, "stop what else runs (top shows it): such tests are marked noisy and lower the grade")
	}
	if u.Steal > stats.MaxSteal {
		fixes = append(fixes, "the host gives cores to others: measure at another time, or on a machine of your own")
	}
	if len(fixes) > 0 {
		f.State, f.Fix = limits, strings.Join(fixes, "\n")
	}
	return f
}

// ofLeftovers lists what killed labs left, and why it could not be removed where that was tried.
func ofLeftovers(left []pgserver.Leftover, err error) (all []finding) {
	for _, l := range left {
		f := finding{What: "left behind", State: limits, Found: l.Dir, Fix: "loadtest doctor --clean"}
		if n := len(l.Processes); n > 0 {
			f.Found += fmt.Sprintf(" and %d processes of its Postgres", n)
		}
		if l.Container != "" {
			f.Found += " and its container (" + l.Container + ")"
		}
		if err != nil {
			f.Fix = firstLineOf(err)
		}
		all = append(all, f)
	}
	if all == nil {
		all = []finding{{What: "left behind", State: fine, Found: "nothing of a killed lab"}}
	}
	return all
}

// ofContainersLeft is of a project of the lab's own, and of the error where it could not be looked at or removed.
func ofContainersLeft(project, left string, err error) []finding {
	f := finding{What: "left in containers", State: limits, Found: left, Fix: "loadtest doctor --clean"}
	switch {
	case err != nil:
		f.State, f.Found, f.Fix = unknown, firstLineOf(err), "COMPOSE_PROJECT_NAME="+project+" loadtest down"
	case left == "":
		return nil
	}
	return []finding{f}
}
