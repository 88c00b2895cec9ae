package workload

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/load"
)

// The kinds of iteration, as load.Mix numbers them.
const (
	Browse   = iota // one page of the catalogue: 1 request
	Cart            // read a cart, or add one of a product it has: 1 request
	Checkout        // add an item to an empty cart, then order it: 2 requests
)

var requestsOf = [...]int{Browse: 1, Cart: 1, Checkout: 2}

var mixes = []load.Mix{
	{Name: "mix", Weights: []int{Browse: 16, Cart: 3, Checkout: 1}},
	{Name: "browse", Weights: []int{Browse: 20}},
	{Name: "cart", Weights: []int{Cart: 20}},
	{Name: "checkout", Weights: []int{Checkout: 20}},
}

// MixNames lists the mixes there are.
func MixNames() []string {
	names := make([]string, len(mixes))
	for i, m := range mixes {
		names[i] = m.Name
	}
	return names
}

// MixOf returns the mix of a name: "mix" is 80 % browse, 15 % cart, 5 % checkout; the others are one kind alone.
func MixOf(name string) (load.Mix, error) {
	i := slices.IndexFunc(mixes, func(m load.Mix) bool { return m.Name == name })
	if i < 0 {
		return load.Mix{}, fmt.Errorf("there is no mix %q, only %s", name, strings.Join(MixNames(), ", "))
	}
	return mixes[i], nil
}

// RequestsPerIteration is how many requests an iteration of a mix makes on average.
func RequestsPerIteration(m load.Mix) float64 {
	requests := 0
	for kind, weight := range m.Weights {
		requests += weight * requestsOf[kind]
	}
	return float64(requests) / load.DeckSize
}

func has(m load.Mix, kind int) bool { return kind < len(m.Weights) && m.Weights[kind] > 0 }
