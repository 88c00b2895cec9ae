package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
)

// title is a report's heading.
func title(r result.Result) string {
	words := map[string]string{result.ModeClosed: "Closed loop", result.ModeCompare: "Comparison",
		result.ModeFixed: "Fixed rate"}[r.Mode]
	if words == "" && r.Mode != "" {
		words = strings.ToUpper(r.Mode[:1]) + r.Mode[1:]
	}
	return words + " of " + r.Plan.Mix
}

// isRepeated says that each design of a run is a repeat of one step.
func isRepeated(r result.Result) bool {
	return r.ClosedLoop() || r.Mode == result.ModeFixed
}

// rounds is what a mode calls the n-th time that a design is measured.
func rounds(r result.Result) string {
	if r.Mode == result.ModeSearch {
		return "search"
	}
	return "repeat"
}

// planInWords is what was offered, in a line.
func planInWords(r result.Result) string {
	p := r.Plan
	open := fmt.Sprintf("%s arrivals, at most %s users", p.Arrivals, count(int64(p.Users)))
	switch {
	case r.Mode == result.ModeSearch && p.Search != nil:
		return fmt.Sprintf("each design %s; %s", plural(p.Repeats, "time"), open)
	case len(p.Steps) == 0:
		return ""
	case r.Mode == result.ModeFixed:
		return fmt.Sprintf("%s/s for %g s, each design %s; %s", perSecond(p.Steps[0].PerSecond), p.Steps[0].Seconds,
			plural(p.Repeats, "time"), open)
	case r.ClosedLoop():
		return fmt.Sprintf("%d users without think time, %d times %g s each", p.Users, p.Repeats, p.Steps[0].Seconds)
	}
	shortest, longest := p.Steps[0].Seconds, p.Steps[0].Seconds
	for _, s := range p.Steps {
		shortest, longest = min(shortest, s.Seconds), max(longest, s.Seconds)
	}
	return fmt.Sprintf("%s of %s s, %s", plural(len(p.Steps), "step"), span(shortest, longest), open)
}
