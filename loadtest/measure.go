package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"splitshop/domain/smoke"
	"splitshop/loadtest/load"
	"splitshop/loadtest/report"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
	"splitshop/loadtest/workload"
)

// resultFile is what a run's result is called in its folder.
const resultFile = "result.json"

// measurement is one command's run: it opens the lab, lets the command measure, and leaves a result whatever happens.
type measurement struct {
	*lab
	res result.Result
}

// measuring runs a command's body and writes what it measured. The exit code is right also where ctx was cancelled.
func measuring(ctx context.Context, f *flags, mix load.Mix, mode string, s streams, body func(*measurement) error) (code int, err error) {
	if err := os.MkdirAll(filepath.Join(f.Out, "logs"), 0o755); err != nil {
		return exitCouldNotRun, err
	}
	say := newProgress(s.err)
	defer say.close()
	began := time.Now()
	m := &measurement{res: newResult(f, mix, mode, began)}
	if m.lab, err = openLab(ctx, f, mix, say); err != nil {
		return exitCouldNotRun, err
	}
	if m.softIRQ != runner.SoftIRQUnknown {
		charged := string(m.softIRQ)
		m.res.Machine.SoftIRQ = &charged
	}
	if f.where() != atURL {
		m.res.Cores = &result.CorePlan{Generator: m.cores.Generator, Postgres: m.cores.Postgres, App: m.cores.App,
			Preset: m.place.preset()}
	}
	bodyErr := body(m)
	m.res.Interrupted = ctx.Err() != nil
	if err := m.close(); err != nil {
		m.res.Warnings = append(m.res.Warnings, "ending the lab: "+firstLineOf(err))
	}
	m.res.Seconds = time.Since(began).Seconds()
	if bodyErr != nil && !interrupted(ctx, bodyErr) {
		m.res.Warnings = append(m.res.Warnings, firstLineOf(bodyErr))
	}
	m.require(f)
	m.res.Comparisons = stats.Comparisons(m.res)
	say.stage(nil)
	if err := m.publish(f, s); err != nil {
		return exitCouldNotRun, errors.Join(bodyErr, err)
	}
	switch {
	case m.res.Interrupted:
		return exitInvalid, nil
	case bodyErr != nil:
		return exitCouldNotRun, bodyErr
	}
	return m.code(), nil
}

func newResult(f *flags, mix load.Mix, mode string, began time.Time) result.Result {
	return result.Result{
		Schema: result.Schema, Command: append([]string{"loadtest"}, os.Args[1:]...), Mode: mode, Started: began.UTC(),
		Build: build(), Machine: machine(), Where: f.where(), Scale: f.Scale, SLO: f.slo(), Designs: []result.Design{},
		Comparisons: []result.Comparison{}, Warnings: []string{}, Smoke: smoke.Version,
		Plan: result.Plan{
			Mix: mix.Name, Weights: mix.Weights, RequestsPerIteration: workload.RequestsPerIteration(mix), Seed: f.Seed,
			Users: f.Users, Steps: []result.PlanStep{}, TimeoutS: load.DefaultTimeout.Seconds(),
			DrainS: load.DefaultDrain.Seconds(), LateLimitMs: float64(load.DefaultLateLimit.Milliseconds()),
			WarmupS: f.Warmup.Seconds(), WarmupUsers: closedUsers, Products: f.Products, Page: workload.PageSize,
			Leases: leases(f.Users), Client: f.Client,
		},
	}
}

// add measures one design and keeps what came of it, also where it was cut.
func (m *measurement) add(ctx context.Context, name string, j job) error {
	d, err := m.measure(ctx, name, m.repeatsOf(name)+1, j)
	return m.keep(ctx, d, err)
}

// repeatsOf is how often a design was measured already.
func (m *measurement) repeatsOf(name string) (n int) {
	for _, d := range m.res.Designs {
		if d.Name == name {
			n++
		}
	}
	return n
}

// keep takes a measured design into the result. An error where there was one, or where ctx is cancelled.
func (m *measurement) keep(ctx context.Context, d result.Design, err error) error {
	d.Interrupted = d.Interrupted || ctx.Err() != nil
	if len(d.Steps) > 0 {
		m.res.Designs = append(m.res.Designs, d)
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// require notes which designs did not carry the required rate inside the SLO.
func (m *measurement) require(f *flags) {
	if f.Require == 0 {
		return
	}
	r := result.Requirement{PerSecond: f.Require, Missed: []string{}}
	if m.res.Mode == result.ModeSearch { // of all searches the median is the result
		for _, d := range stats.SearchesByDesign(m.res.Designs, nil) {
			if low := d.Median.Low; low == nil || *low < f.Require {
				r.Missed = append(r.Missed, d.Name)
			}
		}
	} else {
		for _, d := range m.res.Designs {
			if !carries(m.res.Mode, d, f.Require) {
				r.Missed = append(r.Missed, fmt.Sprintf("%s (%d)", d.Name, d.Repeat))
			}
		}
	}
	m.res.Require = &r
}

// carries says that a design kept the SLO at a rate: by its capacity, or in each of its steps.
func carries(mode string, d result.Design, rate float64) bool {
	if d.Capacity != nil {
		return d.Capacity.Low != nil && *d.Capacity.Low >= rate
	}
	for _, s := range d.Steps {
		carried := s.AchievedPerSecond
		if mode == result.ModeFixed {
			carried = s.OfferedPerSecond // achieved within the step are those that ended within it
		}
		if s.Verdict.Outcome != result.Pass || carried < rate {
			return false
		}
	}
	return len(d.Steps) > 0
}

// code is the exit code of a run that was not cut. What is INVALID cannot have kept or broken a requirement.
func (m *measurement) code() int {
	for _, d := range m.res.Designs {
		if d.Capacity != nil && d.Capacity.Status == result.NotValid {
			return exitInvalid
		}
		if d.Capacity == nil && len(d.Steps) > 0 && d.Steps[0].Verdict.Outcome == result.Invalid {
			return exitInvalid
		}
	}
	if m.res.Require != nil && len(m.res.Require.Missed) > 0 {
		return exitRequired
	}
	return exitMeasured
}

// publish writes the result and the reports, and shows one of them: also where a file could not be written, for then there
// is nothing else of what was measured.
func (m *measurement) publish(f *flags, s streams) error {
	text := report.Text(m.res)
	page, pageErr := report.HTML(m.res)
	file, pageFile := filepath.Join(f.Out, resultFile), filepath.Join(f.Out, "report.html")
	written := result.WriteFile(file, m.res)
	if pageErr == nil {
		pageErr = result.Replace(pageFile, []byte(page))
	}
	textErr := result.Replace(filepath.Join(f.Out, "report.txt"), []byte(text))
	where := ""
	if written == nil {
		where += fmt.Sprintf("result: %s\n", file)
	}
	if pageErr == nil {
		where += fmt.Sprintf("report: %s\n", pageFile)
	}
	return errors.Join(written, pageErr, textErr, m.show(f, s, where))
}

// show prints the result: as JSON, or as text and where its files are.
func (m *measurement) show(f *flags, s streams, where string) error {
	if f.JSON {
		return result.Encode(s.out, m.res)
	}
	_, err := io.WriteString(s.out, report.Text(m.res)+"\n"+where)
	return err
}
