package stats

import (
	"math"
	"testing"
)

func TestNeeded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit float64
		k     int64
		want  int64
	}{
		{"none of a thousandth: the rule of three", 0.001, 0, 3000},
		{"one of a thousandth", 0.001, 1, 4750},
		{"two", 0.001, 2, 6300},
		{"ten", 0.001, 10, 17000},
		{"none of a hundredth", 0.01, 0, 300},
		{"one of a hundredth", 0.01, 1, 500},
		{"no limit to keep", 0, 0, math.MaxInt64},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Needed(test.limit, test.k); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// The bounds of a Poisson mean at 95 % that every table of them gives (one-sided; Garwood 1936).
func TestPoissonBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		k            int64
		lower, upper float64
	}{{0, 0, 2.996}, {1, 0.051, 4.744}, {2, 0.355, 6.296}, {5, 1.970, 10.513}, {10, 5.425, 16.962}, {50, 38.965, 63.287}} {
		if got := poissonUpper(test.k); math.Abs(got-test.upper) > 0.001 {
			t.Errorf("upper bound of %d: %.3f, want %.3f", test.k, got, test.upper)
		}
		if test.k == 0 {
			continue
		}
		if got := poissonLower(test.k); math.Abs(got-test.lower) > 0.001 {
			t.Errorf("lower bound of %d: %.3f, want %.3f", test.k, got, test.lower)
		}
	}
}

func TestPoissonOfManyIsFinite(t *testing.T) {
	t.Parallel()
	if got := poissonUpper(100_000); got < 100_500 || got > 100_600 || math.IsNaN(got) {
		t.Errorf("%g", got)
	}
}
