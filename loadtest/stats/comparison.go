package stats

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// What a comparison must have before it is decided.
const (
	minRepeats = 5    // of each side
	minSeconds = 15   // of each repeat: those of the standard scale
	minApart   = 0.03 // of the medians, at least
)

// never is the scale that decides nothing.
const never = "quick"

// Comparisons compares every further design of a closed-loop run with the first. Of other runs there are none.
func Comparisons(r result.Result) []result.Comparison {
	all := []result.Comparison{}
	if !r.ClosedLoop() {
		return all
	}
	for i, name := range Names(r) {
		if i > 0 {
			all = append(all, Compare(r, Names(r)[0], name))
		}
	}
	return all
}

// Names are a run's designs, each once, in the order of first appearance.
func Names(r result.Result) (names []string) {
	for _, d := range r.Designs {
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Compare compares two designs of one closed-loop run by their repeats, which stand in the order in which they ran.
//
// It says "ahead" only where each side has at least 5 repeats of 15 s or more, the ranges do not overlap, and the medians differ by
// more than the larger of 3 % and the run's A/A spread; where a repeat is INVALID the comparison is; where the repeats are too few, too
// short, cut, of the quick scale or not in turn it is not decided; else it is a tie.
//
// The A/A spread costs no run of its own: in the order A B B A A B B A ... the last repeat of a round and the first of the next are of
// the same build, and neighbours in time. It is the largest difference between two such; of 6 rounds there are 5 of them. Other designs
// that ran between the two make them further apart in time, and the spread rather wider.
//
// Where designs are equal, so that every order of their rates is as likely, the ranges of n repeats each keep apart in
// 2 of (2n over n) orders: "ahead" is wrong in at most 0.8 % of such comparisons with n = 5, and 0.22 % with n = 6.
func Compare(r result.Result, base, other string) result.Comparison {
	var runs []result.Design
	for _, d := range r.Designs {
		if d.Name == base || d.Name == other {
			runs = append(runs, d)
		}
	}
	a, b := repeatsOf(r, base), repeatsOf(r, other)
	c := facing(a, b)
	rounds, inTurn := roundsOf(runs, base)
	c.Rounds, c.AASpread = rounds, aaSpread(runs)
	why := undecided(r, c)
	if !inTurn {
		why = append(why, "the designs did not run in turn")
	}
	conclude(&c, why)
	price(&c, a, b)
	return c
}

// CompareApart compares a design of one run with a design of another. It never decides: repeats of different times are no neighbours,
// and what the machine did between the runs nobody measured; one build was seen to drift by 30 % within minutes. Each run's own A/A
// spread says nothing of that, so it is given but decides nothing either. What does decide is a run of both, in turn.
func CompareApart(a, b result.Result, base, other string) result.Comparison {
	as, bs := repeatsOf(a, base), repeatsOf(b, other)
	c := facing(as, bs)
	c.Rounds = []result.Round{}
	for _, spread := range []*float64{aaSpread(a.Designs), aaSpread(b.Designs)} {
		if spread != nil && (c.AASpread == nil || *spread > *c.AASpread) {
			c.AASpread = spread
		}
	}
	conclude(&c, []string{"runs of different times are no neighbours, and how far the machine drifted between them is not known"})
	price(&c, as, bs)
	return c
}

// repeatsOf are the repeats of one design.
func repeatsOf(r result.Result, name string) side {
	s := side{name: name}
	for _, d := range r.Designs {
		if d.Name == name {
			s.runs = append(s.runs, d)
		}
	}
	return s
}

// side is the repeats of one design; each has one step.
type side struct {
	name string
	runs []result.Design
}

// rateOf is the rate of a repeat, nil where there is none that counts.
func rateOf(d result.Design) *float64 {
	if len(d.Steps) != 1 || d.Steps[0].Verdict.Outcome == result.Invalid {
		return nil
	}
	rate := d.Steps[0].AchievedPerSecond
	return &rate
}

// summary sums the repeats up, and says in words what else a reader of their rates must know.
func (s side) summary() (sum result.Side, notes []string) {
	sum.Design = s.name
	var rates []float64
	broke, criteria := 0, []string{}
	for _, d := range s.runs {
		rate := rateOf(d)
		if rate == nil {
			sum.Invalid++
			continue
		}
		rates = append(rates, *rate)
		v := d.Steps[0].Verdict
		if v.Noisy {
			sum.Noisy++
		}
		if v.Outcome == result.Fail {
			broke++
			if !slices.Contains(criteria, v.Criterion) {
				criteria = append(criteria, v.Criterion)
			}
		}
	}
	if sum.Repeats = len(rates); sum.Repeats > 0 {
		all := Summarize(rates)
		sum.Median, sum.Low, sum.High = &all.Median, &all.Low, &all.High
	}
	of := func(n int, what string) string {
		return fmt.Sprintf("%s: %d of %s %s", s.name, n, repeats(len(s.runs)), what)
	}
	if sum.Noisy > 0 {
		notes = append(notes, of(sum.Noisy, "noisy: others used the machine, also when they were made again"))
	}
	if broke > 0 {
		notes = append(notes, of(broke, "outside the SLO ("+strings.Join(criteria, ", ")+")"))
	}
	return sum, notes
}

// facing puts two sides beside each other, without a verdict.
func facing(a, b side) (c result.Comparison) {
	var notes [2][]string
	c.Base, notes[0] = a.summary()
	c.Other, notes[1] = b.summary()
	c.Why, c.Notes = []string{}, append(append([]string{}, notes[0]...), notes[1]...)
	c.Ratio, c.Apart = over(c.Base.Median, c.Other.Median), apart(c.Base.Median, c.Other.Median)
	return c
}

// over divides; nil where one is not known or 0.
func over(a, b *float64) *float64 {
	if a == nil || b == nil || *a <= 0 || *b <= 0 {
		return nil
	}
	q := *a / *b
	return &q
}

// apart is the difference of two rates: the larger over the smaller, less one. It is the same for both orders and in every unit.
func apart(a, b *float64) *float64 {
	if over(a, b) == nil {
		return nil
	}
	d := max(*a, *b)/min(*a, *b) - 1
	return &d
}

// aaSpread is the largest difference between neighbours of the same build; nil where there are none, or one completed nothing.
func aaSpread(runs []result.Design) (most *float64) {
	for i := range runs {
		if i == 0 || runs[i].Name != runs[i-1].Name {
			continue
		}
		a, b := rateOf(runs[i-1]), rateOf(runs[i])
		if a == nil || b == nil {
			continue
		}
		d := apart(a, b)
		if d == nil {
			return nil
		}
		if most == nil || *d > *most {
			most = d
		}
	}
	return most
}

// roundsOf pairs the repeats as they ran: each two that follow each other. It is false where such two are of one design. A last
// one without another, of a run that was cut, is left out.
func roundsOf(runs []result.Design, base string) (all []result.Round, inTurn bool) {
	all = []result.Round{}
	for two := range slices.Chunk(runs, 2) {
		if len(two) < 2 {
			break
		}
		a, b := two[0], two[1]
		if a.Name == b.Name {
			return []result.Round{}, false
		}
		if b.Name == base {
			a, b = b, a
		}
		r := result.Round{Round: len(all) + 1, Base: rateOf(a), Other: rateOf(b)}
		if r.Base != nil && r.Other != nil {
			d := *r.Base - *r.Other
			r.Difference, r.Ratio = &d, over(r.Base, r.Other)
		}
		all = append(all, r)
	}
	return all, true
}

// undecided lists what keeps a comparison within a run from being decided.
func undecided(r result.Result, c result.Comparison) (why []string) {
	if r.Interrupted {
		why = append(why, "interrupted")
	}
	if r.Scale == never {
		why = append(why, "scale "+never+" never decides")
	}
	switch n := min(c.Base.Repeats, c.Other.Repeats); {
	case n < minRepeats:
		why = append(why, fmt.Sprintf("%s, a decision needs %d", repeats(n), minRepeats))
	case n < r.Plan.Repeats:
		why = append(why, fmt.Sprintf("%d of %d planned repeats", n, r.Plan.Repeats))
	}
	if s := r.Plan.Steps; len(s) != 1 {
		why = append(why, "how long the repeats are is not known")
	} else if s[0].Seconds < minSeconds {
		why = append(why, fmt.Sprintf("repeats of %.3g s, a decision needs %d s", s[0].Seconds, minSeconds))
	}
	if c.AASpread == nil {
		why = append(why, "no two good repeats of one build were neighbours in time, so there is no A/A spread")
	}
	if c.Ratio == nil {
		why = append(why, "there is no ratio")
	}
	return why
}

// conclude gives the verdict, where nothing keeps it from being decided.
func conclude(c *result.Comparison, undecided []string) {
	a, b := c.Base, c.Other
	if a.Invalid+b.Invalid > 0 {
		c.Verdict = result.ComparisonInvalid
		for _, s := range []result.Side{a, b} {
			if s.Invalid > 0 {
				c.Why = append(c.Why, fmt.Sprintf("%d of %s of %s", s.Invalid, repeats(s.Repeats+s.Invalid), s.Design))
			}
		}
		return
	}
	if len(undecided) > 0 {
		c.Verdict, c.Why = result.Undecided, undecided
		return
	}
	limit := max(minApart, *c.AASpread)
	ranges, separate := "the ranges overlap", *a.Low > *b.High || *b.Low > *a.High
	if separate {
		ranges = "the ranges do not overlap"
	}
	c.Why = []string{fmt.Sprintf("medians %.1f %% apart, where ahead takes more than %.1f %%", *c.Apart*100, limit*100), ranges}
	switch {
	case !separate || *c.Apart <= limit:
		c.Verdict = result.Tie
		width := widthOf(a, b, limit)
		c.Width = &width
	case *a.Median > *b.Median:
		c.Verdict, c.Leader = result.Ahead, a.Design
	default:
		c.Verdict, c.Leader = result.Ahead, b.Design
	}
}

// widthOf is how far apart medians must have been, with repeats spread as these are, for one side to be ahead whichever it is: as far
// as the limit, and as far as keeps the ranges apart.
func widthOf(a, b result.Side, limit float64) float64 {
	clear := func(above, below result.Side) float64 {
		return *above.Median / *above.Low * (*below.High / *below.Median) - 1
	}
	return max(limit, clear(a, b), clear(b, a))
}

// price says whether the ratio may be quoted as the price of a design: where one is ahead, and in every repeat the cores or the CPU quotas
// of the application ran out, alone or with those of Postgres. Anything else that ran out has a price of its own.
func price(c *result.Comparison, a, b side) {
	if c.Verdict != result.Ahead {
		c.PriceWhy = "no design is ahead"
		return
	}
	withPostgres, withQuotas := false, false
	for _, s := range []side{a, b} {
		others, first := 0, ""
		for _, d := range s.runs {
			out := d.Steps[0].RanOut
			if ofApplication(out) {
				withQuotas = withQuotas || out.What == result.Quotas
				withPostgres = withPostgres || slices.Contains(out.Parts, result.PartPostgres)
				continue
			}
			if others++; first == "" {
				first = inWords(out)
			}
		}
		if others > 0 {
			c.PriceWhy = fmt.Sprintf("in %d of %s of %s the application's CPU had room: %s", others, repeats(len(s.runs)), s.name, first)
			return
		}
	}
	what, whose := "cores", "the application"
	if withQuotas {
		what = "cores or quotas"
	}
	if withPostgres {
		whose += " and Postgres"
	}
	c.Price, c.PriceWhy = true, fmt.Sprintf("the %s of %s limited both sides", what, whose)
}

// ofApplication says that cores or quotas of the application ran out.
func ofApplication(out *result.RanOut) bool {
	return out != nil && (out.What == result.Cores || out.What == result.Quotas) &&
		slices.ContainsFunc(out.Parts, func(p string) bool { return p != result.PartPostgres && p != result.PartGenerator })
}

// inWords is what ran out where it was not the application.
func inWords(out *result.RanOut) string {
	switch {
	case out == nil:
		return "what ran out is not known"
	case out.What == result.Nothing:
		return "nothing that was looked at ran out"
	case len(out.Parts) == 0:
		return string(out.What) + " ran out"
	}
	return fmt.Sprintf("%s of %s ran out", out.What, strings.Join(out.Parts, ", "))
}

func repeats(n int) string {
	if n == 1 {
		return "1 repeat"
	}
	return fmt.Sprintf("%d repeats", n)
}
