package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Histogram records durations in microseconds, 1 us to 60 s to three digits, in fixed memory. What lies outside is
// clamped; what lies above is counted as well. It is not safe for concurrent use.
type Histogram struct {
	h        *hdrhistogram.Histogram
	max      int64 // exact
	overflow int64
}

const histogramTop = 60_000_000 // us

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{h: hdrhistogram.New(1, histogramTop, 3)} }

// Record adds one duration.
func (h *Histogram) Record(d time.Duration) {
	us := max(d.Microseconds(), 1)
	h.max = max(h.max, us)
	if us > histogramTop {
		us = histogramTop
		h.overflow++
	}
	_ = h.h.RecordValue(us) // in range by the two lines above
}

// Merge adds everything o holds.
func (h *Histogram) Merge(o *Histogram) {
	h.h.Merge(o.h)
	h.max = max(h.max, o.max)
	h.overflow += o.overflow
}

// Latency sums a histogram up, in microseconds. Without samples (Count 0) the other figures say nothing.
type Latency struct {
	Count                         int64
	P50, P75, P90, P95, P99, P999 int64
	Max                           int64 // exact, also where it lies above the range
	Overflow                      int64 // samples above 60 s, counted as 60 s in the percentiles
}

// Summary returns the percentiles. They never pass the maximum: a histogram answers with the upper end of a bucket.
func (h *Histogram) Summary() Latency {
	v := h.h.ValueAtPercentilesSlice([]float64{50, 75, 90, 95, 99, 99.9})
	for i := range v {
		v[i] = min(v[i], h.max)
	}
	return Latency{Count: h.h.TotalCount(), P50: v[0], P75: v[1], P90: v[2], P95: v[3], P99: v[4], P999: v[5],
		Max: h.max, Overflow: h.overflow}
}
