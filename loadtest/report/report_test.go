package report

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// rendered is a report that must succeed.
func rendered(t *testing.T, f Format, rs ...result.Result) string {
	t.Helper()
	text, err := Render(f, rs...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRender(t *testing.T) {
	t.Parallel()
	for name, r := range documents() {
		for f, suffix := range map[Format]string{AsMarkdown: ".md", AsCSV: ".csv", AsHTML: ".html"} {
			t.Run(name+suffix, func(t *testing.T) {
				t.Parallel()
				got := rendered(t, f, r)
				golden(t, name+suffix, got)
				if again := rendered(t, f, r); again != got {
					t.Error("the same document made another report")
				}
			})
		}
	}
}

func TestRenderSeveral(t *testing.T) {
	t.Parallel()
	a, b := documents()["two-designs"], documents()["closed"]
	for _, f := range Formats() {
		both := rendered(t, Format(f), a, b)
		if one := rendered(t, Format(f), a); len(both) <= len(one) || both == rendered(t, Format(f), b, a) {
			t.Errorf("%s: the second result is missing, or their order does not count", f)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(rendered(t, AsCSV, a, b))).ReadAll()
	if err != nil || len(rows) != 1+10+4 {
		t.Errorf("%d rows, %v; want the head and one for each design, repeat and step", len(rows), err)
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Render("pdf", document("ramp")); err == nil || !strings.Contains(err.Error(), "only text, markdown, csv, html") {
		t.Error(err)
	}
	if _, err := Render(AsText); err == nil {
		t.Error("no result made a report")
	}
}

// hostile has markup and formulas wherever a result has words of its own.
func hostile() result.Result {
	const evil = `=1+1</title></desc></svg><script>alert(1)</script>"'|**x**` + "`$(reboot)`\n# y"
	r := twoDesigns()
	r.Mode, r.Scale, r.Plan.Mix, r.Plan.Arrivals, r.Plan.BaseFrom = "ramp", evil, evil, evil, evil
	r.Command, r.Warnings = []string{"loadtest", evil}, []string{evil}
	r.Build = result.Build{Revision: evil, Go: evil, Versions: map[string]string{evil: evil}}
	r.Machine.CPU, r.Machine.Kernel, r.Machine.OS, r.Machine.Governor = evil, evil, evil, ptr(evil)
	r.Started = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range r.Designs {
		d := &r.Designs[i]
		d.Name, d.Scheduling, d.Warnings = evil, evil, []string{evil}
		d.Repeat = i + 1
		d.Capacity.Limiter, d.Capacity.Criterion = evil, evil
		for k := range d.Parts {
			d.Parts[k].Name = evil
		}
		for k := range d.Steps {
			s := &d.Steps[k]
			s.Limiter, s.Verdict.Criterion, s.Verdict.Outcome, s.Verdict.Reasons = evil, evil, result.Invalid, []string{evil}
			s.Pools = []result.Pool{{Part: evil, Name: "pool." + evil, Max: 1, Acquires: 1, EmptyAcquires: 1, WaitMs: 1}}
			s.Failures = []result.Failure{{Route: evil, Reason: evil, Count: 1}}
			for u := range s.Parts {
				s.Parts[u].Name = evil
			}
		}
	}
	return r
}

func TestHostileNamesAreEscaped(t *testing.T) {
	t.Parallel()
	page := rendered(t, AsHTML, hostile())
	for _, never := range []string{"<script", "</title></desc>", "ZgotmplZ"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;alert(1)&lt;/script&gt;"); n < 50 {
		t.Errorf("the names are in the page %d times", n)
	}
	text := rendered(t, AsMarkdown, hostile())
	outside, code, ok := strings.Cut(text, "\n```sh\n")
	_, after, closed := strings.Cut(code, "\n```\n")
	if !ok || !closed {
		t.Fatal("no command to repeat it")
	}
	for line := range strings.Lines(outside + after) {
		if strings.Contains(line, "alert") && (strings.Contains(line, "<script") != strings.Contains(line, `\<script`) ||
			!strings.Contains(line, `\*\*x\*\*`)) {
			t.Errorf("not escaped: %s", line)
		}
		if strings.HasPrefix(line, "# y") {
			t.Error("a name made a heading")
		}
	}
	rows, err := csv.NewReader(strings.NewReader(rendered(t, AsCSV, hostile()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("a spreadsheet would compute %q", cell)
			}
		}
	}
}

// A page that names another place would need the network; one with a script could not be trusted.
func TestThePageIsCompleteInItself(t *testing.T) {
	t.Parallel()
	for name, r := range documents() {
		page := rendered(t, AsHTML, r)
		for _, never := range []string{"<script", "<link", "<img", "@import", "url(", " src=", " href="} {
			if strings.Contains(page, never) {
				t.Errorf("%s has %q", name, never)
			}
		}
		if charts, said := strings.Count(page, `role="img"`), strings.Count(page, "<desc>"); charts != said || (charts == 0) != (name == "nothing") {
			t.Errorf("%s: %d charts, %d said in words", name, charts, said)
		}
		if n := len(page); n > 400<<10 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"--out=out/demo": "--out=out/demo", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'"} {
		if got := quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
