package stats

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// usedUp is the share of its cores above which a group of parts is said to have used them up.
const usedUp = 0.85

// group is the parts that share a set of cores.
type group struct {
	cores []int
	used  float64
	parts []string
}

func (g group) share() float64 { return g.used / float64(len(g.cores)) }

func (g group) String() string {
	noun := "cores"
	if len(g.cores) == 1 {
		noun = "core"
	}
	return fmt.Sprintf("%s %s: %.2f of %d used (%s)", noun, joinInts(g.cores), g.used, len(g.cores), strings.Join(g.parts, ", "))
}

// Limiter names what ran out in a step: the cores of which parts, with the figure; or that no cores were used up, with the
// busiest ones. It says "" where nothing was sampled.
func Limiter(s result.Step, parts []result.Part) string {
	var groups []group
	for _, p := range parts {
		used := usageOf(s, p.Name)
		if len(p.Actual) == 0 || used == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.cores, p.Actual) })
		if i < 0 {
			groups, i = append(groups, group{cores: p.Actual}), len(groups)
		}
		groups[i].used += *used
		groups[i].parts = append(groups[i].parts, fmt.Sprintf("%s %.2f", p.Name, *used))
	}
	if len(groups) == 0 {
		return ""
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		switch {
		case a.share() > b.share():
			return -1
		case a.share() < b.share():
			return 1
		}
		return 0
	})
	if top := groups[0]; top.share() < usedUp {
		return "no cores were used up; busiest: " + top.String()
	}
	return groups[0].String()
}

func usageOf(s result.Step, name string) *float64 {
	for _, u := range s.Parts {
		if u.Name == name {
			return u.Cores
		}
	}
	return nil
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, ",")
}
