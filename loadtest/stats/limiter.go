package stats

import (
	"cmp"
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
	texts []string // parts with what each used
}

func (g group) share() float64 { return g.used / float64(len(g.cores)) }

func (g group) String() string {
	noun := "cores"
	if len(g.cores) == 1 {
		noun = "core"
	}
	return fmt.Sprintf("%s %s: %.2f of %d used (%s)", noun, joinInts(g.cores), g.used, len(g.cores), strings.Join(g.texts, ", "))
}

// queued is how many must have waited on average for a lock or a pool for it to have run out.
const queued = 1

// Limiter names what ran out in a step, with the figure: the quotas of some parts, else the cores of some; where all cores had room,
// locks and pools that were waited for; else that no cores were used up, with the busiest. After it stands what was looked at and had
// room. It says "" where nothing was sampled.
func Limiter(s result.Step, parts []result.Part) string {
	groups := groupsOf(s, parts)
	if len(groups) == 0 {
		return ""
	}
	short, enough := quotasIn(s, parts)
	out, idle := poolsIn(s)
	if a := s.Postgres; a != nil {
		text := fmt.Sprintf("locks: %.1f of %.1f active backends waited for another transaction", a.Locked, a.Active)
		if locked(s) { // before the pools: who waits for a lock keeps its connection
			out = append([]string{text}, out...)
		} else {
			idle = append([]string{text}, idle...)
		}
	}
	var room []string
	for _, g := range groups[1:] {
		room = append(room, g.String())
	}
	what := groups[0].String()
	switch resourceOf(s, groups) {
	case result.Quotas: // who is kept from running leaves the cores idle and its callers waiting
		what, room, idle = strings.Join(short, "; "), append([]string{what}, room...), append(idle, out...)
	case result.Cores:
		idle = append(idle, out...) // who waits for a connection while no core is free waits for the core
	case result.Locks, result.Pools:
		what, room = strings.Join(out, "; "), append([]string{what}, room...)
	default:
		what = "no cores were used up; busiest: " + what
	}
	if room = slices.Concat(enough, room, idle); len(room) > 0 {
		what += ". Also looked at: " + strings.Join(room, "; ")
	}
	return what
}

// RanOut is Limiter for programs: what ran out in a step, and whose it was; nil where nothing was sampled. Of cores it has every
// part whose cores were used up, not only those on the busiest.
func RanOut(s result.Step, parts []result.Part) *result.RanOut {
	groups := groupsOf(s, parts)
	if len(groups) == 0 {
		return nil
	}
	r := &result.RanOut{What: resourceOf(s, groups), Parts: []string{}}
	switch r.What {
	case result.Quotas:
		r.Parts = outOfQuota(s)
	case result.Cores:
		for _, g := range groups {
			if g.share() >= usedUp {
				r.Parts = append(r.Parts, g.parts...)
			}
		}
	case result.Pools:
		for _, p := range s.Pools {
			if Waiting(p, s) >= queued && !slices.Contains(r.Parts, p.Part) {
				r.Parts = append(r.Parts, p.Part)
			}
		}
	}
	return r
}

// resourceOf is the kind of what ran out, given the groups of parts with the busiest first.
func resourceOf(s result.Step, groups []group) result.Resource {
	switch {
	case len(outOfQuota(s)) > 0:
		return result.Quotas
	case groups[0].share() >= usedUp:
		return result.Cores
	case locked(s):
		return result.Locks
	case slices.ContainsFunc(s.Pools, func(p result.Pool) bool { return Waiting(p, s) >= queued }):
		return result.Pools
	}
	return result.Nothing
}

// locked says that transactions waited for each other.
func locked(s result.Step) bool { return s.Postgres != nil && s.Postgres.Locked >= queued }

// Waiting is how many waited for one of a pool's connections on average in a step, by Little's law.
func Waiting(p result.Pool, s result.Step) float64 { return p.WaitMs / 1000 / s.Seconds }

// groupsOf are the groups of parts that share cores, the busiest first.
func groupsOf(s result.Step, parts []result.Part) (groups []group) {
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
		groups[i].parts = append(groups[i].parts, p.Name)
		groups[i].texts = append(groups[i].texts, fmt.Sprintf("%s %.2f", p.Name, *used))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.share(), a.share()) })
	return groups
}

// poolsIn divides a step's pools into those that ran out and those that did not, the former with the more waiting first.
func poolsIn(s result.Step) (out, idle []string) {
	pools := slices.SortedStableFunc(slices.Values(s.Pools), func(a, b result.Pool) int { return cmp.Compare(b.WaitMs, a.WaitMs) })
	for _, p := range pools {
		text := fmt.Sprintf("pool of %s: %.1f waited for one of %d connections", PoolName(p), Waiting(p, s), p.Max)
		if Waiting(p, s) >= queued {
			out = append(out, text)
		} else {
			idle = append(idle, text)
		}
	}
	return out, idle
}

// PoolName is a pool's part and, where that has several, which of them.
func PoolName(p result.Pool) string {
	if _, which, ok := strings.Cut(p.Name, "."); ok {
		return p.Part + " " + which
	}
	return p.Part
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
