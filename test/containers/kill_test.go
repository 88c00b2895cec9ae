package containers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"splitshop/test/shopping"
)

// recovery is how soon all is well again after what was broken works again, without anybody's help.
const recovery = time.Minute

// noticed is how soon the death of a part has its final effect. A container that is gone does not even refuse: until the engine's
// name server or the kernel says so, what needs it runs out of time (504), and what was in its hands is 502.
const noticed = 30 * time.Second

// noAnswer stands for a status where there is no answer at all.
const noAnswer = 0

// effect is what a kind of request is answered, all being well and with a part dead. Without Postgres nothing can be done;
// without its edge a shop does not answer; without a service it does what needs no such service.
func effect(kind, part string) (healthy, dead int) {
	switch healthy, dead = shopping.WhenDead(kind, part); part {
	case "postgres":
		return healthy, http.StatusServiceUnavailable
	case "monolith", "gateway":
		return healthy, noAnswer
	default:
		return healthy, dead
	}
}

// TestPartKilled kills each part of each design in turn and starts it again. The others stay as they are.
func TestPartKilled(t *testing.T) {
	t.Parallel()
	for _, design := range []string{mono, micro} {
		t.Run("topology="+design, func(t *testing.T) {
			t.Parallel()
			s := start(t, design)
			for _, p := range append(s.servers(), s.parts["postgres"]) {
				t.Run("part="+p.name, func(t *testing.T) { s.killed(t, p) })
			}
		})
	}
}

func (s *stack) killed(t *testing.T, p *part) {
	shop := s.shop(t, s.edge())
	g := shop.Goods(t)
	s.kill(t, p)
	shopping.Eventually(t, noticed, "the effect of its death", func() error { return deadEffects(t, shop, g, p.name) })
	for _, other := range s.servers() {
		if other != p {
			must(t, s.alive(t, other))
		}
	}
	if p != s.edge() {
		must(t, s.notReady(t, s.edge()))
	}

	must(t, p.Start(t.Context()))
	again := time.Now()
	shop = s.shop(t, s.edge()) // which may have another port now
	for _, e := range shopping.Effects {
		shopping.Eventually(t, recovery-time.Since(again), e.Kind+" when it is back", func() error {
			return shop.Send(t.Context(), g.Request(e.Kind)).Want(e.Healthy)
		})
	}
	for _, server := range s.servers() {
		shopping.Eventually(t, recovery, server.name+" is ready again", func() error { return s.ready(t, server) })
	}
	t.Logf("all is well %v after %s was started again", time.Since(again).Round(time.Millisecond), p.name)
}

// deadEffects sends a request of every kind, all at once, and compares what they are answered with the table.
func deadEffects(t *testing.T, shop shopping.Shop, g shopping.Goods, part string) error {
	t.Helper()
	errs := make([]error, len(shopping.Effects))
	var all sync.WaitGroup
	for i, e := range shopping.Effects {
		all.Go(func() {
			a := shop.Send(t.Context(), g.Request(e.Kind))
			switch _, want := effect(e.Kind, part); {
			case want == http.StatusServiceUnavailable && !documented(a):
				t.Errorf("%s: %v", e.Kind, a)
			case want != noAnswer:
				errs[i] = a.Want(want)
			case a.Err == nil:
				errs[i] = fmt.Errorf("%v; want no answer", a)
			}
			if errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", e.Kind, errs[i])
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// documented says whether an answer is one that the API documents for a shop that lacks a part.
func documented(a shopping.Answer) bool {
	known := []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	return a.Err == nil && slices.Contains(known, a.Status) && a.WellFormed() == nil
}
