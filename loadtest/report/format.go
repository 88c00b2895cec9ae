package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"splitshop/loadtest/result"
)

// none stands for a figure that could not be had.
const none = "-"

// count writes a whole number with separators: 12,345.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(int64(n)) + " " + noun + "s"
}

// perSecond writes a rate to three digits or whole.
func perSecond(r float64) string {
	switch {
	case r < 10:
		return fmt.Sprintf("%.2f", r)
	case r < 100:
		return fmt.Sprintf("%.1f", r)
	}
	return count(int64(r + 0.5))
}

// ms writes microseconds as milliseconds.
func ms(us int64) string {
	switch v := float64(us) / 1000; {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	default:
		return count(int64(v + 0.5))
	}
}

// percentile picks one figure of a latency, or none.
func percentile(l *result.Latency, of func(*result.Latency) int64) string {
	if l == nil {
		return none
	}
	return ms(of(l))
}

func p50(l *result.Latency) int64 { return l.P50 }
func p99(l *result.Latency) int64 { return l.P99 }

func span(low, high float64) string {
	if low == high {
		return fmt.Sprintf("%.3g", low)
	}
	return fmt.Sprintf("%.3g to %.3g", low, high)
}

func cores(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, ",")
}

// table aligns rows of cells: the first column with letters to the left, the others to the right, unless marked in left.
func table(rows [][]string, left ...int) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if contains(left, i) {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

func contains(all []int, n int) bool {
	for _, a := range all {
		if a == n {
			return true
		}
	}
	return false
}
