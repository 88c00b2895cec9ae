package compose

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Quotas are in hundredths of a core, the finest step that is worth a name.
const (
	hundredths = 100
	leastQuota = 5 // with less than 0.05 a process waits out most of each period
)

// Split divides a budget of cores among parts by their shares (any scale, not negative): to 0.01 by largest remainder, none
// under 0.05, adding up to the budget. Equal remainders go to the earlier part. An error where the budget is too small.
func Split(budget float64, shares []float64) ([]float64, error) {
	total := int(math.Round(budget * hundredths))
	if len(shares) == 0 || total < leastQuota*len(shares) {
		return nil, fmt.Errorf("%.2f cores are too few for %d parts: each needs %.2f", budget, len(shares), float64(leastQuota)/hundredths)
	}
	sum := 0.0
	for _, s := range shares {
		if s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("%v is no share", s)
		}
		sum += s
	}
	if sum == 0 {
		return nil, errors.New("no part has a share")
	}
	// Parts that would get too little get the least; the others share what is left, and may then get too little in turn.
	least := make([]bool, len(shares))
	for {
		parts := divide(total, shares, least)
		again := false
		for i, p := range parts {
			if p < leastQuota {
				least[i], again = true, true
			}
		}
		if again {
			continue
		}
		quotas := make([]float64, len(parts))
		for i, p := range parts {
			quotas[i] = float64(p) / hundredths
		}
		return quotas, nil
	}
}

// divide is the method of the largest remainder; parts marked least get just that.
func divide(total int, shares []float64, least []bool) []int {
	sum := 0.0
	for i, s := range shares {
		if least[i] {
			total -= leastQuota
		} else {
			sum += s
		}
	}
	parts, rest := make([]int, len(shares)), total
	var order []int // of those that may get one more
	remainder := make([]float64, len(shares))
	for i, s := range shares {
		if least[i] {
			parts[i] = leastQuota
			continue
		}
		exact := float64(total) * s / sum
		parts[i] = int(exact + 1e-9) // 0.29*100 is 28.999999999999996
		remainder[i] = exact - float64(parts[i])
		rest -= parts[i]
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch d := remainder[b] - remainder[a]; {
		case d > 1e-9:
			return 1
		case d < -1e-9:
			return -1
		}
		return 0
	})
	for _, i := range order[:min(max(rest, 0), len(order))] {
		parts[i]++
	}
	return parts
}
