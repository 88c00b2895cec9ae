package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// block is one section of a report in Markdown or HTML.
type block struct {
	Title  string
	Note   string // a sentence before everything else
	Charts []chart
	Sheets []sheet
	Lines  []string
	Code   string // commands
}

// sheet is one table.
type sheet struct {
	Head  []string
	Rows  [][]string
	Words []int // the columns that hold words, not figures
}

// IsWords says whether a column holds words.
func (s sheet) IsWords(column int) bool { return slices.Contains(s.Words, column) }

// sheetOf makes a table of rows whose first is the head; none where there is only that.
func sheetOf(rows [][]string, words ...int) []sheet {
	if len(rows) < 2 {
		return nil
	}
	return []sheet{{Head: rows[0], Rows: rows[1:], Words: words}}
}

// slo is what a step had to keep, in words.
func slo(r result.Result) string {
	from := "from due"
	if r.ClosedLoop() {
		from = "from send"
	}
	return fmt.Sprintf("p99 %s < %g ms, failures < %g %%, dropped < %g %%", from, r.SLO.P99Ms, r.SLO.Failures*100, r.SLO.Dropped*100)
}

// grade is how far the figures carry, and why no further.
func grade(r result.Result) string {
	g, why := stats.Grade(r)
	if len(why) == 0 {
		return g
	}
	return fmt.Sprintf("%s (%s): orderings and ratios may be quoted, absolute figures not", g, strings.Join(why, "; "))
}

// warned are the warnings without the mark that the text form gives them.
func warned(r result.Result) []string {
	lines := warnings(r)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "! ")
	}
	return lines
}

// blocks are a report's sections after its warnings, without charts. Empty ones are left out.
func blocks(r result.Result) []block {
	all := append([]block{headline(r)}, roundBlocks(r)...)
	if r.Mode == result.ModeSearch {
		all = append(all, block{Title: "Searches", Note: "In the order in which they ran.", Sheets: sheetOf(searchRows(r), 0, 2, 3),
			Lines: ranOutLines(r)})
	}
	all = append(all, stepsBlock(r))
	if r.ClosedLoop() {
		all = append(all, block{Title: "What ran out", Lines: limits(r)})
	}
	all = append(all,
		block{Title: "Latency spectrum", Note: "In ms. From due counts from the instant an arrival was due; from send, from the instant " +
			"its request was written.", Sheets: sheetOf(spectrumRows(r), 0, 2)},
		block{Title: "CPU time per request", Note: `In ms, of each part. "-": not every request of that step was good.`,
			Sheets: cpuSheet(r), Lines: cpuLines(r)},
		block{Title: "GOMAXPROCS and CPU quota", Note: "Of each part, over all steps.", Sheets: sheetOf(heldRows(r), 0, 1)},
		block{Title: "Softirq", Note: "Packets, timers and the like, as a share of each core's time: " + charged(r) + ".", Lines: softIRQ(r)},
		block{Title: "Failures and drops", Lines: losses(r)},
		block{Title: "The books", Note: "Orders that were answered against orders that exist, those of the warm-up too.", Lines: books(r)},
		block{Title: "Before the load", Note: "With each design started and idle.", Lines: preflights(r)},
		databaseBlock(r),
		block{Title: "Memory", Note: "Of each part after the last step, in MiB.", Lines: memory(r)},
		block{Title: "Environment", Sheets: sheetOf(environment(r), 0, 1)},
		repeat(r),
	)
	return slices.DeleteFunc(all, func(b block) bool {
		return len(b.Sheets) == 0 && len(b.Lines) == 0 && b.Code == ""
	})
}

// headline is what was found: capacities, or the medians of repeats.
func headline(r result.Result) (b block) {
	says := ""
	switch r.Mode {
	case result.ModeClosed, result.ModeCompare:
		b = block{Title: "Rates", Note: "Medians over repeats, with their range.", Sheets: sheetOf(closedMedianRows(r), 0)}
		for _, c := range r.Comparisons {
			b.Lines = append(b.Lines, comparisonLines(c)...)
		}
	case result.ModeFixed:
		b = block{Title: "Latency at one rate", Note: "Medians over valid repeats, with their range, in ms from the instant an arrival was due.",
			Sheets: sheetOf(fixedMedianRows(r), 0)}
		says = fixedRatio(r)
	case result.ModeSearch:
		b = block{Title: "Capacity", Note: "In iterations/s inside the SLO: medians over searches, with their range. Other limits of p99 are " +
			"read off the rates that were tried.", Sheets: sheetOf(searchedRows(r), 0, 1, 2, 4)}
		if len(b.Sheets) > 0 {
			b.Sheets = append(b.Sheets, sheetOf(searchedLimits(r), 0, 1, 2, 3, 4, 5, 6, 7, 8)...)
		}
		says = searchedRatio(r)
	default:
		return capacityBlock(r)
	}
	if says != "" {
		b.Lines = []string{says}
	}
	return b
}

// capacityBlock is the headline of a ramp.
func capacityBlock(r result.Result) block {
	rows := capacityRows(r)
	if len(rows) == 1 {
		return block{}
	}
	b := block{Title: "Capacity", Note: "In iterations/s inside the SLO.", Sheets: sheetOf(rows, 0, 1, 2)}
	b.Sheets = append(b.Sheets, sheetOf(otherLimits(r), 0, 1, 2, 3, 4, 5, 6, 7, 8)...)
	b.Lines = ranOutLines(r)
	if len(r.Designs) >= 2 {
		b.Lines = append(b.Lines, ratio(r, r.Designs[0], r.Designs[1]))
	}
	return b
}

func ranOutLines(r result.Result) (lines []string) {
	for _, line := range ranOut(r) {
		lines = append(lines, "What ran out: "+line)
	}
	return lines
}

// stepsBlock is the step table with verdict and limiter.
func stepsBlock(r result.Result) block {
	if r.ClosedLoop() {
		return block{Title: "Runs", Note: "Latency in ms from sending.", Sheets: sheetOf(closedRunRows(r), 0, 7)}
	}
	rows := rampStepRows(r)
	head := make([]string, len(rows[0]), len(rows[0])+1)
	for i := range head {
		head[i] = strings.TrimSpace(rows[0][i] + " " + rows[1][i])
	}
	rows = append([][]string{append(head, "limiter")}, rows[stepHeads:]...)
	for i, at := range rateByRate(r) {
		rows[i+1] = append(rows[i+1], orNone(at.step.Limiter))
	}
	return block{Title: "Steps", Note: "Latency in ms, from the instant an arrival was due and from sending.",
		Sheets: sheetOf(rows, 1, 10, 11)}
}

// databaseBlock is what Postgres and the pools did in the steps that detailed knows.
func databaseBlock(r result.Result) block {
	return block{Title: "Postgres and connection pools", Note: "Averages over each step: backends at work, of these waiting for anything, " +
		"of these for a lock; and how many waited for a connection of each pool.",
		Sheets: append(sheetOf(databaseRows(r), 1, 6), sheetOf(poolRows(r), 1, 2)...)}
}

// spectrum are the percentiles that a report shows of a latency.
var spectrum = []struct {
	name string
	of   func(*result.Latency) int64
}{
	{"p50", p50},
	{"p90", func(l *result.Latency) int64 { return l.P90 }},
	{"p95", func(l *result.Latency) int64 { return l.P95 }},
	{"p99", p99},
	{"p99.9", func(l *result.Latency) int64 { return l.P999 }},
	{"max", func(l *result.Latency) int64 { return l.Max }},
}

func spectrumRows(r result.Result) [][]string {
	head := []string{"design", "rate /s", "latency"}
	for _, s := range spectrum {
		head = append(head, s.name)
	}
	rows := [][]string{head}
	for _, at := range detailed(r) {
		for _, l := range []struct {
			name string
			of   *result.Latency
		}{{"from due", at.step.FromDue}, {"from send", at.step.FromSend}} {
			if l.of == nil {
				continue
			}
			row := []string{at.name, perSecond(at.step.OfferedPerSecond), l.name}
			for _, s := range spectrum {
				row = append(row, ms(s.of(l.of)))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// cpuSheet is the table of a ramp, whose designs have common rates; others have cpuLines.
func cpuSheet(r result.Result) []sheet {
	cols := columns(r)
	if r.Mode != result.ModeRamp || len(cols) == 0 {
		return nil
	}
	head := []string{"offered /s"}
	for _, c := range cols {
		head = append(head, c.design+": "+c.part)
	}
	return sheetOf(append([][]string{head}, cpuRows(r)...))
}

func cpuLines(r result.Result) []string {
	if r.Mode == result.ModeRamp {
		return nil
	}
	return cpuByRun(r)
}

// repeat is the command that does it again.
func repeat(r result.Result) block {
	if len(r.Command) == 0 {
		return block{}
	}
	words := make([]string, len(r.Command))
	for i, w := range r.Command {
		words[i] = quoted(w)
	}
	return block{Title: "To repeat it", Note: "At revision " + revision(r.Build) + ":", Code: "make build\nbin/" + strings.Join(words, " ")}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted writes a word so that a shell reads it as it is.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
