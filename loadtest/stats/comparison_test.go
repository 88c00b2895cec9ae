package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

// repeat is a good closed-loop repeat in which the core of application and Postgres ran out.
func repeat(name string, n int, rate float64) result.Design {
	return result.Design{Name: name, Repeat: n, Steps: []result.Step{{AchievedPerSecond: rate, Verdict: result.Verdict{Outcome: result.Pass},
		RanOut: &result.RanOut{What: result.Cores, Parts: []string{"shop", result.PartPostgres}}}}}
}

// inOrder is a run of standard scale: of A and B in the order A B B A ..., the i-th repeats at these rates.
func inOrder(a, b []float64) result.Result {
	r := result.Result{Mode: result.ModeCompare, Scale: "standard", Plan: result.Plan{Repeats: len(a), Steps: []result.PlanStep{{Seconds: 15}}}}
	for i := range a {
		two := []result.Design{repeat("A", i+1, a[i]), repeat("B", i+1, b[i])}
		if i%2 == 1 {
			slices.Reverse(two)
		}
		r.Designs = append(r.Designs, two...)
	}
	return r
}

var (
	hundreds = []float64{100, 101, 99, 100, 102, 98}
	fifties  = []float64{50, 51, 49, 50, 50.5, 49.5}
)

func TestCompare(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		a, b    []float64
		change  func(*result.Result)
		verdict result.ComparisonVerdict
		leader  string
		why     string // in one of the reasons
		price   bool
	}{
		{"twice as much", hundreds, fifties, nil, result.Ahead, "A", "do not overlap", true},
		{"half as much", fifties, hundreds, nil, result.Ahead, "B", "100.0 % apart", true},
		{"the same", hundreds, hundreds, nil, result.Tie, "", "the ranges overlap", false},
		{"apart, but one repeat is among the others'", hundreds, []float64{50, 51, 49, 99, 50.5, 49.5}, nil, result.Tie, "", "overlap", false},
		{"apart, but the first repeat is among the others', which no neighbour shows", []float64{50, 101, 99, 100, 102, 98}, fifties, nil,
			result.Tie, "", "the ranges overlap", false},
		{"separate by less than 3 %", slices.Repeat([]float64{102}, 6), slices.Repeat([]float64{100}, 6), nil, result.Tie, "", "ahead takes more than 3.0 %", false},
		{"separate by more", slices.Repeat([]float64{104}, 6), slices.Repeat([]float64{100}, 6), nil, result.Ahead, "A", "ahead takes more than 3.0 %", true},
		{"separate by less than the A/A spread", []float64{106, 115, 106, 106, 106, 115}, slices.Repeat([]float64{104, 98}, 3), nil,
			result.Tie, "", "ahead takes more than 8.5 %", false},
		{"five repeats", hundreds[:5], fifties[:5], nil, result.Ahead, "A", "", true},
		{"four", hundreds[:4], fifties[:4], nil, result.Undecided, "", "4 repeats, a decision needs 5", false},
		{"one", hundreds[:1], fifties[:1], nil, result.Undecided, "", "no A/A spread", false},
		{"quick", hundreds, fifties, func(r *result.Result) { r.Scale = "quick" }, result.Undecided, "", "never decides", false},
		{"short", hundreds, fifties, func(r *result.Result) { r.Plan.Steps[0].Seconds = 5 }, result.Undecided, "", "repeats of 5 s, a decision needs 15 s", false},
		{"of a length that nobody knows", hundreds, fifties, func(r *result.Result) { r.Plan.Steps = nil }, result.Undecided, "", "not known", false},
		{"cut", hundreds, fifties, func(r *result.Result) { r.Interrupted = true }, result.Undecided, "", "interrupted", false},
		{"fewer than planned", hundreds[:5], fifties[:5], func(r *result.Result) { r.Plan.Repeats = 6 }, result.Undecided, "", "5 of 6 planned", false},
		{"one after the other", hundreds, fifties, func(r *result.Result) {
			slices.SortStableFunc(r.Designs, func(a, b result.Design) int { return strings.Compare(a.Name, b.Name) })
		}, result.Undecided, "", "in turn", false},
		{"always in the same order", hundreds, fifties, func(r *result.Result) {
			for i := 2; i < len(r.Designs); i += 4 {
				slices.Reverse(r.Designs[i : i+2])
			}
		}, result.Undecided, "", "no A/A spread", false},
		{"a repeat of nothing", hundreds, []float64{50, 0, 49, 50, 50, 50}, nil, result.Undecided, "", "no A/A spread", false},
		{"nothing at all", hundreds, make([]float64, 6), nil, result.Undecided, "", "there is no ratio", false},
		{"INVALID", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].Verdict.Outcome = result.Invalid }, result.ComparisonInvalid, "",
			"1 of 6 repeats of A", false},
		{"INVALID before anything else", hundreds[:1], fifties[:1], func(r *result.Result) {
			r.Scale, r.Designs[0].Steps[0].Verdict.Outcome = "quick", result.Invalid
		}, result.ComparisonInvalid, "", "1 of 1 repeat of A", false},
		{"noisy", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].Verdict.Noisy = true }, result.Ahead, "A", "", true},
		{"another thing ran out", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].RanOut.What = result.Nothing }, result.Ahead, "A", "", false},
		{"Postgres alone", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].RanOut.Parts = []string{"postgres"} }, result.Ahead, "A", "", false},
		{"a pool of the application", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].RanOut.What = result.Pools }, result.Ahead, "A", "", false},
		{"quotas of the application", hundreds, fifties, func(r *result.Result) { r.Designs[7].Steps[0].RanOut.What = result.Quotas }, result.Ahead, "A", "", true},
		{"the generator's quota", hundreds, fifties, func(r *result.Result) {
			r.Designs[7].Steps[0].RanOut = &result.RanOut{What: result.Quotas, Parts: []string{"generator"}}
		}, result.Ahead, "A", "", false},
		{"not known what ran out", hundreds, fifties, func(r *result.Result) { r.Designs[0].Steps[0].RanOut = nil }, result.Ahead, "A", "", false},
		{"another design between them", hundreds, fifties, func(r *result.Result) {
			r.Designs = slices.Insert(r.Designs, 2, repeat("C", 1, 7), repeat("C", 2, 700))
		}, result.Ahead, "A", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := inOrder(test.a, test.b)
			if test.change != nil {
				test.change(&r)
			}
			c := Compare(r, "A", "B")
			if c.Verdict != test.verdict || c.Leader != test.leader || !strings.Contains(strings.Join(c.Why, "; "), test.why) || c.Price != test.price {
				t.Errorf("%s, %q ahead, price %v (%s), %q; want %s, %q, price %v, %q", c.Verdict, c.Leader, c.Price, c.PriceWhy, c.Why,
					test.verdict, test.leader, test.price, test.why)
			}
			if (c.Width != nil) != (c.Verdict == result.Tie) || len(c.Why) == 0 || c.PriceWhy == "" {
				t.Errorf("width %v of a %s; %q; %q", c.Width, c.Verdict, c.Why, c.PriceWhy)
			}
		})
	}
}

func TestCompareFigures(t *testing.T) {
	t.Parallel()
	r := inOrder([]float64{100, 120, 90}, []float64{50, 40, 45})
	r.Designs[2].Steps[0].Verdict = result.Verdict{Outcome: result.Fail, Criterion: CriterionP99, Noisy: true}
	r.Designs[5].Steps[0].Verdict.Outcome = result.Invalid // the last of B
	got := Compare(r, "A", "B")
	round := func(n int, a, b, diff, ratio float64) result.Round {
		return result.Round{Round: n, Base: &a, Other: &b, Difference: &diff, Ratio: &ratio}
	}
	want := result.Comparison{
		Base:     result.Side{Design: "A", Repeats: 3, Median: ptr(100.0), Low: ptr(90.0), High: ptr(120.0)},
		Other:    result.Side{Design: "B", Repeats: 2, Invalid: 1, Noisy: 1, Median: ptr(45.0), Low: ptr(40.0), High: ptr(50.0)},
		Ratio:    ptr(100.0 / 45),
		Apart:    ptr(100.0/45 - 1),
		AASpread: ptr(120.0/90 - 1), // A at 120 and 90; B at 50 and 40 differ by less
		Rounds:   []result.Round{round(1, 100, 50, 50, 2), round(2, 120, 40, 80, 3), {Round: 3, Base: ptr(90.0)}},
		Verdict:  result.ComparisonInvalid,
		Why:      []string{"1 of 3 repeats of B"},
		PriceWhy: "no design is ahead",
		Notes: []string{"B: 1 of 3 repeats noisy: others used the machine, also when they were made again",
			"B: 1 of 3 repeats outside the SLO (p99)"},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

func TestComparisonsAreWithTheFirst(t *testing.T) {
	t.Parallel()
	r := result.Result{Mode: result.ModeClosed, Scale: "standard", Plan: result.Plan{Repeats: 6, Steps: []result.PlanStep{{Seconds: 15}}}}
	for i := range 6 {
		three := []result.Design{repeat("A", i+1, 100), repeat("B", i+1, 50), repeat("C", i+1, 200)}
		if i%2 == 1 {
			slices.Reverse(three)
		}
		r.Designs = append(r.Designs, three...)
	}
	var got []string
	for _, c := range Comparisons(r) {
		got = append(got, c.Base.Design+c.Other.Design+" "+c.Leader)
	}
	if diff := cmp.Diff([]string{"AB A", "AC C"}, got); diff != "" {
		t.Error(diff)
	}
	r.Mode = result.ModeRamp
	if all := Comparisons(r); all == nil || len(all) > 0 {
		t.Errorf("of a ramp: %v", all)
	}
}

// distributions are rates of one build.
var distributions = map[string]func(r *rand.Rand, i int) float64{
	"normal, 1 %": func(r *rand.Rand, _ int) float64 { return 1000 * (1 + 0.01*r.NormFloat64()) },
	"lognormal":   func(r *rand.Rand, _ int) float64 { return 1000 * math.Exp(0.2*r.NormFloat64()) },
	"a third slower": func(r *rand.Rand, _ int) float64 {
		return 1000 * (1 - 0.33*float64(r.IntN(2))) * (1 + 0.001*r.Float64())
	},
	// The worst: half of the repeats fast, half slow, so that the ranges keep apart in no other way and no spread helps.
	"exactly half of them slower": func(r *rand.Rand, i int) float64 { return 1000 / float64(1+i%2) * (1 + 0.001*r.Float64()) },
}

// The bound of Compare's documentation: of equal runs in any order, "ahead" comes at most in 2 of (2n over n). It is reached by the worst
// distribution, so a rule that says "ahead" more easily fails here, and one that never says it too.
func TestEqualRunsAreSeldomAhead(t *testing.T) {
	t.Parallel()
	const shuffles = 10_000
	for _, n := range []int{5, 6} {
		bound := 2 / math.Round(math.Exp(lgamma(2*n+1)-2*lgamma(n+1)))
		if n == 5 && math.Abs(bound-2.0/252) > 1e-12 {
			t.Fatalf("the bound of 5 is %g", bound)
		}
		slack := 4 * math.Sqrt(bound/shuffles) // four standard deviations of the share
		for name, draw := range distributions {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			ahead, run := 0, inOrder(make([]float64, n), make([]float64, n))
			for range shuffles {
				for i, at := range r.Perm(2 * n) {
					run.Designs[at].Steps[0].AchievedPerSecond = draw(r, i)
				}
				if Compare(run, "A", "B").Verdict == result.Ahead {
					ahead++
				}
			}
			share := float64(ahead) / shuffles
			if share > bound+slack || (strings.HasPrefix(name, "exactly") && share < bound-slack) {
				t.Errorf("%s, %d repeats: ahead in %.3f %%, bound %.3f %%", name, n, share*100, bound*100)
			}
		}
	}
}

func lgamma(n int) float64 {
	l, _ := math.Lgamma(float64(n))
	return l
}

// randomRun is of two designs that differ by a random factor, with random noise.
func randomRun(r *rand.Rand) (a, b []float64) {
	factor, noise := 1+0.4*r.Float64(), 0.05*r.Float64()
	for range 6 {
		a = append(a, 1000*(1+noise*r.NormFloat64()))
		b = append(b, 1000*factor*(1+noise*r.NormFloat64()))
	}
	return a, b
}

func TestSidesMirrorAndUnitsDoNotMatter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[result.ComparisonVerdict]int{}
	for range 3000 {
		a, b := randomRun(r)
		run := inOrder(a, b)
		c, mirrored := Compare(run, "A", "B"), Compare(run, "B", "A")
		seen[c.Verdict]++
		if c.Verdict != mirrored.Verdict || c.Leader != mirrored.Leader || math.Abs(*c.Ratio**mirrored.Ratio-1) > 1e-12 ||
			!cmp.Equal(c.Apart, mirrored.Apart) || !cmp.Equal(c.AASpread, mirrored.AASpread) || !cmp.Equal(c.Width, mirrored.Width) ||
			!cmp.Equal(c.Base, mirrored.Other) || !cmp.Equal(c.Why, mirrored.Why) {
			t.Fatalf("%+v\nmirrored: %+v", c, mirrored)
		}
		for i := range a {
			a[i], b[i] = a[i]*8, b[i]*8
		}
		scaled := Compare(inOrder(a, b), "A", "B")
		if scaled.Verdict != c.Verdict || scaled.Leader != c.Leader || !cmp.Equal(scaled.Ratio, c.Ratio) ||
			!cmp.Equal(scaled.AASpread, c.AASpread) || !cmp.Equal(scaled.Width, c.Width) || !cmp.Equal(scaled.Why, c.Why) {
			t.Fatalf("%+v\nat eight times the rates: %+v", c, scaled)
		}
	}
	if seen[result.Ahead] < 300 || seen[result.Tie] < 300 {
		t.Errorf("the runs were one-sided: %v", seen)
	}
}

// A tie's width is what could not be told: a little further apart in either direction, with the same spread, is ahead.
func TestWidthOfATie(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	ties := 0
	for range 1000 {
		a, b := randomRun(r)
		c := Compare(inOrder(a, b), "A", "B")
		if c.Verdict != result.Tie {
			continue
		}
		ties++
		for _, leader := range []string{"A", "B"} {
			wanted := 1 + *c.Width*1.001 // of the medians' ratio
			if leader == "B" {
				wanted = 1 / wanted
			}
			moved := slices.Clone(a)
			for i := range moved {
				moved[i] *= wanted / *c.Ratio
			}
			if m := Compare(inOrder(moved, b), "A", "B"); m.Verdict != result.Ahead || m.Leader != leader {
				t.Fatalf("width %g, moved just beyond it: %s, %q ahead, %q", *c.Width, m.Verdict, m.Leader, m.Why)
			}
		}
		if *c.Width < minApart || *c.Width < *c.AASpread {
			t.Fatalf("width %g, A/A spread %g", *c.Width, *c.AASpread)
		}
	}
	if ties < 100 {
		t.Errorf("only %d ties", ties)
	}
}

func TestCompareApartNeverDecides(t *testing.T) {
	t.Parallel()
	a, b := inOrder(hundreds, hundreds), inOrder(fifties, fifties)
	c := CompareApart(a, b, "A", "B")
	if c.Verdict != result.Undecided || c.Price || *c.Ratio < 1.9 || !strings.Contains(c.Why[0], "no neighbours") || len(c.Rounds) > 0 || *c.AASpread < 0.039 {
		t.Errorf("%+v", c)
	}
	b.Designs[1].Steps[0].Verdict.Outcome = result.Invalid
	if c := CompareApart(a, b, "A", "B"); c.Verdict != result.ComparisonInvalid {
		t.Errorf("with an INVALID repeat: %s", c.Verdict)
	}
}

func TestRepeated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, runs string
		stands     int
		again      bool
	}{
		{"good", "P", 0, false},
		{"outside the SLO it has a rate all the same", "F", 0, false},
		{"with few arrivals too", "S", 0, false},
		{"noisy", "p", 0, true},
		{"noisy and outside the SLO", "f", 0, true},
		{"quiet then", "pP", 1, false},
		{"noisy again, it is shown", "pp", 1, false},
		{"INVALID", "I", 0, true},
		{"good then", "IP", 1, false},
		{"INVALID again", "II", 1, false},
		{"INVALID, then noisy", "Ip", 1, true},
		{"quiet at last", "IpP", 2, false},
		{"never more than three", "pII", 0, false},
		{"the noisy one rather than the INVALID one", "pI", 0, true},
	} {
		if stands, again := Repeated(verdictsOf(tc.runs)); stands != tc.stands || again != tc.again {
			t.Errorf("%s: Repeated(%s) = %d, %v; want %d, %v", tc.name, tc.runs, stands, again, tc.stands, tc.again)
		}
	}
}
