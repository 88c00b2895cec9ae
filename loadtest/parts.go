package main

import (
	"runtime"
	"slices"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
)

// partsOf is what a design that has no load yet consists of, as the kernel says.
func partsOf(running *runner.Running) []result.Part {
	now, _ := running.Sample() // what is not known stays null
	parts := []result.Part{}
	for _, p := range running.Parts() {
		parts = append(parts, partOf(p, now))
	}
	return parts
}

// generatorOf is the generator before its first load.
func generatorOf(running *runner.Running) *result.Part {
	now, _ := running.Sample()
	p := partOf(running.Generator(), now)
	if p.Image == nil { // it is this process
		procs := runtime.GOMAXPROCS(0)
		p.GOMAXPROCS = &procs
	}
	return &p
}

func partOf(p *runner.Part, now runner.Sample) result.Part {
	pids, _ := p.PIDs() // a part that has ended has none, and is reported as such
	cores, _ := p.CoresNow()
	part := result.Part{Name: p.Name, Processes: len(pids), Planned: append([]int{}, p.Cores...), Actual: cores, QuotaPlanned: p.Quota}
	if p.Image != nil {
		part.Image = &result.Image{Name: p.Image.Name, ID: p.Image.ID, Size: p.Image.Size}
	}
	if i := slices.IndexFunc(now.Parts, func(s runner.PartSample) bool { return s.Name == p.Name && s.PID != 0 }); i >= 0 {
		part.Quota, part.RSSIdle = now.Parts[i].Quota, &now.Parts[i].RSS
	}
	return part
}

// partNamed is a design's part of that name, or its generator; nil where it has none.
func partNamed(d *result.Design, name string) *result.Part {
	if i := slices.IndexFunc(d.Parts, func(p result.Part) bool { return p.Name == name }); i >= 0 {
		return &d.Parts[i]
	}
	if d.Generator != nil && d.Generator.Name == name {
		return d.Generator
	}
	return nil
}

// peaks notes the most memory that each part was seen to have, up to the last boundary.
func (s *sampler) peaks(d *result.Design) {
	for _, o := range s.samples {
		for _, seen := range o.sample.Parts {
			most, p := max(seen.Peak, seen.RSS), partNamed(d, seen.Name)
			if p != nil && most > 0 && (p.RSSPeak == nil || *p.RSSPeak < most) {
				p.RSSPeak = &most
			}
		}
	}
}

// goMaxProcs is what a part's own page says of how many threads run Go at once; nil where it says nothing.
func goMaxProcs(page any) *int {
	fields, _ := page.(map[string]any)
	n, ok := fields["gomaxprocs"].(float64)
	if !ok || n < 1 {
		return nil
	}
	procs := int(n)
	return &procs
}
