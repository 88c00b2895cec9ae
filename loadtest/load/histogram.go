package load

import (
	"encoding/json"
	"errors"
	"fmt"
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

const (
	histogramTop    = 60_000_000 // us
	histogramDigits = 3
)

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{h: hdrhistogram.New(1, histogramTop, histogramDigits)}
}

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

// histogramText is a histogram in JSON: everything it holds, so that what was recorded in several processes can be merged.
type histogramText struct {
	HDR      string `json:"hdr"` // HdrHistogram V2, compressed, base64
	Max      int64  `json:"max_us"`
	Overflow int64  `json:"overflow"`
}

// MarshalJSON encodes everything that the histogram holds.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	text, err := h.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encoding a histogram: %w", err)
	}
	return json.Marshal(histogramText{HDR: string(text), Max: h.max, Overflow: h.overflow})
}

// UnmarshalJSON is the reverse of MarshalJSON. It refuses a histogram of another range or precision, and one that cannot have
// been recorded.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var text histogramText
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	decoded, err := hdrhistogram.Decode([]byte(text.HDR))
	if err != nil {
		return fmt.Errorf("decoding a histogram: %w", err)
	}
	if decoded.LowestTrackableValue() != 1 || decoded.HighestTrackableValue() != histogramTop ||
		decoded.SignificantFigures() != histogramDigits {
		return errors.New("decoding a histogram: its range or precision is another")
	}
	if n := decoded.TotalCount(); text.Overflow < 0 || text.Overflow > n || (n == 0) != (text.Max == 0) ||
		n > 0 && min(text.Max, histogramTop) < decoded.Min() {
		return errors.New("decoding a histogram: its counts contradict each other")
	}
	*h = Histogram{h: decoded, max: text.Max, overflow: text.Overflow}
	return nil
}
