package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// comparisons is what the comparisons of a closed-loop run say, each with its rounds.
func comparisons(r result.Result) (lines []string) {
	for i, c := range r.Comparisons {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, comparisonLines(c)...)
		if rows := roundRows(c); len(rows) > 1 {
			lines = append(append(lines, ""), table(rows)...)
		}
	}
	return lines
}

// comparisonLines are the verdict with what it rests on, the A/A spread, the paired ratios, what the ratio may be quoted as, and what
// else must be known.
func comparisonLines(c result.Comparison) []string {
	spread := "A/A spread: n/a, no two good repeats of one build were neighbours in time"
	if c.AASpread != nil {
		spread = fmt.Sprintf("A/A spread: %s, the largest difference between neighbours in time of the same build", share100(*c.AASpread))
	}
	lines := []string{fmt.Sprintf("%s: %s. %s: %s", names(c), ratioOf(c), verdictOf(c, true), strings.Join(c.Why, "; ")), spread}
	var ratios []float64
	for _, r := range c.Rounds {
		if r.Ratio != nil {
			ratios = append(ratios, *r.Ratio)
		}
	}
	if len(ratios) > 0 {
		all := stats.Summarize(ratios)
		lines = append(lines, fmt.Sprintf("round by round: %s %.2f to %.2f, median %.2f, in %s", names(c), all.Low, all.High, all.Median,
			plural(all.N, "round")))
	}
	quoted := "not to be quoted as the price of a design: "
	if c.Price {
		quoted = "may be quoted as the price of the design: "
	}
	return append(append(lines, quoted+c.PriceWhy), c.Notes...)
}

func names(c result.Comparison) string { return c.Base.Design + " over " + c.Other.Design }

func ratioOf(c result.Comparison) string {
	if c.Ratio == nil {
		return "no ratio"
	}
	return fmt.Sprintf("%.2f", *c.Ratio)
}

// verdictOf is the verdict in words, begun as a sentence or not.
func verdictOf(c result.Comparison, begin bool) string {
	words := string(c.Verdict)
	switch {
	case c.Verdict == result.Ahead:
		return c.Leader + " is ahead"
	case c.Verdict == result.Tie && c.Width != nil:
		words = fmt.Sprintf("tie within %s", share100(*c.Width))
	}
	if begin {
		return strings.ToUpper(words[:1]) + words[1:]
	}
	return words
}

// share100 writes a difference in per cent.
func share100(v float64) string { return fmt.Sprintf("%.1f %%", v*100) }

// roundRows are a head and a row for each two neighbours in time.
func roundRows(c result.Comparison) [][]string {
	rows := [][]string{{"round", c.Base.Design, c.Other.Design, "difference", "ratio"}}
	for _, r := range c.Rounds {
		row := []string{fmt.Sprint(r.Round), rateOr(r.Base), rateOr(r.Other), none, none}
		if r.Difference != nil {
			row[3] = signed(*r.Difference)
		}
		if r.Ratio != nil {
			row[4] = fmt.Sprintf("%.2f", *r.Ratio)
		}
		rows = append(rows, row)
	}
	return rows
}

func rateOr(rate *float64) string {
	if rate == nil {
		return string(result.Invalid)
	}
	return perSecond(*rate)
}

// signed is a difference of rates.
func signed(v float64) string {
	if v < 0 {
		return "-" + perSecond(-v)
	}
	return "+" + perSecond(v)
}

// roundBlocks are the comparisons' neighbours in time.
func roundBlocks(r result.Result) (all []block) {
	for _, c := range r.Comparisons {
		all = append(all, block{Title: names(c) + ", round by round", Note: "In iterations/s: neighbours in time, one of each design.",
			Sheets: sheetOf(roundRows(c))})
	}
	return all
}

// comparisonFigure is a comparison among the figures of the headline.
func comparisonFigure(c result.Comparison) headFigure {
	f := headFigure{Name: names(c), Figure: ratioOf(c), Unit: verdictOf(c, false), Detail: "A/A spread n/a"}
	if c.AASpread != nil {
		f.Detail = "A/A spread " + share100(*c.AASpread)
	}
	return f
}
