package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// pools says of each connection pool how much of it was used and how long was waited for it. Processes that say nothing of
// pools are left out.
func pools(r result.Result) []string {
	rows := poolRows(r)
	if len(rows) == 1 {
		return nil
	}
	return table(rows, 0, 1)
}

func poolRows(r result.Result) [][]string {
	rows := [][]string{{"design", "part", "most in use", "acquired", "after a wait", "wait on average"}}
	for _, d := range r.Designs {
		for _, part := range slices.Sorted(maps.Keys(d.Stats)) {
			own := object(object(d.Stats[part])["stats"])
			for _, name := range slices.Sorted(maps.Keys(own)) {
				if row := poolRow(label(r, d), part, name, object(own[name])); row != nil {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

func poolRow(design, part, name string, pool map[string]any) []string {
	figures := map[string]float64{}
	for _, key := range []string{"acquires", "empty_acquires", "acquire_wait_ms", "max", "max_in_use"} {
		n, ok := pool[key].(float64)
		if !ok {
			return nil // no pool
		}
		figures[key] = n
	}
	if _, which, ok := strings.Cut(name, "."); ok { // "pool.cart": one of several
		part += " " + which
	}
	row := []string{design, part, fmt.Sprintf("%.0f of %.0f", figures["max_in_use"], figures["max"]), count(int64(figures["acquires"]))}
	if figures["acquires"] == 0 {
		return append(row, none, none)
	}
	return append(row, fmt.Sprintf("%.1f %%", 100*figures["empty_acquires"]/figures["acquires"]),
		fmt.Sprintf("%.2f ms", figures["acquire_wait_ms"]/figures["acquires"]))
}

// object is a JSON object, empty where the value is none.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
