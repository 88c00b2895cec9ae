package cgroup

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Throttling is what a quota did, since the group was made. The kernel counts it also for groups that have no quota, as 0.
type Throttling struct {
	Periods   int64         // in which the group had something to run
	Throttled int64         // of these, in which the quota ran out
	Time      time.Duration // throttled, added up over the cores on which the group had something to run
}

// Throttling reads the group's counters.
func (g Group) Throttling() (Throttling, error) {
	text, err := g.file("cpu", "cpu.stat", "cpu.stat")
	if err != nil {
		return Throttling{}, err
	}
	// Nanoseconds in version 1, microseconds in version 2.
	key, unit := "throttled_usec", time.Microsecond
	if g.v1() {
		key, unit = "throttled_time", time.Nanosecond
	}
	values := make(map[string]int64)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if values[name], err = strconv.ParseInt(value, 10, 64); err != nil {
			return Throttling{}, fmt.Errorf("cpu.stat: %w", err)
		}
	}
	for _, name := range []string{"nr_periods", "nr_throttled", key} {
		if _, ok := values[name]; !ok {
			return Throttling{}, fmt.Errorf("cpu.stat has no %s", name)
		}
	}
	return Throttling{Periods: values["nr_periods"], Throttled: values["nr_throttled"], Time: time.Duration(values[key]) * unit}, nil
}

// Since is what happened after an earlier look at the same group. It is false where the counters went backwards: it is another group
// by now.
func (t Throttling) Since(before Throttling) (Throttling, bool) {
	d := Throttling{Periods: t.Periods - before.Periods, Throttled: t.Throttled - before.Throttled, Time: t.Time - before.Time}
	return d, d.Periods >= 0 && d.Throttled >= 0 && d.Time >= 0
}
