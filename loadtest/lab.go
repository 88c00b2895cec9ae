package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
	"splitshop/loadtest/workload"
	"splitshop/pgserver"
)

const (
	closedUsers = 16
	minLeases   = 128              // of each kind: carts wear out in a long run with few users
	mostAgain   = 8                // further runs of one ramp's deciding steps, noisy ones included
	stopLimit   = 30 * time.Second // for a design to stop
	statsLimit  = 2 * time.Second  // for its processes to answer what they say of themselves
)

// lab measures designs one after the other, under one lock, with one plan of cores and one Postgres server.
type lab struct {
	flags  *flags
	mix    load.Mix
	cores  runner.Cores
	pg     *pgserver.Server // nil for a given URL
	unlock func()
	clock  load.Clock
	say    *progress
}

// openLab takes the machine for itself, pins this process and starts Postgres, unless a URL was given: that one is left as
// it is, and so are the cores.
func openLab(ctx context.Context, f *flags, mix load.Mix, say *progress) (*lab, error) {
	unlock, err := runner.Lock()
	if err != nil {
		return nil, err
	}
	l := &lab{flags: f, mix: mix, unlock: unlock, clock: load.NewClock(), say: say}
	if f.URL != "" {
		return l, nil
	}
	if l.cores, err = runner.PlanHere(); err == nil {
		err = runner.PinSelf(l.cores.Generator)
		runtime.GOMAXPROCS(len(l.cores.Generator) + 1) // one for the pacer: it must not wait until a user yields
	}
	if err == nil {
		say.stage(func() string { return "starting Postgres" })
		l.pg, err = pgserver.Start(ctx, pgserver.Options{Cores: l.cores.Postgres, LogFile: filepath.Join(l.logs(), "postgres.log")})
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return l, nil
}

func (l *lab) logs() string { return filepath.Join(l.flags.Out, "logs") }

// close stops Postgres and lets others measure.
func (l *lab) close() error {
	defer l.unlock()
	if l.pg == nil {
		return nil
	}
	l.say.stage(func() string { return "stopping Postgres" })
	return l.pg.Stop()
}

// job is the load that one design gets.
type job struct {
	steps  []load.Step
	closed bool
	users  int
	offer  offering
	again  func(step, run int) offering // one step once more; nil: what was measured once stands
}

// offering makes one run with a configuration.
type offering func(context.Context, load.Config) (load.Record, error)

// measure starts a design, warms it up, offers it a job and stops it. The design it returns is valid, if cut, also where
// ctx was cancelled meanwhile; an error means that it could not be measured.
func (l *lab) measure(ctx context.Context, name string, repeat int, j job) (d result.Design, err error) {
	label := fmt.Sprintf("%s (%d)", name, repeat)
	if repeat == 0 {
		label = name + " (base rate)"
	}
	l.say.stage(func() string { return label + ": starting" })
	running, err := l.start(ctx, name)
	if err != nil {
		return d, err
	}
	defer func() {
		l.say.stage(func() string { return label + ": stopping" })
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		if stopped := running.Stop(stopping); stopped != nil {
			d.Warnings = append(d.Warnings, "stopping: "+firstLineOf(stopped))
		}
	}()
	d = result.Design{Name: name, Repeat: repeat, URL: running.URL(), Parts: partsOf(running), Steps: []result.Step{},
		OtherRuns: []result.OtherRun{}, Warnings: []string{}}
	if d.Preflight, err = l.preflight(ctx, label, running); err != nil {
		return d, err
	}
	tr, err := l.transport(running.URL(), j.users)
	if err != nil {
		return d, err
	}
	defer tr.Close()
	shop, err := workload.Prepare(ctx, tr, workload.Preparation{
		Mix: l.mix, Leases: leases(j.users), Seed: l.flags.Seed,
		Watch: func(stage string, done, of int) { l.say.stage(counting(label, stage, done, of)) },
	})
	if err != nil {
		return d, fmt.Errorf("preparing %s: %w", name, err)
	}
	cfg := load.Config{Workload: shop, Transport: tr, Clock: l.clock, Timeout: load.DefaultTimeout,
		Drain: load.DefaultDrain, LateLimit: load.DefaultLateLimit}
	if err := l.warm(ctx, label, cfg, &d); err != nil || ctx.Err() != nil {
		return d, err
	}
	cfg.Users = j.users
	t := trial{lab: l, label: label, cfg: cfg, running: running, d: &d}
	err = t.offer(ctx, j)
	if own, ok := tr.(*load.HTTP1); ok && own.Reconnects() > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d times a connection had ended and was made anew", own.Reconnects()))
	}
	return d, err
}

// transport is a client that can be closed.
type transport interface {
	load.Transport
	Close()
}

func (l *lab) transport(url string, users int) (transport, error) {
	if l.flags.Client == "net/http" {
		return load.NewHTTP(url, max(users, closedUsers), load.DefaultTimeout)
	}
	return load.NewHTTP1(url, load.DefaultTimeout)
}

func (l *lab) start(ctx context.Context, name string) (*runner.Running, error) {
	if l.flags.URL != "" {
		return runner.Attach(string(l.flags.URL)), nil
	}
	return runner.Start(ctx, runner.Options{Design: name, BinDir: l.flags.Bin, Products: l.flags.Products,
		Cores: l.cores, LogDir: filepath.Join(l.logs(), name), Postgres: l.pg})
}

// warm runs the closed loop before the measurement, with a seed of its own.
func (l *lab) warm(ctx context.Context, label string, cfg load.Config, d *result.Design) error {
	cfg.Users, cfg.Progress = closedUsers, &load.Progress{}
	l.say.watch(label+": warming up", cfg.Progress, nil)
	rec, err := load.Closed(ctx, cfg, l.mix, ^l.flags.Seed, l.flags.Warmup)
	if err != nil {
		return err
	}
	if len(rec.Steps) > 0 {
		s := stepOf(rec.Steps[0], true)
		d.Warmup = &s
		if s.Completed == 0 {
			return fmt.Errorf("%s answered nothing while warming up: %s", d.URL, failuresInWords(s.Failures))
		}
	}
	return nil
}

// trial is the measurement of one started design.
type trial struct {
	*lab
	label   string
	cfg     load.Config
	running *runner.Running
	d       *result.Design
}

// offer does the measurement itself and judges it.
func (t *trial) offer(ctx context.Context, j job) error {
	what := "ramp"
	if j.closed {
		what = "closed loop"
	}
	rec, facts, err := t.run(ctx, what, j)
	if err != nil {
		return err
	}
	d := t.d
	d.Steps = rec.steps
	d.Scheduling, d.DrainedS, d.Interrupted = rec.Scheduling, rec.Drained.Seconds(), rec.Interrupted
	if j.again != nil {
		if err := t.confirm(ctx, j, facts); err != nil {
			return err
		}
	}
	d.Stats = statsOf(ctx, t.running, d)
	for name, bytes := range t.running.PSS() {
		if i := slices.IndexFunc(d.Parts, func(p result.Part) bool { return p.Name == name }); i >= 0 {
			d.Parts[i].PSS = &bytes
		}
	}
	if !j.closed {
		c := stats.CapacityOf(d.Steps, t.flags.slo(), facts)
		d.Capacity = &c
	}
	return nil
}

// judged is what a run recorded, with its steps in the document's form and their verdicts.
type judged struct {
	load.Record
	steps []result.Step
}

// run offers a job once and judges its steps.
func (t *trial) run(ctx context.Context, what string, j job) (judged, []stats.Facts, error) {
	cfg, watch := t.cfg, newSampler(ctx, t.running, t.cores)
	defer watch.close()
	cfg.Progress, cfg.Boundary = &load.Progress{}, watch.boundary
	t.say.watch(t.label+": "+what, cfg.Progress, j.steps)
	rec, err := j.offer(ctx, cfg)
	if err != nil {
		return judged{}, nil, err
	}
	all, facts := judged{Record: rec, steps: []result.Step{}}, make([]stats.Facts, len(rec.Steps))
	for i, r := range rec.Steps {
		s := stepOf(r, j.closed)
		facts[i] = stats.Facts{Cut: r.Cut, ClosedLoop: j.closed}
		watch.addTo(&s, r, &facts[i], i)
		if t.flags.URL != "" && s.Machine != nil {
			s.Machine.Background = nil // the shop itself would be in it
		}
		s.Verdict = stats.Judge(s, t.flags.slo(), facts[i])
		if s.Verdict.Outcome == result.Fail || j.closed {
			s.Limiter, s.RanOut = stats.Limiter(s, t.d.Parts), stats.RanOut(s, t.d.Parts)
		}
		all.steps = append(all.steps, s)
	}
	t.d.Warnings = append(t.d.Warnings, watch.warnings...)
	return all, facts, nil
}

// leases is how many carts of each kind are made: one for each user, so that the pool never runs dry by concurrency.
func leases(users int) int { return max(users, minLeases) }

func partsOf(running *runner.Running) []result.Part {
	parts := []result.Part{}
	for _, p := range running.Parts() {
		pids, _ := p.PIDs() // a part that has ended has none, and is reported as such
		cores, _ := p.CoresNow()
		parts = append(parts, result.Part{Name: p.Name, Processes: len(pids), Planned: append([]int{}, p.Cores...), Actual: cores})
	}
	return parts
}

// statsOf asks each process what it says of itself. Where one does not answer there is a warning instead.
func statsOf(ctx context.Context, running *runner.Running, d *result.Design) map[string]any {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statsLimit)
	defer cancel()
	answers, err := running.Stats(ctx)
	if err != nil {
		d.Warnings = append(d.Warnings, firstLineOf(err))
		return nil
	}
	all := map[string]any{}
	for name, text := range answers {
		var value any
		if json.Unmarshal(text, &value) == nil {
			all[name] = value
		}
	}
	return all
}

func counting(label, stage string, done, of int) func() string {
	return func() string {
		if of == 0 {
			return fmt.Sprintf("%s: %d %s", label, done, stage)
		}
		return fmt.Sprintf("%s: %d of %d %s", label, done, of, stage)
	}
}

func failuresInWords(failures []result.Failure) string {
	words := make([]string, len(failures))
	for i, f := range failures {
		words[i] = fmt.Sprintf("%s: %s, %d times", f.Route, f.Reason, f.Count)
	}
	if len(words) == 0 {
		return "no request was finished"
	}
	return strings.Join(words, "; ")
}

func firstLineOf(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// interrupted says that an error is only the user's Ctrl-C.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)))
}
