package compose

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		budget float64
		shares []float64
		want   []float64 // nil: refused
	}{
		{"even, to the last hundredth", 0.67, []float64{1, 1, 1, 1}, []float64{0.17, 0.17, 0.17, 0.16}},
		{"even, without a rest", 2, []float64{1, 1, 1, 1}, []float64{0.5, 0.5, 0.5, 0.5}},
		{"largest remainders", 0.67, []float64{0.40, 0.33, 0.17, 0.10}, []float64{0.27, 0.22, 0.11, 0.07}},
		{"shares of any scale", 0.67, []float64{40, 33, 17, 10}, []float64{0.27, 0.22, 0.11, 0.07}},
		{"one gets the least", 1, []float64{97, 1, 1, 1}, []float64{0.85, 0.05, 0.05, 0.05}},
		{"the least of one pushes another", 0.24, []float64{50, 26, 24, 0}, []float64{0.09, 0.05, 0.05, 0.05}},
		{"just enough", 0.20, []float64{9, 1, 0, 0}, []float64{0.05, 0.05, 0.05, 0.05}},
		{"a single part", 0.5, []float64{3}, []float64{0.5}},
		{"no shares at all", 1, []float64{0, 0}, nil},
		{"too little", 0.19, []float64{1, 1, 1, 1}, nil},
		{"nobody", 1, nil, nil},
		{"a negative share", 1, []float64{1, -1}, nil},
		{"not a number", 1, []float64{1, math.NaN()}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Split(tt.budget, tt.shares)
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("got %v, %v", got, err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSplitAddsUp tries many budgets and shares: always the budget, never under the least.
func TestSplitAddsUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		shares := make([]float64, 1+r.IntN(6))
		for i := range shares {
			shares[i] = math.Pow(r.Float64(), 4)
		}
		budget := float64(leastQuota*len(shares)+r.IntN(400)) / hundredths
		got, err := Split(budget, shares)
		if err != nil {
			t.Fatalf("Split(%v, %v): %v", budget, shares, err)
		}
		sum := 0
		for _, q := range got {
			n := int(math.Round(q * hundredths))
			if n < leastQuota {
				t.Fatalf("Split(%v, %v) = %v", budget, shares, got)
			}
			sum += n
		}
		if sum != int(math.Round(budget*hundredths)) {
			t.Fatalf("Split(%v, %v) = %v, which adds up to %d hundredths", budget, shares, got, sum)
		}
	}
}
