package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// HTML is one page that needs neither network nor script, with a chapter for each result. html/template escapes whatever comes
// from a result.
func HTML(rs ...result.Result) (string, error) {
	page, err := template.New("page").Funcs(template.FuncMap{"tone": tone}).Parse(pageText)
	if err != nil {
		return "", fmt.Errorf("reading the page's template: %w", err)
	}
	data := struct {
		Style     template.CSS
		Chapters  []chapter
		Elsewhere block
	}{Style: template.CSS(pageStyle), Elsewhere: elsewhere()}
	for i, r := range rs {
		data.Chapters = append(data.Chapters, chapterOf(i+1, r))
	}
	var b strings.Builder
	if err := page.Execute(&b, data); err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return b.String(), nil
}

// chapter is one result's part of the page.
type chapter struct {
	N                 int // from 1, for names that are unique in the page
	Title, SLO, Grade string
	Firm              bool // the grade lets absolute figures be quoted
	Interrupted       bool
	Warnings          []string
	Headline          block
	Figures           []headFigure
	Blocks            []block
}

// headFigure is what a reader looks for first.
type headFigure struct{ Name, Figure, Unit, Detail string }

func chapterOf(n int, r result.Result) chapter {
	c := chapter{N: n, Title: title(r), SLO: slo(r), Grade: grade(r), Interrupted: r.Interrupted, Warnings: warned(r), Figures: headFigures(r)}
	c.Firm = c.Grade == stats.Baseline
	c.Blocks = blocks(r)
	if len(c.Figures) > 0 {
		c.Headline, c.Blocks = c.Blocks[0], c.Blocks[1:]
	}
	return c.illustrated(r)
}

// headFigures are the figures of the headline, one a design.
func headFigures(r result.Result) (all []headFigure) {
	switch r.Mode {
	case result.ModeClosed, result.ModeCompare:
		for _, row := range closedMedianRows(r)[1:] {
			all = append(all, headFigure{Name: row[0], Figure: row[1], Unit: "iterations/s, the median",
				Detail: row[2] + " in " + row[3] + " repeats"})
		}
	case result.ModeFixed:
		for _, row := range fixedMedianRows(r)[1:] {
			all = append(all, headFigure{Name: row[0], Figure: row[3] + " ms", Unit: "p99 from due, the median",
				Detail: row[4] + " ms; PASS in " + row[5] + " repeats"})
		}
	case result.ModeSearch:
		for _, row := range searchedRows(r)[1:] {
			all = append(all, capacityFigure(row[0], row[1], row[4]))
		}
	default:
		for _, row := range capacityRows(r)[1:] {
			all = append(all, capacityFigure(row[0], row[1], row[2]))
		}
	}
	for _, c := range r.Comparisons {
		all = append(all, comparisonFigure(c))
	}
	return all
}

func capacityFigure(design, capacity, bound string) headFigure {
	f := headFigure{Name: design, Figure: capacity, Unit: "iterations/s inside the SLO"}
	if bound != none {
		f.Detail = "bound by " + bound
		if strings.HasPrefix(bound, "see ") {
			f.Detail, f.Unit = bound, ""
		}
	}
	return f
}

// illustrated puts the charts where they belong: what an answer looks like first of all, the others beside their tables.
func (c chapter) illustrated(r result.Result) chapter {
	switch r.Mode {
	case result.ModeClosed, result.ModeCompare:
		c.Headline.Charts = runs(r)
	case result.ModeFixed:
		c.Headline.Charts = tailsOfRepeats(r)
	case result.ModeSearch:
		c.Headline.Charts = append(brackets(r), tails(r)...)
	default:
		c.Headline.Charts = append(append(tails(r), achievements(r)...), lost(r)...)
	}
	for i, b := range c.Blocks {
		switch b.Title {
		case "Latency spectrum":
			c.Blocks[i].Charts = spectra(r)
		case "CPU time per request":
			c.Blocks[i].Charts = costs(r)
		}
	}
	return c
}

// tone is the class of a table's cell: what a verdict says in words, its colour repeats.
func tone(cell string) string {
	for _, t := range []struct{ begins, class string }{
		{string(result.Pass), "pass"}, {string(result.Fail), "fail"}, {string(result.Invalid), "void"}, {string(result.Insufficient), "void"},
	} {
		if cell == t.begins || strings.HasPrefix(cell, t.begins+" ") || strings.HasPrefix(cell, t.begins+",") {
			return t.class
		}
	}
	return ""
}
