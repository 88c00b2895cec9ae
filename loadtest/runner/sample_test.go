package runner

import (
	"errors"
	"maps"
	"testing"
	"time"
)

// TestSettled has a child of 80 ms end while the processes are read: after its parent was, so that it counts nowhere, or before, so
// that it counts twice.
func TestSettled(t *testing.T) {
	t.Parallel()
	const parent, child, used = 1, 2, 80 * time.Millisecond
	before := map[int]procStat{parent: {}, child: {parent: parent, cpu: used}}
	missed := map[int]procStat{parent: {}}
	twice := map[int]procStat{parent: {reaped: used}, child: {parent: parent, cpu: used}}
	after := map[int]procStat{parent: {reaped: used}}
	for _, tt := range []struct {
		name     string
		readings []map[int]procStat
		reaped   []time.Duration // before the first reading, and after each
		wrong    bool            // the first reading alone says something else
	}{
		{"nothing ends", []map[int]procStat{before}, []time.Duration{0, 0}, false},
		{"ended long ago", []map[int]procStat{after}, []time.Duration{used, used}, false},
		{"its parent was read before", []map[int]procStat{missed, after}, []time.Duration{0, used, used}, true},
		{"its parent was read after", []map[int]procStat{twice, after}, []time.Duration{0, used, used}, true},
		{"another ends in the second reading", []map[int]procStat{twice, missed, after}, []time.Duration{0, 1, used, used}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reads, asked := 0, 0
			all, err := settled(
				func() (map[int]procStat, error) { reads++; return maps.Clone(tt.readings[reads-1]), nil },
				func() time.Duration { asked++; return tt.reaped[asked-1] })
			if err != nil {
				t.Fatal(err)
			}
			if got := take(all, "postgres", parent, true).CPU; got != used || reads != len(tt.readings) {
				t.Errorf("used %v after %d readings, want %v after %d", got, reads, used, len(tt.readings))
			}
			if alone := take(maps.Clone(tt.readings[0]), "postgres", parent, true).CPU; tt.wrong == (alone == used) {
				t.Errorf("the first reading alone says %v", alone)
			}
		})
	}
}

// TestSettledEnds is children that never stop ending, and a reading that fails.
func TestSettledEnds(t *testing.T) {
	t.Parallel()
	reads, reaped := 0, time.Duration(0)
	if _, err := settled(func() (map[int]procStat, error) { reads++; return nil, nil }, func() time.Duration { reaped++; return reaped }); err != nil || reads != mostReads {
		t.Errorf("%d readings, %v", reads, err)
	}
	broken := errors.New("no /proc")
	if _, err := settled(func() (map[int]procStat, error) { return nil, broken }, func() time.Duration { return 0 }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
