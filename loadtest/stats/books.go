package stats

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// Unbalanced says in words why the books of a run do not balance; "" where they do. They balance if every order that was
// answered can be read back as it was answered, and there are no more orders than were answered or may have been made by
// requests without a clear answer.
func Unbalanced(b result.Books) string {
	var why []string
	add := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if b.Missing > 0 {
		add("%d of %d orders that were answered do not exist", b.Missing, b.Answered)
	}
	if b.Wrong > 0 {
		add("%d of %d orders are not as they were answered", b.Wrong, b.Answered)
	}
	if n := b.Unread(); n > 0 {
		add("%d of %d orders that were answered could not be read back", n, b.Answered)
	}
	if b.Made != nil && *b.Made < b.Answered {
		add("%d orders were answered and only %d made", b.Answered, *b.Made)
	}
	if b.Made != nil && *b.Made > b.Answered+b.Uncertain {
		add("%d orders were made and only %d asked for", *b.Made, b.Answered+b.Uncertain)
	}
	if len(why) == 0 {
		return ""
	}
	says := "the books do not balance: " + strings.Join(why, "; ")
	if b.Example != "" {
		says += " (" + b.Example + ")"
	}
	return says
}

// Disbelieve makes a verdict INVALID for a reason that is not the step's own.
func Disbelieve(v result.Verdict, why string) result.Verdict {
	if v.Outcome != result.Invalid {
		v.Outcome, v.Criterion, v.Reasons = result.Invalid, "", nil
	}
	v.Reasons = append(slices.Clone(v.Reasons), why)
	return v
}
