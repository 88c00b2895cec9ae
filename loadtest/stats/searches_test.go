package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

func TestSearchesOf(t *testing.T) {
	t.Parallel()
	bracket := func(low, high float64) result.Capacity { return bracketOf(low, high, false, CriterionP99) }
	nonMonotonic := func(low, high float64) result.Capacity { return bracketOf(low, high, true, CriterionP99) }
	invalid := result.Capacity{Status: result.NotValid, Low: ptr(9000.0), High: ptr(9100.0)} // counts for nothing
	few := result.Capacity{Status: result.TooFewArrivals, High: ptr(1.0)}
	median := func(status result.CapacityStatus, low, high float64) result.Capacity {
		return result.Capacity{Status: status, Low: known(low), High: known(high)}
	}
	for _, test := range []struct {
		name      string
		found     []result.Capacity
		want      result.Capacity
		low, high float64 // of the range; 0: not known
		n, non    int
	}{
		{"one", []result.Capacity{bracket(100, 105)}, median(result.Found, 100, 105), 100, 105, 1, 0},
		{"odd", []result.Capacity{bracket(100, 105), bracket(130, 136), bracket(90, 94)}, median(result.Found, 100, 105), 90, 136, 3, 0},
		{"even", []result.Capacity{bracket(100, 110), bracket(120, 130), bracket(90, 94), bracket(140, 150)},
			median(result.Found, 110, 120), 90, 150, 4, 0},
		{"invalid ones aside", []result.Capacity{bracket(100, 105), invalid, few}, median(result.Found, 100, 105), 100, 105, 1, 0},
		{"none", nil, median(result.NotValid, 0, 0), 0, 0, 0, 0},
		{"all invalid", []result.Capacity{invalid, few}, median(result.NotValid, 0, 0), 0, 0, 0, 0},
		{"one carried all", []result.Capacity{bracket(100, 105), bracket(500, 0), bracket(110, 115)},
			median(result.Found, 110, 115), 100, 0, 3, 0},
		{"all carried all", []result.Capacity{bracket(500, 0), bracket(500, 0)}, median(result.AtLeast, 500, 0), 500, 0, 2, 0},
		{"half below", []result.Capacity{bracket(0, 50), bracket(60, 70)}, median(result.Below, 0, 60), 0, 70, 2, 0},
		{"nothing in common", []result.Capacity{bracket(0, 50), bracket(500, 0)}, median(result.NotValid, 0, 0), 0, 0, 2, 0},
		{"one of three non-monotonic", []result.Capacity{nonMonotonic(80, 84), bracket(100, 105), bracket(110, 115)},
			median(result.Found, 100, 105), 80, 115, 3, 1},
		{"half non-monotonic", []result.Capacity{nonMonotonic(80, 84), bracket(100, 105)},
			median(result.NonMonotonic, 90, 94.5), 80, 105, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := Searches{Median: test.want, Low: known(test.low), High: known(test.high), N: test.n, NonMonotonic: test.non,
				Of: len(test.found)}
			if diff := cmp.Diff(want, SearchesOf(test.found)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
