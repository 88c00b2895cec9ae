package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"splitshop/domain/smoke"
	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
	"splitshop/transport/httpapi"
)

const (
	closedUsers = 16
	minLeases   = 128              // of each kind: carts wear out in a long run with few users
	mostAgain   = 8                // further runs of one ramp's deciding steps, noisy ones included
	stopLimit   = 30 * time.Second // for a design to stop
	statsLimit  = 2 * time.Second  // for its processes to answer what they say of themselves
)

// lab measures designs one after the other, under one lock, in one place with one plan of cores.
type lab struct {
	flags  *flags
	mix    load.Mix
	place  place
	cores  runner.Cores
	unlock func()
	clock  load.Clock
	say    *progress

	softIRQ runner.SoftIRQ // whether this kernel charges interrupts to processes
}

// openLab takes the machine for itself and makes ready what all designs share.
func openLab(ctx context.Context, f *flags, mix load.Mix, say *progress) (*lab, error) {
	unlock, err := runner.Lock()
	if err != nil {
		return nil, err
	}
	l := &lab{flags: f, mix: mix, unlock: unlock, clock: load.NewClock(), say: say}
	if l.place, l.cores, err = openPlace(ctx, l); err != nil {
		unlock()
		return nil, err
	}
	say.stage(func() string { return "finding out whom the kernel charges for interrupts" })
	l.softIRQ = runner.FindSoftIRQ() // on the generator's cores, by now
	return l, nil
}

// close removes what all designs shared and lets others measure.
func (l *lab) close() error {
	defer l.unlock()
	return l.place.close()
}

// job is the load that one design gets.
type job struct {
	steps  []load.Step
	closed bool
	rises  bool // the steps are a ramp, off which a capacity is read
	users  int
	hunt   *hunt // a search instead of steps and an offering
	offer  offering
	again  func(step, run int) offering // one step once more; nil: what was measured once stands
}

// measure starts a design, warms it up, offers it a job and stops it. The design it returns is valid, if cut, also where
// ctx was cancelled meanwhile; an error means that it could not be measured.
func (l *lab) measure(ctx context.Context, name string, repeat int, j job) (d result.Design, err error) {
	label := fmt.Sprintf("%s (%d)", name, repeat)
	if repeat == 0 {
		label = name + " (base rate)"
	}
	l.say.stage(func() string { return label + ": starting" })
	running, err := l.place.start(ctx, label, name)
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
	if err := l.smoke(ctx, label, d.URL); err != nil {
		return d, err
	}
	before, err := countOrders(ctx, running)
	if err != nil {
		return d, err
	}
	if d.Preflight, err = l.preflight(ctx, label, running); err != nil {
		return d, err
	}
	gen, err := l.place.generator(ctx, running, l.preparation(running.URL(), j.users), func(stage string, done, of int) {
		l.say.stage(counting(label, stage, done, of))
	})
	if err != nil {
		return d, fmt.Errorf("preparing %s: %w", name, err)
	}
	defer func() { d.Warnings = append(d.Warnings, gen.close()...) }()
	d.Generator = generatorOf(running)
	if err := l.warm(ctx, label, gen, &d); err != nil || ctx.Err() != nil {
		return d, err
	}
	t := trial{lab: l, label: label, gen: gen, running: running, d: &d}
	if err = t.offer(ctx, j); err == nil {
		t.audit(ctx, before)
	}
	return d, err
}

// smoke shops once, so that nothing is measured that is not the shop. It leaves one order.
func (l *lab) smoke(ctx context.Context, label, url string) error {
	l.say.stage(func() string { return label + ": shopping once" })
	tr, err := load.NewHTTP(url, 1, load.DefaultTimeout)
	if err != nil {
		return err
	}
	defer tr.Close()
	client, base := tr.Client()
	if err := smoke.Check(ctx, httpapi.NewClient(base, client)); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s is not the shop as it should be: %w", url, err)
	}
	return nil
}

// warm runs the closed loop before the measurement, with a seed of its own.
func (l *lab) warm(ctx context.Context, label string, gen generator, d *result.Design) error {
	live := &load.Progress{}
	l.say.watch(label+": warming up", live, nil)
	rec, err := gen.offer(ctx, closedUsers, closedOffering(l.mix, ^l.flags.Seed, l.flags.Warmup), live, nil)
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
	gen     generator
	running *runner.Running
	d       *result.Design
}

// offer does the measurement itself and judges it.
func (t *trial) offer(ctx context.Context, j job) error {
	d, what := t.d, t.once
	if j.hunt != nil {
		what = t.search
	}
	facts, err := what(ctx, j)
	if err != nil {
		return err
	}
	d.Stats = statsOf(ctx, t.running, d)
	for i := range d.Parts {
		d.Parts[i].GOMAXPROCS = goMaxProcs(d.Stats[d.Parts[i].Name])
	}
	for name, bytes := range t.running.PSS() {
		if p := partNamed(d, name); p != nil {
			p.PSS = &bytes
		}
	}
	if j.rises {
		c := stats.CapacityOf(d.Steps, t.flags.slo(), facts)
		d.Capacity = &c
	}
	return nil
}

// once offers a job's steps, and those again that have to be made again.
func (t *trial) once(ctx context.Context, j job) ([]stats.Facts, error) {
	what := "fixed rate"
	switch {
	case j.closed:
		what = "closed loop"
	case j.rises:
		what = "ramp"
	}
	rec, facts, err := t.run(ctx, what, j)
	if err != nil {
		return nil, err
	}
	d := t.d
	d.Steps = rec.steps
	d.Scheduling, d.DrainedS, d.Interrupted = rec.Scheduling, rec.Drained.Seconds(), rec.Interrupted
	if j.again != nil {
		err = t.confirm(ctx, j, facts)
	}
	return facts, err
}

// judged is what a run recorded, with its steps in the document's form and their verdicts.
type judged struct {
	load.Record
	steps []result.Step
}

// run offers a job once and judges its steps.
func (t *trial) run(ctx context.Context, what string, j job) (judged, []stats.Facts, error) {
	live, watch := &load.Progress{}, newSampler(ctx, t.running, t.cores, t.softIRQ)
	defer watch.close()
	t.say.watch(t.label+": "+what, live, j.steps)
	rec, err := t.gen.offer(ctx, j.users, j.offer, live, watch.boundary)
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
	watch.peaks(t.d)
	t.d.Warnings = append(t.d.Warnings, watch.said()...)
	return all, facts, nil
}

// leases is how many carts of each kind are made: one for each user, so that the pool never runs dry by concurrency.
func leases(users int) int { return max(users, minLeases) }

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
