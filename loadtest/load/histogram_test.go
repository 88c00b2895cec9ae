package load

import (
	"testing"
	"time"
)

func ordered(l Latency) bool {
	return l.P50 <= l.P75 && l.P75 <= l.P90 && l.P90 <= l.P95 && l.P95 <= l.P99 && l.P99 <= l.P999 && l.P999 <= l.Max
}

func TestHistogramClampsAndCounts(t *testing.T) {
	t.Parallel()
	h := NewHistogram()
	for _, d := range []time.Duration{-time.Second, 0, time.Microsecond, time.Millisecond, time.Minute, 2 * time.Minute} {
		h.Record(d)
	}
	l := h.Summary()
	if l.Count != 6 || l.Overflow != 1 || l.Max != (2*time.Minute).Microseconds() {
		t.Errorf("%+v", l)
	}
	if empty := NewHistogram().Summary(); empty != (Latency{}) {
		t.Errorf("an empty histogram says %+v", empty)
	}
}

func TestPercentilesOfOneValueAreThatValue(t *testing.T) {
	t.Parallel()
	h := NewHistogram()
	h.Record(12345678 * time.Microsecond) // the bucket's upper end lies above it
	if l := h.Summary(); l.P50 != l.Max || l.P999 != l.Max || l.Max != 12345678 {
		t.Errorf("%+v", l)
	}
}

// Merging loses no sample and no overflow, and keeps percentiles in order, whatever was recorded.
func TestMergeKeepsOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint32(50) {
		r, all, parts := NewRandom(seed), NewHistogram(), []*Histogram{NewHistogram(), NewHistogram(), NewHistogram()}
		for range 500 {
			d := time.Duration(1) << r.Below(38) // to 275 s
			all.Record(d)
			parts[r.Below(3)].Record(d)
		}
		merged := NewHistogram()
		for _, p := range parts {
			merged.Merge(p)
		}
		if got, want := merged.Summary(), all.Summary(); got != want || !ordered(got) {
			t.Fatalf("seed %d: merged %+v, together %+v", seed, got, want)
		}
	}
}
