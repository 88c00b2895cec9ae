package stats

import "math"

// confidence of the bounds that decide whether there were arrivals enough.
const confidence = 0.95

// Needed is how many trials, k of which went wrong, are needed to claim at 95 % confidence that fewer than the share limit
// go wrong: the exact Poisson upper bound of k over the limit, rounded up to the next 50. For 0.1 % that is 3,000 with
// none (the "rule of three") and 4,750 with one.
func Needed(limit float64, k int64) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	n := math.Ceil(poissonUpper(k)/limit/50-1e-9) * 50
	if n > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return int64(n)
}

// surelyAbove says whether k of n is, at 95 % confidence, more than the share limit: few trials suffice to show a bad one.
func surelyAbove(k, n int64, limit float64) bool {
	return k > 0 && n > 0 && poissonLower(k)/float64(n) > limit
}

// poissonUpper is the mean at which k or fewer events have a probability of only 5 %.
func poissonUpper(k int64) float64 {
	return bisect(float64(k), float64(k)+10*math.Sqrt(float64(k)+1)+10, func(mean float64) bool {
		return poissonAtMost(k, mean) > 1-confidence
	})
}

// poissonLower is the mean at which k or more events have a probability of only 5 %. k > 0.
func poissonLower(k int64) float64 {
	return bisect(0, float64(k), func(mean float64) bool { return 1-poissonAtMost(k-1, mean) < 1-confidence })
}

// bisect returns the point between low, where below holds, and high, where it does not.
func bisect(low, high float64, below func(float64) bool) float64 {
	for range 60 {
		if mid := (low + high) / 2; below(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// poissonAtMost is the probability of k events or fewer where mean are expected.
func poissonAtMost(k int64, mean float64) float64 {
	if mean == 0 {
		return 1
	}
	sum := 0.0
	for i := int64(0); i <= k; i++ { // in logarithms, for large means
		lg, _ := math.Lgamma(float64(i) + 1)
		sum += math.Exp(float64(i)*math.Log(mean) - mean - lg)
	}
	return math.Min(sum, 1)
}
