package stats

import (
	"fmt"
	"path"

	"splitshop/loadtest/result"
)

// Unlike lists in what two closed-loop runs differ that their rates depend on, each with both values: what was asked for, the machine,
// and the limits it was judged by. Of like runs there is nothing. Which program ran and how often is no difference: those are what is
// compared, and how well.
func Unlike(a, b result.Result) (differences []string) {
	p, q := a.Plan, b.Plan
	for _, f := range []struct {
		what string
		a, b string
	}{
		{"mix", p.Mix, q.Mix},
		{"weights of the mix", fmt.Sprint(p.Weights), fmt.Sprint(q.Weights)},
		{"seed", fmt.Sprint(p.Seed), fmt.Sprint(q.Seed)},
		{"users", fmt.Sprint(p.Users), fmt.Sprint(q.Users)},
		{"duration of a repeat", seconds(p.Steps), seconds(q.Steps)},
		{"warm-up", fmt.Sprintf("%g s by %d users", p.WarmupS, p.WarmupUsers), fmt.Sprintf("%g s by %d users", q.WarmupS, q.WarmupUsers)},
		{"products", fmt.Sprint(p.Products), fmt.Sprint(q.Products)},
		{"products on a page", fmt.Sprint(p.Page), fmt.Sprint(q.Page)},
		{"client", orUnknown(&p.Client), orUnknown(&q.Client)},
		{"client's timeout", fmt.Sprintf("%g s", p.TimeoutS), fmt.Sprintf("%g s", q.TimeoutS)},
		{"scale", a.Scale, b.Scale},
		{"SLO", sloInWords(a.SLO), sloInWords(b.SLO)},
		{"CPU", a.Machine.CPU, b.Machine.CPU},
		{"cores of the machine", fmt.Sprint(a.Machine.Cores), fmt.Sprint(b.Machine.Cores)},
		{"memory", gibibytes(a.Machine.Memory), gibibytes(b.Machine.Memory)},
		{"operating system", a.Machine.OS, b.Machine.OS},
		{"kernel", a.Machine.Kernel, b.Machine.Kernel},
		{"CPU governor", orUnknown(a.Machine.Governor), orUnknown(b.Machine.Governor)},
		{"where the designs ran", orUnknown(&a.Where), orUnknown(&b.Where)},
		{"plan of cores", planInWords(a.Cores), planInWords(b.Cores)},
		{"preset", presetOf(a.Cores), presetOf(b.Cores)},
	} {
		if f.a != f.b {
			differences = append(differences, fmt.Sprintf("%s: %s and %s", f.what, f.a, f.b))
		}
	}
	return differences
}

func seconds(steps []result.PlanStep) string {
	if len(steps) != 1 {
		return "not known"
	}
	return fmt.Sprintf("%g s", steps[0].Seconds)
}

func orUnknown(s *string) string {
	if s == nil || *s == "" {
		return "not known"
	}
	return *s
}

func sloInWords(s result.SLO) string {
	return fmt.Sprintf("p99 < %g ms, failures < %s, dropped < %s", s.P99Ms, percent(s.Failures), percent(s.Dropped))
}

// gibibytes is memory as it is sold: the kernel keeps a little, not always as much.
func gibibytes(n *int64) string {
	if n == nil {
		return "not known"
	}
	return fmt.Sprintf("%.0f GiB", float64(*n)/(1<<30))
}

func planInWords(c *result.CorePlan) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("generator %s, Postgres %s, application %s", joinInts(c.Generator), joinInts(c.Postgres), joinInts(c.App))
}

// presetOf is the name of the file: the folder of another clone makes no difference.
func presetOf(c *result.CorePlan) string {
	if c == nil || c.Preset == "" {
		return "none"
	}
	return path.Base(c.Preset)
}
