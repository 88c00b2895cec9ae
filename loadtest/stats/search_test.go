package stats

import (
	"math"
	"testing"

	"splitshop/loadtest/result"
)

var testSearch = Search{From: 10, Factor: 1.5, Max: 100_000, Width: 0.05}

// searched follows a search against a server that answers each run; it fails the test where the search does not end.
func searched(t *testing.T, s Search, server func(at Trial, run int) result.Outcome) (result.Capacity, []Tried) {
	t.Helper()
	var runs []Tried
	times := map[Trial]int{}
	for range 500 {
		at, found, done := s.Next(runs)
		if done {
			return found, runs
		}
		times[at]++
		runs = append(runs, Tried{at, result.Verdict{Outcome: server(at, times[at])}})
	}
	t.Fatalf("no end after %d runs", len(runs))
	return result.Capacity{}, nil
}

// carrying is a server of known capacity.
func carrying(capacity float64) func(Trial, int) result.Outcome {
	return func(at Trial, _ int) result.Outcome {
		if at.Rate <= capacity {
			return result.Pass
		}
		return result.Fail
	}
}

func TestSearchFindsAnyCapacity(t *testing.T) {
	t.Parallel()
	for capacity := 10.0; capacity < 90_000; capacity *= 1.037 {
		c, runs := searched(t, testSearch, carrying(capacity))
		if c.Status != result.Found || *c.Low > capacity || *c.High <= capacity || *c.High > *c.Low*1.05 {
			t.Errorf("capacity %g: %s %v to %v", capacity, c.Status, *c.Low, *c.High)
		}
		if last := runs[len(runs)-1]; !last.Long || last.Rate != *c.Low {
			t.Errorf("capacity %g: %g was not confirmed, last was %+v", capacity, *c.Low, last)
		}
	}
}

func TestSearchClaimsNoMoreThanItSaw(t *testing.T) {
	t.Parallel()
	always := func(o result.Outcome) func(Trial, int) result.Outcome {
		return func(Trial, int) result.Outcome { return o }
	}
	long := func(limit float64) func(Trial, int) result.Outcome { // the longer run carries less
		return func(at Trial, run int) result.Outcome {
			if at.Long {
				return carrying(limit)(at, run)
			}
			return carrying(1000)(at, run)
		}
	}
	for _, tc := range []struct {
		name      string
		server    func(Trial, int) result.Outcome
		status    result.CapacityStatus
		low, high float64 // the bracket lies within; 0: none
	}{
		{"never fails", always(result.Pass), result.AtLeast, 100_000, 0},
		{"never passes", always(result.Fail), result.Below, 0, 10},
		{"all INVALID", always(result.Invalid), result.NotValid, 0, 10},
		{"too few arrivals", always(result.Insufficient), result.TooFewArrivals, 0, 10},
		{"every first run fails", func(at Trial, run int) result.Outcome {
			if run == 1 {
				return result.Fail
			}
			return carrying(1000)(at, run)
		}, result.Found, 952, 1050},
		{"every first run is INVALID", func(at Trial, run int) result.Outcome {
			if run == 1 {
				return result.Invalid
			}
			return carrying(1000)(at, run)
		}, result.Found, 952, 1050},
		{"the longer run carries a little less", long(950), result.Found, 900, 1000},
		{"the longer run carries far less", long(500), result.NonMonotonic, 476, 525},
		{"no longer run passes", long(1), result.NonMonotonic, 0, 10.5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := searched(t, testSearch, tc.server)
			low, high := rateOr0(c.Low), rateOr0(c.High)
			if c.Status != tc.status || low < tc.low || high > tc.high || (tc.low == 0) != (low == 0) || (tc.high == 0) != (high == 0) {
				t.Errorf("%s %g to %g; want %s within %g to %g", c.Status, low, high, tc.status, tc.low, tc.high)
			}
		})
	}
}

// The first rates are the climb's, and the first after a failure the geometric middle.
func TestSearchClimbsThenHalves(t *testing.T) {
	t.Parallel()
	_, runs := searched(t, testSearch, carrying(20))
	want := []float64{10, 15, 22.5, 22.5, math.Sqrt(15 * 22.5)} // a failure is run twice
	for i, rate := range want {
		if runs[i].Rate != rate {
			t.Errorf("run %d at %g, want %g", i+1, runs[i].Rate, rate)
		}
	}
}

func rateOr0(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// A noisy run is made once more, also where it passed; noisy again, it counts.
func TestSearchMakesANoisyRunAgain(t *testing.T) {
	t.Parallel()
	from, up := Trial{Rate: 10}, Trial{Rate: 15}
	pass := func(at Trial, noisy bool) Tried { return Tried{at, result.Verdict{Outcome: result.Pass, Noisy: noisy}} }
	for _, tc := range []struct {
		name string
		runs []Tried
		want Trial
	}{
		{"quiet", []Tried{pass(from, false)}, up},
		{"noisy", []Tried{pass(from, true)}, from},
		{"noisy, then quiet", []Tried{pass(from, true), pass(from, false)}, up},
		{"noisy twice", []Tried{pass(from, true), pass(from, true)}, up},
	} {
		if got, _, done := testSearch.Next(tc.runs); done || got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// Until a search is done it gives the bracket so far, which is no capacity yet.
func TestSearchSoFar(t *testing.T) {
	t.Parallel()
	var runs []Tried
	low, high := 0.0, math.Inf(1)
	for range 100 {
		at, found, done := testSearch.Next(runs)
		if done {
			return
		}
		if found.Status != result.NotValid || rateOr0(found.Low) != low || rateOr(found.High, math.Inf(1)) != high {
			t.Fatalf("after %d runs: %s %g to %g; want %g to %g", len(runs), found.Status, rateOr0(found.Low), rateOr0(found.High), low, high)
		}
		o := carrying(1000)(at, 1)
		runs = append(runs, Tried{at, result.Verdict{Outcome: o}})
		if _, final := decided(runs, at); final && o == result.Pass && !at.Long {
			low = at.Rate
		} else if final && o == result.Fail {
			high = at.Rate
		}
	}
	t.Error("no end")
}
