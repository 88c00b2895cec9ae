package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/result"
)

// environment says where, with what and how it was measured: a head, then one row for each fact.
func environment(r result.Result) [][]string {
	rows := [][]string{{"what", "value"}}
	add := func(what, format string, args ...any) {
		rows = append(rows, []string{what, fmt.Sprintf(format, args...)})
	}
	m, p := r.Machine, r.Plan
	if !r.Started.IsZero() {
		add("started", "%s; it took %.0f s in all", r.Started.UTC().Format(time.DateTime+" MST"), r.Seconds)
	}
	add("machine", "%s, %s%s", m.CPU, plural(m.Cores, "core"), memoryOf(m))
	add("system", "%s, kernel %s%s", m.OS, m.Kernel, governor(m))
	if m.Load1 != nil {
		add("load before", "%.2f", *m.Load1)
	}
	if where, ok := places[r.Where]; ok {
		add("designs run", "%s", where)
	}
	if made := images(r); made != "" {
		add("images", "%s", made)
	}
	add("build", "revision %s, %s", revision(r.Build), r.Build.Go)
	for _, name := range slices.Sorted(maps.Keys(r.Build.Versions)) {
		add(name, "%s", r.Build.Versions[name])
	}
	if c := r.Cores; c != nil {
		add("cores planned", "generator %s; Postgres %s; application %s", cores(c.Generator), cores(c.Postgres), cores(c.App))
	}
	if c := r.Cores; c != nil && c.Preset != "" {
		add("preset", "%s", c.Preset)
	}
	if len(softIRQ(r)) > 0 {
		add("softirq", "%s", charged(r))
	}
	if r.Smoke > 0 {
		add("smoke check", "version %d, passed by every design before it was measured", r.Smoke)
	}
	for _, d := range r.Designs {
		if had := actualCores(d); had != "" {
			add("cores of "+label(r, d), "%s", had)
		}
		if d.Scheduling != "" {
			add("pacer of "+label(r, d), "%s", d.Scheduling)
		}
	}
	add("SLO", "%s", slo(r))
	add("scale", "%s", r.Scale)
	add("traffic", "%s of 20 iterations are browse, cart, checkout; %g requests each on average; %s arrivals; seed %d",
		weights(p.Weights), p.RequestsPerIteration, orNone(p.Arrivals), p.Seed)
	if p.Base != nil {
		add("base rate", "%s iterations/s (%s)", perSecond(*p.Base), p.BaseFrom)
	}
	if says := searchPlan(p); says != "" {
		add("search", "%s", says)
	} else {
		add("steps", "%s", planned(p))
	}
	add("users", "%s; client timeout %g s; at most %g s of draining; an arrival is dropped when %g ms late", count(int64(p.Users)),
		p.TimeoutS, p.DrainS, p.LateLimitMs)
	add("warm-up", "%g s by %d users, discarded", p.WarmupS, p.WarmupUsers)
	add("catalogue", "%s, %d a page; %s carts leased", plural(p.Products, "product"), p.Page, count(int64(p.Leases)))
	return rows
}

// places are where designs may run, in words.
var places = map[string]string{
	"local":      "as local processes",
	"containers": "in containers, the generator in one of its own on their network",
	"url":        "at a given address, started by somebody else",
}

// boxed are the parts that were containers, each once, in the order in which they ran; the generator last.
func boxed(r result.Result) (parts []result.Part) {
	add := func(p result.Part) {
		same := func(o result.Part) bool { return o.Name == p.Name && *o.Image == *p.Image }
		if p.Image != nil && !slices.ContainsFunc(parts, same) {
			parts = append(parts, p)
		}
	}
	for _, d := range r.Designs {
		for _, p := range d.Parts {
			add(p)
		}
	}
	for _, d := range r.Designs {
		if d.Generator != nil {
			add(*d.Generator)
		}
	}
	return parts
}

// imageSizes are the sizes of what the containers were made of.
func imageSizes(r result.Result) string {
	var sizes []string
	for _, p := range boxed(r) {
		sizes = append(sizes, fmt.Sprintf("%s %.1f MB", p.Name, float64(p.Image.Size)/1e6))
	}
	return strings.Join(sizes, ", ")
}

// images are the names, ids and sizes.
func images(r result.Result) string {
	var made []string
	for _, p := range boxed(r) {
		made = append(made, fmt.Sprintf("%s %.1f MB (%s, %.19s)", p.Name, float64(p.Image.Size)/1e6, p.Image.Name, p.Image.ID))
	}
	return strings.Join(made, "; ")
}

func memoryOf(m result.Machine) string {
	if m.Memory == nil {
		return ""
	}
	return fmt.Sprintf(", %.0f GiB", float64(*m.Memory)/(1<<30))
}

func governor(m result.Machine) string {
	if m.Governor == nil {
		return ""
	}
	return ", governor " + *m.Governor
}

// actualCores are those that each part of a design really had.
func actualCores(d result.Design) string {
	var had []string
	parts := d.Parts
	if d.Generator != nil {
		parts = append(slices.Clone(parts), *d.Generator)
	}
	for _, p := range parts {
		had = append(had, fmt.Sprintf("%s %s", p.Name, orNone(cores(p.Actual))))
	}
	return strings.Join(had, "; ")
}

func weights(ws []int) string {
	words := make([]string, len(ws))
	for i, w := range ws {
		words[i] = fmt.Sprint(w)
	}
	return strings.Join(words, ", ")
}

// planned are the rates of a plan, each with its time.
func planned(p result.Plan) string {
	steps := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = fmt.Sprintf("%.3g s", s.Seconds)
		if s.PerSecond > 0 {
			steps[i] = fmt.Sprintf("%s/s for %.3g s", perSecond(s.PerSecond), s.Seconds)
		}
	}
	return orNone(strings.Join(steps, ", "))
}
