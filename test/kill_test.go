package test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/loadtest/runner"
	"splitshop/test/shopping"
)

// recovery is how soon all is well again after what was broken works again, without anybody's help.
const recovery = 30 * time.Second

// TestServiceKilled is case 15: a service is killed and started again at its address, and its clients find it by themselves.
func TestServiceKilled(t *testing.T) {
	t.Parallel()
	p := start(t, runner.Micro, nil)
	for _, tt := range []struct {
		service string
		held    string // a kind of request that is in the service's hands when it dies
		lock    string // what makes it stay there
	}{
		{"catalog", shopping.Page, "LOCK TABLE catalog.products"},
		{"cart", shopping.NewCart, "LOCK TABLE cart.carts"},
		{"orders", shopping.ViewOrder, "LOCK TABLE orders.orders"},
	} {
		t.Run("service="+tt.service, func(t *testing.T) { serviceKilled(t, p, tt.service, tt.held, tt.lock) })
	}
}

func serviceKilled(t *testing.T, p *topology, service, held, lock string) {
	g := p.Goods(t)
	release := p.hold(t, lock)
	answers := make(chan shopping.Answer, 1)
	go func() { answers <- p.Send(context.Background(), g.Request(held)) }()
	p.awaitBlocked(t, 1)
	must(t, p.Part(service).Kill())
	if err := (<-answers).Want(http.StatusBadGateway); err != nil {
		t.Errorf("%s, in flight: %v", held, err)
	}
	release()
	for _, e := range shopping.Effects {
		_, want := shopping.WhenDead(e.Kind, service)
		shopping.Eventually(t, recovery, e.Kind+" while it is dead", func() error { return p.Send(t.Context(), g.Request(e.Kind)).Want(want) })
	}
	for _, part := range p.processes() {
		if part.Name != service {
			must(t, p.alive(t.Context(), part))
		}
	}
	must(t, p.notReady(t.Context(), p.edge()))

	must(t, p.Part(service).Start(t.Context()))
	again := time.Now()
	for _, e := range shopping.Effects {
		shopping.Eventually(t, recovery-time.Since(again), e.Kind+" when it is back", func() error {
			return p.Send(t.Context(), g.Request(e.Kind)).Want(e.Healthy)
		})
	}
	shopping.Eventually(t, recovery, "the gateway is ready", func() error { return p.ready(t.Context(), p.edge()) })
}

// TestServiceHangs stops the catalog without ending it: calls to it run into their deadline of two seconds, and nothing
// else suffers but readiness, which has to ask it.
func TestServiceHangs(t *testing.T) {
	t.Parallel()
	p := start(t, runner.Micro, nil)
	g := p.Goods(t)
	catalog := p.Part("catalog")
	must(t, catalog.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = catalog.Signal(syscall.SIGCONT) })
	answers := make(chan error, 1)
	begun := time.Now()
	go func() {
		answers <- p.Send(context.Background(), g.Request(shopping.Page)).Want(http.StatusGatewayTimeout)
	}()
	for _, e := range shopping.Effects {
		if _, now := shopping.WhenDead(e.Kind, "catalog"); now == e.Healthy {
			must(t, p.Send(t.Context(), g.Request(e.Kind)).Want(e.Healthy))
		}
	}
	must(t, p.alive(t.Context(), p.edge()))
	must(t, <-answers)
	if took := time.Since(begun); took < 1900*time.Millisecond || took > 4*time.Second {
		t.Errorf("the time-out took %v, want 2 s", took)
	}
	must(t, p.notReady(t.Context(), p.edge()))
	must(t, catalog.Signal(syscall.SIGCONT))
	shopping.Eventually(t, recovery, "a page when it runs again", func() error {
		return p.Send(t.Context(), g.Request(shopping.Page)).Want(http.StatusOK)
	})
	shopping.Eventually(t, recovery, "the gateway is ready", func() error { return p.ready(t.Context(), p.edge()) })
}

// TestCartNotCleared is the services' checkout as it is usually shipped: where the cart service is lost after the order was
// committed, the order stands, its cart still holds what was ordered, and a log line says so.
func TestCartNotCleared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fate  func(*runner.Part) error
		want  int
		after func(*testing.T, *runner.Part) error
	}{
		{"it dies", (*runner.Part).Kill, http.StatusCreated,
			func(t *testing.T, cart *runner.Part) error { return cart.Start(t.Context()) }},
		// It gives up before its caller does, and says that it did nothing.
		{"it waits for a lock", func(*runner.Part) error { return nil }, http.StatusCreated,
			func(*testing.T, *runner.Part) error { return nil }},
		// The gateway's call and the one within it run into one deadline: the client is told that nothing is known.
		{"it hangs", func(cart *runner.Part) error { return cart.Signal(syscall.SIGSTOP) }, http.StatusGatewayTimeout,
			func(_ *testing.T, cart *runner.Part) error { return cart.Signal(syscall.SIGCONT) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, runner.Micro, nil)
			cart := p.FilledCart(t, 1, 2)
			release, held := p.holdOne(t, shopping.CheckOut(cart), cart)
			must(t, tt.fate(p.Part("cart")))
			a := <-held
			must(t, a.Want(tt.want))
			p.awaitNoneBlocked(t) // else Postgres would carry out what the dead had sent
			release()
			order := notCleared(t, p)
			var answered struct{ ID string }
			if tt.want == http.StatusCreated {
				must(t, json.Unmarshal([]byte(a.Body), &answered))
				if answered.ID != order {
					t.Errorf("the client was told of order %q, the log of %q", answered.ID, order)
				}
			}
			must(t, tt.after(t, p.Part("cart")))
			orderStands(t, p, cart, order)
		})
	}
}

// notCleared waits for the orders service's log line and returns the order it names.
func notCleared(t *testing.T, p *topology) (order string) {
	t.Helper()
	shopping.Eventually(t, recovery, "the orders service says it", func() error {
		text, err := os.ReadFile(p.Part("orders").LogFile)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			var entry struct{ Level, Msg, Order string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "order stands but its cart was not cleared" && entry.Level == "ERROR" {
				order = entry.Order
				return nil
			}
		}
		return fmt.Errorf("its log is\n%s", text)
	})
	return order
}

// orderStands checks that an order was kept and that its cart still holds the same.
func orderStands(t *testing.T, p *topology, cart domain.CartID, order string) {
	t.Helper()
	id, err := domain.ParseOrderID(order)
	must(t, err)
	stored, err := p.Client().Order(t.Context(), id)
	must(t, err)
	var left domain.Cart
	shopping.Eventually(t, recovery, "the cart", func() (err error) { left, err = p.Client().Cart(t.Context(), cart); return err })
	if diff := cmp.Diff(stored.Lines, left.Lines); diff != "" || len(stored.Lines) != 2 {
		t.Errorf("lines of the order and of its cart:\n%s", diff)
	}
}
