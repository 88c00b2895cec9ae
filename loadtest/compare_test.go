package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/report"
	"splitshop/loadtest/result"
)

// closedRun is a closed-loop run of standard scale: of each design in turn, with rates that hardly differ.
func closedRun(repeats int, rates map[string]float64, names ...string) result.Result {
	r := result.Result{Schema: result.Schema, Command: []string{"loadtest", "closed"}, Mode: result.ModeClosed, Scale: "standard",
		Started: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC), Seconds: 100, Build: result.Build{Revision: "0123456789ab", Go: "go1.26.8"},
		Machine: result.Machine{OS: "linux/amd64", CPU: "Example 3000", Cores: 4}, SLO: result.SLO{P99Ms: 50, Failures: 0.001, Dropped: 0.001},
		Plan:        result.Plan{Mix: "mix", Seed: 1, Users: 16, Repeats: repeats, Client: "own", Steps: []result.PlanStep{{Seconds: 15}}},
		Comparisons: []result.Comparison{}, Warnings: []string{}}
	for i := range repeats {
		for _, name := range inTurn(names, i) {
			r.Designs = append(r.Designs, result.Design{Name: name, Repeat: i + 1, Steps: []result.Step{{Seconds: 15, Runs: 1,
				AchievedPerSecond: rates[name] + float64(i), Verdict: result.Verdict{Outcome: result.Pass}}}})
		}
	}
	return r
}

// written writes results to files of a folder and returns their paths.
func written(t *testing.T, rs ...result.Result) (files []string) {
	t.Helper()
	dir := t.TempDir()
	for i, r := range rs {
		r.Started = r.Started.Add(time.Duration(i) * time.Hour)
		file := filepath.Join(dir, string(rune('a'+i))+".json")
		if err := result.WriteFile(file, r); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func TestCompareResults(t *testing.T) {
	t.Parallel()
	rates := map[string]float64{"mono": 1000, "micro": 500}
	other := closedRun(6, map[string]float64{"mono": 800, "micro": 450}, "micro", "mono")
	other.Build.Revision, other.Warnings = "another", []string{"stopping Postgres: it took long"}
	files := written(t, closedRun(6, rates, "mono", "micro"), other)
	dir := filepath.Join(t.TempDir(), "new")
	code, stdout, stderr := runLab(t.Context(), "compare", files[0], files[1], "--out", dir, "--json")
	r := readResult(t, dir)
	if code != exitMeasured || len(r.Comparisons) != 2 || len(r.Designs) != 24 || r.Seconds != 200 {
		t.Fatalf("exit %d, %s: %d comparisons of %d designs in %g s", code, stderr, len(r.Comparisons), len(r.Designs), r.Seconds)
	}
	printed, err := result.Decode(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, printed); diff != "" {
		t.Error("printed and written differ:", diff)
	}
	c := r.Comparisons[0]
	if c.Base.Design != "mono of A" || c.Other.Design != "mono of B" || c.Verdict != result.Undecided || *c.Ratio < 1.2 || *c.Ratio > 1.3 {
		t.Errorf("%+v", c)
	}
	text := report.Text(r)
	for _, words := range []string{"no neighbours", "B is " + files[1] + ", of 2026-12-01 11:00:00 UTC, revision another", "B: stopping Postgres: it took long", "Not decided", "revision differs"} {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in %s", words, text)
		}
	}
	if strings.Contains(text, "is ahead:") {
		t.Errorf("decided: %s", text)
	}
}

func TestCompareOneDesignEach(t *testing.T) {
	t.Parallel()
	rates := map[string]float64{"mono": 1000, "micro": 500}
	files := written(t, closedRun(2, rates, "mono"), closedRun(2, rates, "micro"), closedRun(2, rates, "mono"))
	code, stdout, stderr := runLab(t.Context(), append([]string{"compare"}, files...)...)
	drift := "one build in both: the difference is how far the machine drifted"
	if code != exitMeasured || !strings.Contains(stdout, "mono of A over micro of B: 2.00. Not decided") ||
		!strings.Contains(stdout, "mono of A over mono of C: 1.00. Not decided") || strings.Count(stdout, drift) != 1 {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	rates := map[string]float64{"mono": 1000, "micro": 500, "modular": 700}
	good := closedRun(6, rates, "mono", "micro")
	for _, test := range []struct {
		name   string
		change func(*result.Result)
		code   int
		want   string
	}{
		{"nothing", func(*result.Result) {}, exitMeasured, ""},
		{"another seed", func(r *result.Result) { r.Plan.Seed = 7 }, exitUsage, "b.json are unlike runs: seed: 1 and 7"},
		{"two differences", func(r *result.Result) { r.Plan.Users, r.Plan.Client = 8, "net/http" }, exitUsage, "users: 16 and 8; client: own and net/http"},
		{"a ramp", func(r *result.Result) { r.Mode = result.ModeRamp }, exitUsage, "b.json is a ramp"},
		{"other designs", func(r *result.Result) { *r = closedRun(6, rates, "modular") }, exitUsage, "has mono, micro and"},
		{"the same run", func(r *result.Result) { r.Started = good.Started.Add(-time.Hour) }, exitUsage, "b.json hold the same run"},
		{"no designs", func(r *result.Result) { r.Designs = []result.Design{} }, exitUsage, "no design in common"},
		{"an INVALID repeat", func(r *result.Result) { r.Designs[3].Steps[0].Verdict.Outcome = result.Invalid }, exitInvalid, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			other := closedRun(6, rates, "mono", "micro")
			test.change(&other)
			files := written(t, good, other)
			code, stdout, stderr := runLab(t.Context(), "compare", files[0], files[1])
			if code != test.code || !strings.Contains(stderr, test.want) || (code == exitUsage) != (stdout == "") {
				t.Errorf("exit %d, %q\n%s; want %d and %q", code, stderr, stdout, test.code, test.want)
			}
		})
	}
	files := written(t, good, good)
	if code, _, stderr := runLab(t.Context(), "compare", files[0], files[0]); code != exitUsage || !strings.Contains(stderr, "given twice") {
		t.Errorf("a file with itself: exit %d, %s", code, stderr)
	}
	if code, _, stderr := runLab(t.Context(), "compare", files[0], files[1]+"x"); code != exitCouldNotRun || !strings.Contains(stderr, "b.jsonx") {
		t.Errorf("no file: exit %d, %s", code, stderr)
	}
	own := filepath.Join(filepath.Dir(files[1]), resultFile)
	if err := os.Rename(files[1], own); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runLab(t.Context(), "compare", files[0], own, "--out", filepath.Dir(own))
	if after, err := os.ReadFile(own); code != exitUsage || !strings.Contains(stderr, "write over") || err != nil || string(after) != string(before) {
		t.Errorf("over its own input: exit %d, %s, %v", code, stderr, err)
	}
}

// A repeat is made again as its verdicts ask for, and the run that stands has the others beside it.
func TestUntilItCounts(t *testing.T) {
	t.Parallel()
	broken := errors.New("it did not start")
	for _, test := range []struct {
		name, runs string // P: good, p: noisy, I: INVALID, X: could not be measured, c: cut by Ctrl-C
		stands     int    // the run that is returned, from 1; 0: none
		made       int
		err        error
	}{
		{"good", "P", 1, 1, nil},
		{"quiet then", "pP", 2, 2, nil},
		{"noisy again", "pp", 2, 2, nil},
		{"INVALID, then good", "IP", 2, 2, nil},
		{"INVALID again", "II", 2, 2, nil},
		{"it does not start", "X", 0, 1, broken},
		{"it does not start again", "pX", 1, 2, broken},
		{"cut", "c", 1, 1, context.Canceled},
		{"cut while it is made again", "pc", 1, 2, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			say := newProgress(t.Output())
			defer say.close()
			m := &measurement{lab: &lab{say: say}}
			made := 0
			d, err := m.untilItCounts(ctx, "mono (1)", func() (result.Design, error) {
				if made >= len(test.runs) {
					t.Fatalf("run %d times", made+1)
				}
				letter := test.runs[made]
				made++
				s := result.Step{Offered: int64(made), Runs: 1, Verdict: result.Verdict{Outcome: result.Pass, Noisy: letter == 'p'}}
				switch letter {
				case 'X':
					return result.Design{}, broken
				case 'c':
					cancel()
					s.Verdict.Outcome = result.Invalid
				case 'I':
					s.Verdict = result.Verdict{Outcome: result.Invalid, Reasons: []string{"late"}}
				}
				return result.Design{Steps: []result.Step{s}, Warnings: []string{"of run " + string(rune('0'+made))}}, nil
			})
			if made != test.made || !errors.Is(err, test.err) {
				t.Errorf("run %d times, %v; want %d, %v", made, err, test.made, test.err)
			}
			if test.stands == 0 {
				if len(d.Steps) > 0 {
					t.Errorf("%+v", d)
				}
				return
			}
			kept := test.made // a run that failed, or was cut after another, is not kept
			if strings.ContainsAny(test.runs[1:], "Xc") {
				kept--
			}
			if s := d.Steps[0]; s.Offered != int64(test.stands) || s.Runs != kept || len(d.OtherRuns) != kept-1 || len(d.Warnings) != kept {
				t.Errorf("%+v, want run %d of %d", d, test.stands, kept)
			}
		})
	}
}
