package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
)

// generatorPart is the name under which the runner counts this process.
const generatorPart = "generator"

// sampler reads a design's counters at the boundaries of steps.
type sampler struct {
	running  *runner.Running
	postgres *looker
	own      []int          // the generator's cores; empty: any
	softIRQ  runner.SoftIRQ // whether interrupts are in the CPU of processes
	samples  []observation
	warnings []string
	unequal  []string // the accounts of cores that do not add up, each in words
}

// observation is what was seen at one boundary.
type observation struct {
	sample runner.Sample
	err    error             // of the sample
	pools  []result.Pool     // with counters since their processes began; nil where not all could be asked
	looks  []runner.Activity // at Postgres, since the boundary before
	pins   error             // a part is not on the cores, or not held to the quota, of the plan
	died   error
}

// newSampler makes one that is to be closed.
func newSampler(ctx context.Context, running *runner.Running, cores runner.Cores, softIRQ runner.SoftIRQ) *sampler {
	return &sampler{running: running, own: cores.Generator, softIRQ: softIRQ, postgres: newLooker(ctx, running)}
}

func (s *sampler) close() { s.postgres.close() }

// boundary is load.Config.Boundary.
func (s *sampler) boundary(int) {
	o := observation{died: s.running.Alive()}
	o.sample, o.err = s.running.Sample()
	o.pins = errors.Join(s.running.CheckPins(), s.running.CheckQuotas(o.sample))
	if o.err != nil && len(s.warnings) == 0 {
		s.warnings = append(s.warnings, "counters: "+firstLineOf(o.err))
	}
	ctx, cancel := context.WithTimeout(context.Background(), statsLimit)
	defer cancel()
	if said, err := s.running.Stats(ctx); err == nil {
		o.pools = poolsOf(said)
	}
	o.looks = s.postgres.boundary()
	s.samples = append(s.samples, o)
}

// said is what a reader must know of the counters.
func (s *sampler) said() []string {
	n := len(s.unequal)
	if n == 0 {
		return s.warnings
	}
	text := s.unequal[0]
	if n > 1 {
		text += fmt.Sprintf("; so it was %d times more", n-1)
	}
	return append(slices.Clone(s.warnings), text)
}

// addTo completes the i-th step by what happened between its boundaries.
func (s *sampler) addTo(step *result.Step, r load.StepRecord, facts *stats.Facts, i int) {
	if i+1 >= len(s.samples) {
		return
	}
	a, b := s.samples[i], s.samples[i+1]
	if b.died != nil {
		facts.Died = append(facts.Died, firstLineOf(b.died))
	}
	if b.pins != nil && b.died == nil {
		facts.PinsMissed = append(facts.PinsMissed, firstLineOf(b.pins))
	}
	step.Pools, step.Postgres = poolsBetween(a.pools, b.pools), activityOf(b.looks)
	if a.err != nil || b.err != nil {
		return
	}
	u := runner.Between(a.sample, b.sample, s.softIRQ)
	for n, p := range u.Parts {
		if p.Name == generatorPart {
			step.Generator.RunWait = p.RunQueueWait
			step.Generator.CoreBusy, step.Generator.Taken = s.generatorCores(u, p)
		}
		step.Parts = append(step.Parts, usageOf(p, b.sample.Parts[n], r))
	}
	step.Machine = machineOf(u)
	for _, acc := range u.Accounts {
		if !acc.AddsUp() && b.died == nil {
			s.unequal = append(s.unequal, fmt.Sprintf("counters: the CPU of %s does not add up at %.0f/s: %s. Its figures are n/a",
				coresInWords(acc.Cores), step.OfferedPerSecond, accountInWords(acc)))
		}
	}
}

// generatorCores says how busy the generator's cores were, where it has cores of its own, and what share of them others took, as far
// as that adds up. Of two accounts that differ the higher counts as busy: a limit that both keep is kept.
func (s *sampler) generatorCores(u runner.Usage, generator runner.PartUsage) (coreBusy, taken *float64) {
	var busy, all, others, most time.Duration // most: what others said they used, wherever it was
	sure := generator.CPU != nil
	for _, acc := range u.Accounts {
		if len(s.own) > 0 && !slices.Contains(s.own, acc.Cores[0]) {
			continue // the generator may use all cores of an account, or none
		}
		all, busy, others = all+acc.Time, busy+acc.Busy, others+acc.Busy-acc.Interrupts
		if sure = sure && acc.AddsUp(); acc.Parts != nil {
			busy += max(0, *acc.Parts-acc.Busy)
			most += *acc.Parts
		}
		most += acc.Others
	}
	if all <= 0 {
		return nil, nil
	}
	if len(s.own) > 0 {
		share := busy.Seconds() / all.Seconds()
		coreBusy = &share
	}
	if sure {
		share := max(0, min(others, most)-*generator.CPU).Seconds() / all.Seconds()
		taken = &share
	}
	return coreBusy, taken
}

// machineOf is the machine in a step. A core whose account does not add up has no figures.
func machineOf(u runner.Usage) *result.Busy {
	m := &result.Busy{Cores: []*float64{}, SoftIRQ: []*float64{}, Background: &u.Background, Steal: &u.Steal}
	for _, c := range u.Cores {
		busy, softIRQ := (*float64)(nil), (*float64)(nil)
		if slices.ContainsFunc(u.Accounts, func(a runner.Account) bool { return a.AddsUp() && slices.Contains(a.Cores, c.Core) }) {
			seconds := c.SoftIRQTime.Seconds()
			busy, softIRQ = &c.Busy, &seconds
		}
		m.Cores, m.SoftIRQ = append(m.Cores, busy), append(m.SoftIRQ, softIRQ)
	}
	return m
}

// accountInWords is what an account says against what it should.
func accountInWords(acc runner.Account) string {
	busy := fmt.Sprintf("busy for %.2f s of %.2f s", acc.Busy.Seconds(), acc.Time.Seconds())
	switch {
	case acc.Parts == nil:
		return busy + ", and what a part used is not known"
	case !acc.Whole:
		return busy + ", and over all cores parts and others do not make up the busy time"
	}
	return fmt.Sprintf("%s, while its parts used %.2f s and others at most %.2f s", busy, acc.Parts.Seconds(),
		(acc.Others + acc.Interrupts).Seconds())
}

func coresInWords(cores []int) string {
	if len(cores) == 1 {
		return fmt.Sprintf("core %d", cores[0])
	}
	return fmt.Sprintf("cores %v", cores)
}

// usageOf is one part's usage in a step. CPU per request is given only where every request answered meanwhile was good.
func usageOf(p runner.PartUsage, now runner.PartSample, r load.StepRecord) result.Usage {
	usage := result.Usage{Name: p.Name, Cores: p.Cores, RunWait: p.RunQueueWait}
	if now.RSS > 0 {
		usage.RSS = &now.RSS
	}
	if p.CPU != nil && r.CompletedWithin > 0 && r.Non2xxWithin == 0 {
		ms := p.CPU.Seconds() * 1000 / float64(r.CompletedWithin)
		usage.CPUMs = &ms
	}
	if t := p.Throttling; t != nil {
		usage.Throttled = &result.Throttled{Periods: t.Periods, Throttled: t.Throttled, Ms: t.Time.Seconds() * 1000}
	}
	return usage
}
