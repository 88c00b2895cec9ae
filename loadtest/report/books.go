package report

import (
	"fmt"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// books sets the orders that were answered against those that exist, a line for each design whose books were checked.
func books(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		if d.Books == nil {
			continue
		}
		b := *d.Books
		line := fmt.Sprintf("%s: %s orders answered, %s read back as they were answered", label(r, d), count(b.Answered), count(b.ReadBack))
		if b.Uncertain > 0 {
			line += fmt.Sprintf(", %s asked for without a clear answer", count(b.Uncertain))
		}
		if b.Made != nil {
			line += fmt.Sprintf(", %s in the database", count(*b.Made))
		}
		if why := stats.Unbalanced(b); why != "" {
			lines = append(lines, line+"; INVALID: "+why)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}
