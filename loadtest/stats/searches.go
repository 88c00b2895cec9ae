package stats

import (
	"math"
	"slices"

	"splitshop/loadtest/result"
)

// Searches is what several searches of one design found together.
type Searches struct {
	Median       result.Capacity // of the last passes, and of the first failures; its Status, Low and High alone
	Low, High    *float64        // the lowest last pass and the highest first failure; nil where a search knows none
	N            int             // searches that found something
	NonMonotonic int             // of these
	Of           int             // all of them
}

// SearchesOf sums up what searches of one design found. Those that are invalid or had too few arrivals count for nothing. A median is
// non-monotonic where at least half of the searches were.
func SearchesOf(found []result.Capacity) Searches {
	s := Searches{Of: len(found)}
	var lows, highs []float64
	for _, c := range found {
		if !Counts(c) {
			continue
		}
		s.N++
		if c.Status == result.NonMonotonic {
			s.NonMonotonic++
		}
		lows, highs = append(lows, rateOr(c.Low, math.Inf(-1))), append(highs, rateOr(c.High, math.Inf(1)))
	}
	if s.N == 0 {
		s.Median.Status = result.NotValid
		return s // Summarize knows no medians of nothing
	}
	low, high := Summarize(lows), Summarize(highs)
	s.Low, s.High = finite(low.Low), finite(high.High)
	s.Median.Low, s.Median.High = finite(low.Median), finite(high.Median)
	s.Median.Status = statusOf(s.Median.Low, s.Median.High, 2*s.NonMonotonic >= s.N)
	return s
}

// Counts says that a capacity is one: not of status invalid, nor of too few arrivals.
func Counts(c result.Capacity) bool {
	return c.Status != result.NotValid && c.Status != result.TooFewArrivals
}

// DesignSearches is what the searches of one design found together.
type DesignSearches struct {
	Name string
	Searches
}

// SearchesByDesign sums up each design's searches, in the order of first appearance. of, if not nil, is what of a capacity counts
// in its place.
func SearchesByDesign(designs []result.Design, of func(result.Capacity) result.Capacity) (all []DesignSearches) {
	var found [][]result.Capacity
	for _, d := range designs {
		if d.Capacity == nil {
			continue
		}
		i := slices.IndexFunc(all, func(o DesignSearches) bool { return o.Name == d.Name })
		if i < 0 {
			i, all, found = len(all), append(all, DesignSearches{Name: d.Name}), append(found, nil)
		}
		c := *d.Capacity
		if of != nil {
			c = of(c)
		}
		found[i] = append(found[i], c)
	}
	for i := range all {
		all[i].Searches = SearchesOf(found[i])
	}
	return all
}

func rateOr(rate *float64, otherwise float64) float64 {
	if rate == nil {
		return otherwise
	}
	return *rate
}

func finite(rate float64) *float64 {
	if math.IsInf(rate, 0) {
		return nil
	}
	return &rate
}
