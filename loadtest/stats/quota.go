package stats

import (
	"cmp"
	"fmt"
	"slices"

	"splitshop/loadtest/result"
)

// throttledOften is the share of its periods from which on a quota is said to have run out: in each of them whatever was under way
// stood still for up to a whole period, which is longer than the usual limit of p99.
const throttledOften = 0.05

// throttled are the parts of a step that have a quota, the most throttled first.
func throttled(s result.Step) []result.Usage {
	used := slices.DeleteFunc(slices.Clone(s.Parts), func(u result.Usage) bool { return u.Throttled == nil })
	slices.SortStableFunc(used, func(a, b result.Usage) int { return cmp.Compare(stopped(b), stopped(a)) })
	return used
}

// stopped is the share of a part's periods in which it was throttled.
func stopped(u result.Usage) float64 { return share(u.Throttled.Throttled, u.Throttled.Periods) }

// outOfQuota are the parts whose quota ran out in a step, the most throttled first.
func outOfQuota(s result.Step) (names []string) {
	for _, u := range throttled(s) {
		if stopped(u) >= throttledOften {
			names = append(names, u.Name)
		}
	}
	return names
}

// quotasIn divides the CPU quotas of a step into those that ran out and those that did not, the most throttled first. Parts without
// a quota of their own are in neither.
func quotasIn(s result.Step, parts []result.Part) (out, idle []string) {
	for _, u := range throttled(s) {
		text := fmt.Sprintf("quota of %s%s: throttled in %.0f %% of its periods (%d of %d, %.0f ms)", u.Name, quotaOf(u.Name, parts),
			stopped(u)*100, u.Throttled.Throttled, u.Throttled.Periods, u.Throttled.Ms)
		if stopped(u) >= throttledOften {
			out = append(out, text)
		} else {
			idle = append(idle, text)
		}
	}
	return out, idle
}

// quotaOf is the quota of a part, in words.
func quotaOf(name string, parts []result.Part) string {
	i := slices.IndexFunc(parts, func(p result.Part) bool { return p.Name == name && p.Quota != nil })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(", %.2f cores", *parts[i].Quota)
}
