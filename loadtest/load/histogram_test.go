package load

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
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

// A histogram that was sent from one process to another is the same, and merges the same.
func TestHistogramInJSON(t *testing.T) {
	t.Parallel()
	r, all, received := NewRandom(1), NewHistogram(), NewHistogram()
	for part := range 4 { // the first one is empty
		h := NewHistogram()
		for range part * 500 {
			h.Record(time.Duration(1) << r.Below(38)) // to 275 s
		}
		all.Merge(h)
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var again Histogram
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, want := again.Summary(), h.Summary(); got != want {
			t.Errorf("sent %+v, received %+v", want, got)
		}
		received.Merge(&again)
	}
	if got, want := received.Summary(), all.Summary(); got != want || got.Overflow == 0 {
		t.Errorf("sent %+v, received %+v", want, got)
	}
	coarse, err := hdrhistogram.New(1, histogramTop, 2).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	full, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"another precision": fmt.Sprintf(`{"hdr":%q,"max_us":0,"overflow":0}`, coarse),
		"no histogram":      `{"max_us":0,"overflow":0}`,
		"damaged":           strings.Replace(string(full), `"hdr":"HIST`, `"hdr":"HISS`, 1),
		"no maximum":        strings.Replace(string(full), `"max_us":`, `"max_us":0,"was":`, 1),
	} {
		if err := json.Unmarshal([]byte(text), NewHistogram()); err == nil {
			t.Errorf("%s was taken: %.80s", name, text)
		}
	}
}
