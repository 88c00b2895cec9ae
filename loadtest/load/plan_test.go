package load

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var testMix = Mix{Name: "mix", Weights: []int{16, 3, 1}}

func arrivalsOf(p Plan) (all []Arrival) {
	for i := range p.Steps {
		all = slices.AppendSeq(all, p.Step(i))
	}
	return all
}

func TestWeightsAreExactOverEveryDeck(t *testing.T) {
	t.Parallel()
	orders := map[[DeckSize]uint8]bool{}
	for block := range uint32(200) {
		var n [3]int
		cards := testMix.deck(7, block)
		for _, kind := range cards {
			n[kind]++
		}
		if n != [3]int{16, 3, 1} {
			t.Fatalf("block %d holds %v", block, n)
		}
		orders[cards] = true
	}
	if len(orders) < 180 { // of 20!/(16! 3! 1!) = 19,380
		t.Errorf("only %d orders in 200 decks", len(orders))
	}
}

func TestPlanIsAFunctionOfItsSeed(t *testing.T) {
	t.Parallel()
	plan := Plan{Mix: testMix, Arrivals: Poisson, Seed: 3, Steps: Ramp(1000, 3, time.Second)}
	a := arrivalsOf(plan)
	if diff := cmp.Diff(a, arrivalsOf(plan)); diff != "" {
		t.Error("the same plan twice:", diff)
	}
	for _, x := range a {
		if it := plan.Mix.Iteration(plan.Seed, x.Index); it != x.Iteration {
			t.Fatalf("arrival %d: %+v on the schedule, %+v asked for alone", x.Index, x.Iteration, it)
		}
	}
	plan.Seed = 4
	if cmp.Equal(a, arrivalsOf(plan)) {
		t.Error("another seed made the same plan")
	}
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		arrivals Arrivals
		steps    []Step
		counts   []int
	}{
		{"uniform", Uniform, []Step{{100, time.Second}, {1000, 2 * time.Second}}, []int{100, 2000}},
		{"poisson", Poisson, []Step{{100, time.Second}, {1000, 2 * time.Second}}, []int{100, 2000}},
		{"half a one is one", Uniform, []Step{{0.5, time.Second}}, []int{1}},
		{"rounded", Uniform, []Step{{33.3, 100 * time.Millisecond}}, []int{3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plan := Plan{Mix: testMix, Arrivals: test.arrivals, Seed: 1, Steps: test.steps}
			if err := plan.Check(); err != nil {
				t.Fatal(err)
			}
			starts, counts, last := plan.Starts(), make([]int, len(test.steps)), time.Duration(-1)
			for i, a := range arrivalsOf(plan) {
				counts[a.Step]++
				if a.Due < starts[a.Step] || a.Due >= starts[a.Step+1] || a.Due < last || int(a.Index) != i {
					t.Fatalf("arrival %d: %+v after %v; its step is from %v to %v", i, a, last, starts[a.Step], starts[a.Step+1])
				}
				last = a.Due
			}
			if diff := cmp.Diff(test.counts, counts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSharesMakeThePlan has n generators split a plan without talking: every arrival is offered once, by one of them, at its instant.
func TestSharesMakeThePlan(t *testing.T) {
	t.Parallel()
	for _, arrivals := range []Arrivals{Uniform, Poisson} {
		plan := Plan{Mix: testMix, Arrivals: arrivals, Seed: 9, Steps: Ramp(997, 3, time.Second)}
		whole := arrivalsOf(plan)
		for _, n := range []int{1, 2, 3, 7, len(whole) + 1} {
			var all []Arrival
			rate := 0.0
			for part := range n {
				plan.Share = Share{part, n}
				if err := plan.Check(); err != nil {
					t.Fatal(err)
				}
				own := arrivalsOf(plan)
				if fair := len(whole) / n; len(own) < fair || len(own) > fair+1 {
					t.Fatalf("part %d of %d has %d arrivals of %d", part, n, len(own), len(whole))
				}
				all, rate = append(all, own...), rate+plan.offered()[0].Rate
			}
			slices.SortFunc(all, func(a, b Arrival) int { return int(a.Index) - int(b.Index) })
			if !slices.Equal(whole, all) {
				t.Errorf("%s: %d parts together are not the plan", arrivals, n)
			}
			if math.Abs(rate-plan.Steps[0].Rate) > 1e-6 {
				t.Errorf("%d parts offer %g/s together, not %g/s", n, rate, plan.Steps[0].Rate)
			}
		}
	}
}

func TestUniformGapsAreEqual(t *testing.T) {
	t.Parallel()
	plan := Plan{Mix: testMix, Arrivals: Uniform, Steps: []Step{{1000, time.Second}}}
	for i, a := range arrivalsOf(plan) {
		if want := time.Duration(i) * time.Millisecond; (a.Due - want).Abs() > time.Nanosecond {
			t.Fatalf("arrival %d is due at %v, not %v", i, a.Due, want)
		}
	}
}

// The gaps of a Poisson process are exponential: their mean is their standard deviation, and 1/e of them are longer than it.
func TestPoissonGaps(t *testing.T) {
	t.Parallel()
	const n = 50_000
	plan := Plan{Mix: testMix, Arrivals: Poisson, Seed: 5, Steps: []Step{{n, time.Second}}}
	var sum, squares, long float64
	last := time.Duration(0)
	for _, a := range arrivalsOf(plan) {
		gap := (a.Due - last).Seconds() * n
		last = a.Due
		sum, squares = sum+gap, squares+gap*gap
		if gap > 1 {
			long++
		}
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	if math.Abs(mean-1) > 0.01 || math.Abs(deviation-1) > 0.02 || math.Abs(long/n-1/math.E) > 0.01 {
		t.Errorf("mean %.3f, deviation %.3f, longer than the mean %.3f", mean, deviation, long/n)
	}
}

func TestRamp(t *testing.T) {
	t.Parallel()
	steps := Ramp(1000, 10, 3*time.Second)
	if len(steps) != 10 || steps[0].Rate != 200 || math.Abs(steps[9].Rate-1500) > 1e-9 {
		t.Errorf("%v", steps)
	}
	for i := range steps[1:] {
		if gap := steps[i+1].Rate - steps[i].Rate; math.Abs(gap-1300.0/9) > 1e-9 {
			t.Errorf("from step %d to the next: %v", i+1, gap)
		}
	}
	if one := Ramp(1000, 1, time.Second); one[0].Rate != 200 {
		t.Errorf("a ramp of one step is at %v", one[0].Rate)
	}
}

func TestPlansThatCannotBeOffered(t *testing.T) {
	t.Parallel()
	good := Plan{Mix: testMix, Arrivals: Uniform, Steps: []Step{{10, time.Second}}}
	for _, test := range []struct {
		name   string
		change func(*Plan)
	}{
		{"weights", func(p *Plan) { p.Mix.Weights = []int{16, 3} }},
		{"negative weight", func(p *Plan) { p.Mix.Weights = []int{21, -1} }},
		{"no steps", func(p *Plan) { p.Steps = nil }},
		{"no rate", func(p *Plan) { p.Steps = []Step{{0, time.Second}} }},
		{"not a number", func(p *Plan) { p.Steps = []Step{{math.NaN(), time.Second}} }},
		{"no time", func(p *Plan) { p.Steps = []Step{{10, 0}} }},
		{"nothing offered", func(p *Plan) { p.Steps = []Step{{0.1, time.Second}} }},
		{"too much", func(p *Plan) { p.Steps = []Step{{9e6, time.Hour}} }},
		{"arrivals", func(p *Plan) { p.Arrivals = "bursts" }},
		{"a part past the last", func(p *Plan) { p.Share = Share{3, 3} }},
		{"a part of nothing", func(p *Plan) { p.Share = Share{1, 0} }},
		{"a negative part", func(p *Plan) { p.Share = Share{-1, 3} }},
		{"minus three parts", func(p *Plan) { p.Share = Share{0, -3} }},
	} {
		p := good
		test.change(&p)
		if p.Check() == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
