package main

import (
	"context"
	"slices"

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
	own      []int // the generator's cores; empty: any
	samples  []observation
	warnings []string
}

// observation is what was seen at one boundary.
type observation struct {
	sample runner.Sample
	err    error             // of the sample
	pools  []result.Pool     // with counters since their processes began; nil where not all could be asked
	looks  []runner.Activity // at Postgres, since the boundary before
	pins   error
	died   error
}

// newSampler makes one that is to be closed.
func newSampler(ctx context.Context, running *runner.Running, cores runner.Cores) *sampler {
	return &sampler{running: running, own: cores.Generator, postgres: newLooker(ctx, running)}
}

func (s *sampler) close() { s.postgres.close() }

// boundary is load.Config.Boundary.
func (s *sampler) boundary(int) {
	o := observation{died: s.running.Alive(), pins: s.running.CheckPins()}
	o.sample, o.err = s.running.Sample()
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
	u := runner.Between(a.sample, b.sample)
	generator := 0.0
	for n, p := range u.Parts {
		if p.Name == generatorPart {
			step.Generator.RunWait = p.RunQueueWait
			if p.Cores != nil {
				generator = *p.Cores
			}
		}
		step.Parts = append(step.Parts, usageOf(p, b.sample.Parts[n], r))
	}
	step.Machine = &result.Busy{Cores: []float64{}, Background: &u.Background, Steal: &u.Steal}
	busy, interrupts, n := 0.0, 0.0, 0
	for _, c := range u.Cores {
		step.Machine.Cores = append(step.Machine.Cores, c.Busy)
		if len(s.own) == 0 || slices.Contains(s.own, c.Core) {
			busy, interrupts, n = busy+c.Busy, interrupts+c.SoftIRQ, n+1
		}
	}
	if n == 0 {
		return
	}
	taken := max(0, busy-interrupts-generator) / float64(n)
	step.Generator.Taken = &taken
	if len(s.own) > 0 {
		share := busy / float64(n)
		step.Generator.CoreBusy = &share
	}
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
	return usage
}
