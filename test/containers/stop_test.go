package containers

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/test/shopping"
)

const (
	rate = 50 // requests a second, whatever becomes of those before

	// stopsWithin is compose.yaml's stop_grace_period: after that the engine would kill.
	stopsWithin = 20 * time.Second
)

// TestPartStopped is case 14, in containers: each part of each design is told to stop as `docker stop` does it, while clients
// browse and buy. Every part ends by itself with status 0; requests fail, in the documented way, only from then until it is back;
// and every order that a client was told of is there afterwards.
func TestPartStopped(t *testing.T) {
	t.Parallel()
	for _, design := range []string{mono, micro} {
		t.Run("topology="+design, func(t *testing.T) {
			t.Parallel()
			s := start(t, design)
			for _, p := range append(s.servers(), s.parts["postgres"]) {
				t.Run("part="+p.name, func(t *testing.T) { s.stopped(t, p) })
			}
		})
	}
}

func (s *stack) stopped(t *testing.T, p *part) {
	shop := s.shop(t, s.edge())
	tr := shop.StartTraffic(rate, shop.Goods(t), shopping.Page, shopping.Product, shopping.NewCart, shopping.ViewCart,
		shopping.Setting, shopping.ViewOrder)
	defer tr.Stop()
	orders := buy(shop)
	defer orders.stop()
	shopping.Eventually(t, startsWithin, "traffic flows", func() error { return shopping.Succeeded(tr.SoFar(), rate) })

	begun := time.Now()
	stopping := make(chan error, 1)
	go func() { stopping <- p.Stop(context.Background(), new(stopsWithin)) }()
	if p == s.edge() { // a load balancer asks and then sends no more
		admin := "http://" + p.addr(t, adminPort)
		shopping.Eventually(t, stopsWithin, "it is not ready", func() error {
			a := shopping.Exchange(t.Context(), s.http, admin, shopping.Request{Method: http.MethodGet, Path: "/readyz"})
			if a.Status != http.StatusServiceUnavailable {
				return fmt.Errorf("/readyz: %v", a)
			}
			return nil
		})
		orders.stop()
		for _, r := range shopping.Failures(tr.End()) {
			t.Errorf("%s failed: %v", r.Route, r.Answer)
		}
	}
	must(t, <-stopping)
	took := time.Since(begun)
	if code := s.exit(t, p); code != 0 || took > stopsWithin {
		t.Errorf("it exited with %d after %v", code, took)
	}

	must(t, p.Start(t.Context()))
	for _, server := range s.servers() {
		shopping.Eventually(t, recovery, server.name+" is ready again", func() error { return s.ready(t, server) })
	}
	again := time.Now()
	if p != s.edge() {
		before := len(tr.SoFar())
		shopping.Eventually(t, recovery, "traffic flows again", func() error { return shopping.Succeeded(tr.SoFar()[before:], rate) })
		onlyMeanwhile(t, p, tr.End(), begun, again)
	}
	shop = s.shop(t, s.edge())
	placed := orders.stop()
	if len(placed) == 0 {
		t.Error("nothing was bought: this test shows nothing")
	}
	for _, order := range placed {
		kept, err := shop.Client().Order(t.Context(), order.ID)
		if diff := cmp.Diff(order, kept); err != nil || diff != "" {
			t.Errorf("an order that was answered (-answered +kept): %v\n%s", err, diff)
		}
	}
	t.Logf("stopped in %v, well after %v; %d orders kept", took.Round(time.Millisecond), again.Sub(begun).Round(time.Millisecond), len(placed))
}

// onlyMeanwhile checks that requests failed as documented, and none before or after.
func onlyMeanwhile(t *testing.T, p *part, results []shopping.Result, from, to time.Time) {
	t.Helper()
	if p.name != "postgres" {
		for _, r := range shopping.OnlyWhile(t, results, p.name, from, to) {
			if r.Status != http.StatusServiceUnavailable {
				t.Errorf("%s: %v, want no other failure than 503", r.Route, r.Answer)
			}
		}
		return
	}
	for _, r := range shopping.Failures(results) {
		if !documented(r.Answer) {
			t.Errorf("%s: %v", r.Route, r.Answer)
		}
		if r.Done.Before(from) || r.Sent.After(to) {
			t.Errorf("%s failed when all was well: %v", r.Route, r.Answer)
		}
	}
}

// buyers are clients who place one order after the other.
type buyers struct {
	stop func() []domain.Order // all that they were told of
}

// buy lets some buy until they are told to stop.
func buy(shop shopping.Shop) buyers {
	const many = 2
	ctx, cancel := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	var mu sync.Mutex
	var placed []domain.Order
	for range many {
		clients.Go(func() {
			for ctx.Err() == nil {
				order, err := buyOnce(shop)
				if err != nil { // the API is the traffic's to judge
					time.Sleep(100 * time.Millisecond) // it paces the client
					continue
				}
				mu.Lock()
				placed = append(placed, order)
				mu.Unlock()
			}
		})
	}
	return buyers{func() []domain.Order { cancel(); clients.Wait(); return placed }}
}

func buyOnce(shop shopping.Shop) (domain.Order, error) {
	ctx := context.Background() // every request gets its answer
	cart, err := shop.Client().CreateCart(ctx)
	if err != nil {
		return domain.Order{}, err
	}
	if _, err := shop.Client().AddItem(ctx, cart, domain.Item{ProductID: 1, Quantity: 1}); err != nil {
		return domain.Order{}, err
	}
	return shop.Client().PlaceOrder(ctx, cart)
}
