package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"splitshop/domain"
	"splitshop/loadtest/runner"
	"splitshop/sql"
	"splitshop/test/shopping"
)

const (
	rate  = 100              // requests a second, whatever becomes of those before
	drain = 2 * time.Second  // how long the processes of these tests serve on while they are not ready
	grace = 10 * time.Second // --grace, as it is by default
)

func drained() map[string]string { return map[string]string{"SHOP_DRAIN": drain.String()} }

// TestEdgeStops is case 14 for the processes that clients talk to: a load balancer that asks /readyz and then sends no more
// loses not a single request.
func TestEdgeStops(t *testing.T) {
	t.Parallel()
	for _, design := range []string{runner.Mono, runner.Micro} {
		t.Run("topology="+design, func(t *testing.T) {
			t.Parallel()
			p := start(t, design, drained())
			edgeStops(t, p, p.edge())
		})
	}
}

func edgeStops(t *testing.T, p *topology, edge *runner.Part) {
	g := p.Goods(t)
	tr := p.StartTraffic(rate, g, shopping.Page, shopping.Product, shopping.NewCart, shopping.ViewCart, shopping.Setting, shopping.ViewOrder)
	shopping.Eventually(t, recovery, "traffic flows", func() error { return shopping.Succeeded(tr.SoFar(), rate/2) })

	begun := time.Now()
	must(t, edge.Signal(syscall.SIGTERM))
	shopping.Eventually(t, drain, "readiness is false", func() error { return p.notReady(t.Context(), edge) })
	must(t, p.Send(t.Context(), g.Request(shopping.Page)).Want(http.StatusOK)) // all is answered still
	results := tr.End()
	release, held := p.holdOneAsItCloses(t, begun, shopping.AddOne(g.Buy), g.Buy)
	shopping.Eventually(t, grace, "the listener is closed", func() error { return refused(p.URL()) })
	release()
	if a := <-held; a.Want(http.StatusOK) != nil {
		t.Errorf("the request that was in flight when the listener closed: %v", a)
	}
	ends(t, edge, begun)
	for _, r := range shopping.Failures(results) {
		t.Errorf("%s failed: %v", r.Route, r.Answer)
	}
	t.Logf("%d requests, %v from the signal to the end", len(results), time.Since(begun))
	saysStatistics(t, edge)
}

// holdOne sends a request that waits in Postgres for a cart until release is called.
func (p *topology) holdOne(t *testing.T, r shopping.Request, cart domain.CartID) (release func(), held <-chan shopping.Answer) {
	t.Helper()
	release = p.holdCart(t, cart)
	answers := make(chan shopping.Answer, 1)
	go func() { answers <- p.Send(context.Background(), r) }()
	p.awaitBlocked(t, 1)
	return release, answers
}

// holdOneAsItCloses does so late in the drain time of a process that was told to stop, as no statement waits longer than 1.5 s
// for a lock.
func (p *topology) holdOneAsItCloses(t *testing.T, begun time.Time, r shopping.Request, c domain.CartID) (func(), <-chan shopping.Answer) {
	t.Helper()
	time.Sleep(time.Until(begun.Add(drain - 1200*time.Millisecond)))
	return p.holdOne(t, r, c)
}

// refused returns nil where nobody listens at a URL.
func refused(url string) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil
	}
	conn.Close()
	return fmt.Errorf("%s still listens", url)
}

// ends waits for the end of a process that was asked to stop: status 0, inside the grace period.
func ends(t *testing.T, part *runner.Part, begun time.Time) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), begun.Add(grace))
	defer cancel()
	if err := part.Wait(ctx); err != nil {
		t.Errorf("%s: %v", part.Name, err)
	}
}

// saysStatistics checks the last words of a process: after it began to drain, its pools' statistics as one line.
func saysStatistics(t *testing.T, part *runner.Part) {
	t.Helper()
	text, err := os.ReadFile(part.LogFile)
	must(t, err)
	var said []string
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Msg   string
			Stats map[string]sql.PoolStats
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%s logs what is not JSON: %v: %s", part.Name, err, line)
		}
		said = append(said, entry.Msg)
		pool, ok := entry.Stats["pool"]
		if entry.Msg == "statistics" && ok == (part.Name == "gateway") || ok && (pool.Acquires == 0 || pool.MaxInUse == 0 || pool.Max == 0) {
			t.Errorf("%s logs %s", part.Name, line)
		}
	}
	if last := said[max(0, len(said)-3):]; !slices.Equal(last, []string{"draining", "statistics", "stopped"}) {
		t.Errorf("the last words of %s are %q", part.Name, last)
	}
}

// TestServiceStops is case 14 for the services. Nobody in front of a single service can send its calls elsewhere, so this is
// what stopping one costs the public API: from the end of its drain time until the next process serves, what needs it is
// answered with 503 (nothing was done), and only that. The gateway says that it is not ready before the first such answer.
func TestServiceStops(t *testing.T) {
	t.Parallel()
	p := start(t, runner.Micro, drained())
	for _, tt := range []struct {
		service string
		held    func(shopping.Goods) shopping.Request // one that is in the service's hands when it is told to stop
	}{
		{"catalog", nil},
		{"cart", func(g shopping.Goods) shopping.Request { return shopping.AddOne(g.Buy) }},
		{"orders", func(g shopping.Goods) shopping.Request { return shopping.CheckOut(g.Buy) }},
	} {
		t.Run("service="+tt.service, func(t *testing.T) { serviceStops(t, p, p.Part(tt.service), tt.held) })
	}
}

func serviceStops(t *testing.T, p *topology, service *runner.Part, heldRequest func(shopping.Goods) shopping.Request) {
	g := p.Goods(t)
	tr := p.StartTraffic(rate, g, shopping.Page, shopping.Product, shopping.NewCart, shopping.ViewCart, shopping.ViewOrder, shopping.Setting)
	defer tr.Stop()
	shopping.Eventually(t, recovery, "traffic flows", func() error { return shopping.Succeeded(tr.SoFar(), rate/2) })

	begun := time.Now()
	must(t, service.Signal(syscall.SIGTERM))
	shopping.Eventually(t, drain, "the service's readiness is false", func() error { return p.notReady(t.Context(), service) })
	shopping.Eventually(t, drain, "the gateway's too", func() error { return p.notReady(t.Context(), p.edge()) })
	notReady := time.Now()
	release, held := func() {}, (<-chan shopping.Answer)(nil)
	if heldRequest != nil {
		release, held = p.holdOneAsItCloses(t, begun, heldRequest(g), g.Buy)
	}
	shopping.Eventually(t, grace, "the listener is closed", func() error { return refused("http://" + service.Addr) })
	release()
	if held != nil {
		if a := <-held; a.Err != nil || a.Status >= http.StatusMultipleChoices {
			t.Errorf("the request that was in flight: %v", a)
		}
	}
	ends(t, service, begun)
	saysStatistics(t, service)
	shopping.Eventually(t, recovery, "what needs it fails", func() error {
		if len(shopping.Failures(tr.SoFar())) == 0 {
			return errors.New("nothing has failed")
		}
		return nil
	})
	must(t, service.Start(t.Context()))
	shopping.Eventually(t, recovery, "the gateway is ready again", func() error { return p.ready(t.Context(), p.edge()) })
	again := time.Now()
	before := len(tr.SoFar())
	shopping.Eventually(t, recovery, "traffic flows again", func() error { return shopping.Succeeded(tr.SoFar()[before:], rate/2) })
	for _, r := range shopping.OnlyWhile(t, tr.End(), service.Name, notReady, again) {
		if r.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %v, want no other failure than 503", r.Route, r.Answer)
		}
	}
}
