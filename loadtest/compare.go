package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
)

// compare is `loadtest compare`.
type compare struct {
	closed
	Results []string `arg:"" optional:"" name:"result" help:"Instead of measuring: two or more results of closed loops, the first the base. Of other flags only --out and --json."`
}

// Run measures two designs or more in turn, by default the monolith and the services, and says what their rates tell of each
// other; or says it of result files.
func (c *compare) Run(ctx context.Context, k *kong.Context, s streams, code *int) (err error) {
	if len(c.Results) > 0 {
		*code, err = c.files(k, s)
		return err
	}
	if c.URL != "" {
		return usageError{errors.New("compare starts the designs itself, in turn: it has no use for --url; closed measures one")}
	}
	if len(c.Design) == 0 {
		c.Design = designs{runner.Mono, runner.Micro}
	}
	if len(c.Design) < 2 {
		return usageError{fmt.Errorf("--design %s is one design: give two or more, the first is what the others are compared with", c.Design[0])}
	}
	for i, name := range c.Design {
		if slices.Contains(c.Design[:i], name) {
			return usageError{fmt.Errorf("--design names %s twice: give each design once", name)}
		}
	}
	if c.Repeats%2 != 0 {
		return usageError{fmt.Errorf("--repeats %d is odd: an even number lets every design go first as often as last", c.Repeats)}
	}
	return c.run(ctx, s, code, result.ModeCompare)
}

// files compares the first of some results with each other one, and shows that as a result of its own: in the folder --out where one
// is given, and on standard output.
func (c *compare) files(k *kong.Context, s streams) (int, error) {
	for _, p := range k.Path {
		if p.Flag != nil && !slices.Contains([]string{"out", "json"}, p.Flag.Name) {
			return exitUsage, usageError{fmt.Errorf("--%s is for measuring, and result files are measured already: leave one of them out",
				p.Flag.Name)}
		}
	}
	if len(c.Results) < 2 {
		return exitUsage, usageError{fmt.Errorf("%s alone: give two or more results, the first is what the others are compared with",
			c.Results[0])}
	}
	all := make([]result.Result, len(c.Results))
	for i, file := range c.Results {
		if slices.Contains(c.Results[:i], file) {
			return exitUsage, usageError{fmt.Errorf("%s is given twice", file)}
		}
		r, err := result.ReadFile(file)
		if err != nil {
			return exitCouldNotRun, err
		}
		if !r.ClosedLoop() {
			return exitUsage, usageError{fmt.Errorf("%s is a %s: only results of closed loops are compared", file, r.Mode)}
		}
		all[i] = r
	}
	merged, err := together(c.Results, all)
	if err != nil {
		return exitUsage, usageError{err}
	}
	m := &measurement{res: merged}
	if c.Out == "" {
		return m.code(), m.show(&c.flags, s, "")
	}
	if own := filepath.Join(c.Out, resultFile); slices.ContainsFunc(c.Results, func(file string) bool { return sameFile(file, own) }) {
		return exitUsage, usageError{fmt.Errorf("--out %s would write over %s, which is compared: name another folder", c.Out, own)}
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return exitCouldNotRun, err
	}
	return m.code(), m.publish(&c.flags, s)
}

// together makes one result of several: every design under its name and its run's, A, B, ..., and each run's designs compared with
// the first's. An error names in what they are unlike.
func together(files []string, all []result.Result) (result.Result, error) {
	m := all[0]
	m.Mode, m.Command, m.Require = result.ModeCompare, append([]string{"loadtest"}, os.Args[1:]...), nil
	m.Designs, m.Comparisons, m.Seconds = []result.Design{}, []result.Comparison{}, 0
	m.Warnings = []string{"runs of different times are no neighbours: nothing here is decided. What decides: loadtest compare --design ..."}
	base := within(all[0], 0, files[0])
	for i, r := range all {
		if unlike := stats.Unlike(all[0], r); len(unlike) > 0 {
			return m, fmt.Errorf("%s and %s are unlike runs: %s", files[0], files[i], strings.Join(unlike, "; "))
		}
		if j := slices.IndexFunc(all[:i], func(o result.Result) bool { return o.Started.Equal(r.Started) }); j >= 0 {
			return m, fmt.Errorf("%s and %s hold the same run", files[j], files[i])
		}
		pairs, err := counterparts(files[0], files[i], all[0], r)
		if err != nil {
			return m, err
		}
		own := within(r, i, files[i])
		m.Designs = append(m.Designs, own.Designs...)
		m.Warnings = append(m.Warnings, own.Warnings...)
		m.Seconds, m.Interrupted = m.Seconds+r.Seconds, m.Interrupted || r.Interrupted
		m.Plan.Repeats, m.Smoke = min(m.Plan.Repeats, r.Plan.Repeats), min(m.Smoke, r.Smoke)
		if r.Build.Revision != m.Build.Revision {
			m.Build.Revision = "differs"
		}
		m.Build.Modified = m.Build.Modified || r.Build.Modified
		if i == 0 {
			continue
		}
		for _, p := range pairs {
			c := stats.CompareApart(base, own, in(p[0], 0), in(p[1], i))
			if p[0] == p[1] && sameBuild(all[0].Build, r.Build) {
				c.Notes = append(c.Notes, "one build in both: the difference is how far the machine drifted between the runs")
			}
			m.Comparisons = append(m.Comparisons, c)
		}
	}
	return m, nil
}

// counterparts are the designs to compare: those that both runs have; or the one of each, where they have none in common.
func counterparts(fileA, fileB string, a, b result.Result) (pairs [][2]string, err error) {
	as, bs := stats.Names(a), stats.Names(b)
	for _, name := range as {
		if slices.Contains(bs, name) {
			pairs = append(pairs, [2]string{name, name})
		}
	}
	switch {
	case len(pairs) > 0:
		return pairs, nil
	case len(as) == 1 && len(bs) == 1:
		return [][2]string{{as[0], bs[0]}}, nil
	}
	return nil, fmt.Errorf("%s has %s and %s has %s: they have no design in common, nor one each", fileA, orNone(as), fileB, orNone(bs))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "no design"
	}
	return strings.Join(names, ", ")
}

// within gives the designs of the i-th run its name, and says which file and program it is of, and when it ran.
func within(r result.Result, i int, file string) result.Result {
	r.Designs = slices.Clone(r.Designs)
	for k := range r.Designs {
		r.Designs[k].Name = in(r.Designs[k].Name, i)
	}
	changes := ""
	if r.Build.Modified {
		changes = " with changes"
	}
	own := []string{fmt.Sprintf("%s is %s, of %s, revision %s%s", letter(i), file, r.Started.UTC().Format(time.DateTime+" MST"),
		r.Build.Revision, changes)}
	for _, w := range r.Warnings {
		own = append(own, letter(i)+": "+w)
	}
	r.Warnings = own
	return r
}

// letter is the name of the i-th run: A, B, ...; after Z a number.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

func in(design string, i int) string { return design + " of " + letter(i) }

func sameFile(a, b string) bool {
	of, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(of, other)
}

// sameBuild says that two programs are certainly the same.
func sameBuild(a, b result.Build) bool {
	return a.Revision == b.Revision && a.Revision != "unknown" && !a.Modified && !b.Modified && a.Go == b.Go
}
