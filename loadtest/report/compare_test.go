package report

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"splitshop/loadtest/result"
)

func TestComparisonInWords(t *testing.T) {
	t.Parallel()
	side := func(name string) result.Side { return result.Side{Design: name, Repeats: 6} }
	whole := result.Comparison{Base: side("mono"), Other: side("micro"), Ratio: ptr(1.5), AASpread: ptr(0.042), Verdict: result.Ahead, Leader: "mono",
		Why: []string{"the ranges do not overlap"}, Price: true, PriceWhy: "the cores of the application limited both sides",
		Rounds: []result.Round{{Round: 1, Base: ptr(30.0), Other: ptr(20.0), Difference: ptr(10.0), Ratio: ptr(1.5)}, {Round: 2, Base: ptr(30.0)}}}
	for _, test := range []struct {
		name        string
		change      func(*result.Comparison)
		want, never string
	}{
		{"ahead", func(*result.Comparison) {}, "mono over micro: 1.50. mono is ahead: the ranges do not overlap", "not to be quoted"},
		{"its price", func(*result.Comparison) {}, "may be quoted as the price of the design: the cores of the application", "n/a"},
		{"its spread", func(*result.Comparison) {}, "A/A spread: 4.2 %", "n/a"},
		{"its rounds", func(*result.Comparison) {}, "round by round: mono over micro 1.50 to 1.50, median 1.50, in 1 round", "rounds"},
		{"a tie", func(c *result.Comparison) { c.Verdict, c.Leader, c.Width = result.Tie, "", ptr(0.051) }, "Tie within 5.1 %: ", "ahead:"},
		{"not decided", func(c *result.Comparison) {
			c.Verdict, c.Price, c.PriceWhy = result.Undecided, false, "no design is ahead"
		},
			"Not decided: ", "may be quoted"},
		{"no spread", func(c *result.Comparison) { c.AASpread = nil }, "A/A spread: n/a", "A/A spread: 0"},
		{"no ratio", func(c *result.Comparison) { c.Ratio, c.Verdict = nil, result.ComparisonInvalid }, "no ratio. INVALID: ", "0.00"},
		{"notes", func(c *result.Comparison) { c.Notes = []string{"micro: 1 of 6 repeats noisy"} }, "1 of 6 repeats noisy", "n/a"},
	} {
		c := whole
		test.change(&c)
		if text := strings.Join(comparisonLines(c), "\n"); !strings.Contains(text, test.want) || strings.Contains(text, test.never) {
			t.Errorf("%s: %s\nwant %q and not %q", test.name, text, test.want, test.never)
		}
	}
	if rows := roundRows(whole); !slices.Equal(rows[1], []string{"1", "30.0", "20.0", "+10.0", "1.50"}) ||
		!slices.Equal(rows[2], []string{"2", "30.0", "INVALID", none, none}) {
		t.Errorf("%q", rows)
	}
}

// Every format shows the verdict.
func TestEveryFormatShowsTheComparison(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		for document, words := range map[string]string{"compare": "ahead", "tie": "tie", "closed": "not decided"} {
			if text := rendered(t, Format(f), documents()[document]); !strings.Contains(strings.ToLower(text), words) {
				t.Errorf("%s of %s has no %q", f, document, words)
			}
		}
	}
	rows, err := csv.NewReader(strings.NewReader(rendered(t, AsCSV, documents()["compare"]))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "compared_with")
	for _, row := range rows[1:] {
		if name := row[slices.Index(rows[0], "design")]; (name == "micro") != (row[at] == "mono") || (name == "micro") != (row[at+4] != "") {
			t.Errorf("%s: %q", name, row[at:])
		}
	}
}
