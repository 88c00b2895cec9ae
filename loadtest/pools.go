package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// poolsOf finds the pools in what the parts say of themselves, in the order of parts and names, with counters since each
// process began.
func poolsOf(said map[string]json.RawMessage) []result.Pool {
	pools := []result.Pool{}
	for part, text := range said {
		var page struct{ Stats map[string]json.RawMessage }
		if json.Unmarshal(text, &page) != nil {
			continue
		}
		for name, text := range page.Stats {
			var c struct {
				Max           int64
				Acquires      int64
				EmptyAcquires int64   `json:"empty_acquires"`
				WaitMs        float64 `json:"acquire_wait_ms"`
			}
			if kind, _, _ := strings.Cut(name, "."); kind != "pool" || json.Unmarshal(text, &c) != nil {
				continue
			}
			pools = append(pools, result.Pool{Part: part, Name: name, Max: c.Max, Acquires: c.Acquires, EmptyAcquires: c.EmptyAcquires,
				WaitMs: c.WaitMs})
		}
	}
	slices.SortFunc(pools, func(a, b result.Pool) int {
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Name, b.Name))
	})
	return pools
}

// poolsBetween is what pools did between two looks at the same processes; none where one of them was started again, or could not be
// asked.
func poolsBetween(a, b []result.Pool) []result.Pool {
	if len(a) != len(b) {
		return []result.Pool{}
	}
	did := append([]result.Pool{}, b...)
	for i, before := range a {
		p := &did[i]
		if before.Part != p.Part || before.Name != p.Name || before.Acquires > p.Acquires || before.WaitMs > p.WaitMs {
			return []result.Pool{}
		}
		p.Acquires -= before.Acquires
		p.EmptyAcquires -= before.EmptyAcquires
		p.WaitMs -= before.WaitMs
	}
	return did
}
