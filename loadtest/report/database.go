package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// database is what Postgres and the connection pools did, one row for each step of which that is known.
func database(r result.Result) []string {
	rows := databaseRows(r)
	if len(rows) == 1 {
		return nil
	}
	return table(rows, 1, 6)
}

func databaseRows(r result.Result) [][]string {
	rows := [][]string{{"rate /s", "design", "active", "waiting", "for locks", "WAL MiB/s", "for a connection"}}
	for _, at := range detailed(r) {
		s := at.step
		if s.Postgres == nil && len(s.Pools) == 0 {
			continue
		}
		row := []string{perSecond(s.OfferedPerSecond), at.name, none, none, none, none}
		if a := s.Postgres; a != nil {
			row = append(row[:2], fmt.Sprintf("%.1f", a.Active), fmt.Sprintf("%.1f", a.Waiting), fmt.Sprintf("%.1f", a.Locked), none)
			if s.Seconds > 0 {
				row[5] = fmt.Sprintf("%.2f", float64(a.WAL)/(1<<20)/s.Seconds)
			}
		}
		var waiting []string
		for _, p := range s.Pools {
			waiting = append(waiting, fmt.Sprintf("%s %s", stats.PoolName(p), waited(p, s)))
		}
		rows = append(rows, append(row, orNone(strings.Join(waiting, ", "))))
	}
	return rows
}

// waited is how many waited for a connection on average.
func waited(p result.Pool, s result.Step) string {
	if s.Seconds <= 0 {
		return none
	}
	return fmt.Sprintf("%.1f", stats.Waiting(p, s))
}

// poolRows is what each pool did in each step.
func poolRows(r result.Result) [][]string {
	rows := [][]string{{"rate /s", "design", "pool", "connections", "acquired", "after a wait", "wait on average", "waited on average"}}
	for _, at := range detailed(r) {
		for _, p := range at.step.Pools {
			row := []string{perSecond(at.step.OfferedPerSecond), at.name, stats.PoolName(p), count(p.Max), count(p.Acquires), none, none,
				waited(p, at.step)}
			if p.Acquires > 0 {
				row[5] = fmt.Sprintf("%.1f %%", 100*float64(p.EmptyAcquires)/float64(p.Acquires))
				row[6] = fmt.Sprintf("%.2f ms", p.WaitMs/float64(p.Acquires))
			}
			rows = append(rows, row)
		}
	}
	return rows
}
