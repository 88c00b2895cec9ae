package load

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// DeckSize is the number of iterations over which a mix's weights are exact.
const DeckSize = 20

// Mix says how many of every DeckSize iterations are of each kind. Kinds are numbers whose meaning the workload knows.
type Mix struct {
	Name    string
	Weights []int // by kind; they add up to DeckSize
}

// Check says whether the weights add up.
func (m Mix) Check() error {
	sum := 0
	for _, w := range m.Weights {
		if w < 0 {
			return fmt.Errorf("mix %s: a weight is negative", m.Name)
		}
		sum += w
	}
	if sum != DeckSize {
		return fmt.Errorf("mix %s: the weights add up to %d, not %d", m.Name, sum, DeckSize)
	}
	return nil
}

// deck returns the kinds of the block-th DeckSize iterations, in an order drawn from the seed (Fisher-Yates).
func (m Mix) deck(seed, block uint32) (cards [DeckSize]uint8) {
	n := 0
	for kind, weight := range m.Weights {
		for range weight {
			cards[n] = uint8(kind)
			n++
		}
	}
	r := stream(seed, streamDeck, block)
	for i := DeckSize - 1; i > 0; i-- {
		j := r.Below(i + 1)
		cards[i], cards[j] = cards[j], cards[i]
	}
	return cards
}

// Iteration is what one arrival starts.
type Iteration struct {
	Index uint32 // 0, 1, 2, ... over the whole run
	Kind  int    // an index into Mix.Weights
	Draw  uint32 // 32 random bits for whatever the iteration chooses
}

// Iteration returns the i-th iteration of a run: a pure function, so that any number of users or generators agree on it.
func (m Mix) Iteration(seed, i uint32) Iteration {
	cards := m.deck(seed, i/DeckSize)
	return Iteration{Index: i, Kind: int(cards[i%DeckSize]), Draw: stream(seed, streamDraw, i).Next()}
}

// Arrivals says how arrivals are spread over a step.
type Arrivals string

// The ways of spreading a step's arrivals. Both offer exactly Step.Count of them.
const (
	Uniform Arrivals = "uniform" // equal gaps
	Poisson Arrivals = "poisson" // a Poisson process, given its count: independent instants, equally likely anywhere in the step
)

// MaxRate is the highest rate that can be planned, in iterations/s.
const MaxRate = 1e7

// Step is a stretch of constant rate.
type Step struct {
	Rate     float64 // iterations/s
	Duration time.Duration
}

// Count is the exact number of arrivals the step offers.
func (s Step) Count() int { return int(math.Round(s.Rate * s.Duration.Seconds())) }

// Plan is everything about a run's arrivals. Equal plans offer the same iterations at the same instants.
type Plan struct {
	Mix      Mix
	Arrivals Arrivals
	Steps    []Step
	Seed     uint32
	Share    Share // all of it, unless others offer the rest
}

// Share is one generator's part of a plan that several offer: of every Of iterations the one at Part, counted from 0. All parts
// together are the plan, each arrival once and at its own instant. The zero Share is the whole.
type Share struct {
	Part, Of int
}

// has says that an iteration is this part's.
func (s Share) has(index uint32) bool { return s.Of <= 1 || index%uint32(s.Of) == uint32(s.Part) }

// Check says whether there is such a part.
func (s Share) Check() error {
	if s.Part < 0 || s.Part >= max(s.Of, 1) || s.Of < 0 || s.Of > math.MaxInt32 {
		return fmt.Errorf("there is no part %d of %d: parts are counted from 0", s.Part, s.Of)
	}
	return nil
}

// Check says whether the plan can be offered.
func (p Plan) Check() error {
	if err := p.Mix.Check(); err != nil {
		return err
	}
	if p.Arrivals != Uniform && p.Arrivals != Poisson {
		return fmt.Errorf("arrivals are %q or %q, not %q", Uniform, Poisson, p.Arrivals)
	}
	if err := p.Share.Check(); err != nil {
		return err
	}
	if len(p.Steps) == 0 {
		return fmt.Errorf("a plan needs at least one step")
	}
	total := 0
	for i, s := range p.Steps {
		if !(s.Rate > 0) || s.Duration <= 0 || s.Rate > MaxRate || s.Count() < 1 {
			return fmt.Errorf("step %d: %g/s for %v offers nothing that can be measured", i+1, s.Rate, s.Duration)
		}
		total += s.Count()
	}
	if total > math.MaxInt32 {
		return fmt.Errorf("the plan offers %d arrivals, more than %d", total, math.MaxInt32)
	}
	return nil
}

// Starts returns the instant at which each step starts and, last, the one at which the last ends.
func (p Plan) Starts() []time.Duration {
	starts := make([]time.Duration, len(p.Steps)+1)
	for i, s := range p.Steps {
		starts[i+1] = starts[i] + s.Duration
	}
	return starts
}

// Arrival is one iteration and the instant, from the start of the run, at which it is due.
type Arrival struct {
	Iteration
	Step int
	Due  time.Duration
}

// offered returns the steps at the rates of the plan's share.
func (p Plan) offered() []Step {
	steps := slices.Clone(p.Steps)
	for i := range steps {
		steps[i].Rate /= float64(max(p.Share.Of, 1))
	}
	return steps
}

// Step yields the arrivals of the i-th step, those of the plan's share, in the order of their due times. Nothing is kept, however long
// the plan.
func (p Plan) Step(i int) iter.Seq[Arrival] {
	return func(yield func(Arrival) bool) {
		start, index := time.Duration(0), uint32(0)
		for _, s := range p.Steps[:i] {
			start += s.Duration
			index += uint32(s.Count())
		}
		deck, block := [DeckSize]uint8{}, uint32(math.MaxUint32)
		for due := range p.dues(i) {
			at := index
			index++
			if !p.Share.has(at) {
				continue
			}
			if b := at / DeckSize; b != block {
				deck, block = p.Mix.deck(p.Seed, b), b
			}
			it := Iteration{Index: at, Kind: int(deck[at%DeckSize]), Draw: stream(p.Seed, streamDraw, at).Next()}
			if !yield(Arrival{Iteration: it, Step: i, Due: start + due}) {
				return
			}
		}
	}
}

// dues yields the due times of a step's arrivals from the start of the step.
func (p Plan) dues(i int) iter.Seq[time.Duration] {
	s := p.Steps[i]
	n := s.Count()
	return func(yield func(time.Duration) bool) {
		gaps, left := stream(p.Seed, streamGapsA, uint32(i)), 1.0
		for k := range n {
			at := float64(k) / float64(n)
			if p.Arrivals == Poisson {
				// The smallest of m instants spread evenly over what is left of the step leaves u^(1/m) of it.
				left *= math.Pow(gaps.Unit(), 1/float64(n-k))
				at = 1 - left
			}
			if !yield(time.Duration(at * float64(s.Duration))) {
				return
			}
		}
	}
}

// Ramp returns n steps of equal duration, equally spaced from 0.2 to 1.5 times a base rate in iterations/s.
func Ramp(base float64, n int, step time.Duration) []Step {
	const lowest, highest = 0.2, 1.5
	steps := make([]Step, n)
	for i := range steps {
		share := lowest
		if n > 1 {
			share += (highest - lowest) * float64(i) / float64(n-1)
		}
		steps[i] = Step{Rate: base * share, Duration: step}
	}
	return steps
}
