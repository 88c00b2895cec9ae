package grpcapi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"splitshop/domain"
)

// host keeps what a process is told.
type host struct {
	name    string
	ready   func(context.Context) error
	closeIt func()
}

func (h *host) Needs(name string, ready func(context.Context) error, closeIt func()) {
	h.name, h.ready, h.closeIt = name, ready, closeIt
}

// TestUpstream: a process is as ready as what it needs, and hangs up at its end.
func TestUpstream(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		l, addr := listen(t, network, newAddr(t, network))
		s := start(t, l, options(), func(s *grpc.Server) { RegisterCatalog(s, nil) })
		var h, mistaken host
		if wrong, err := Upstream(&mistaken, "cart", addr); err != nil {
			t.Error(err)
		} else if err := mistaken.ready(t.Context()); err == nil || !strings.Contains(err.Error(), "it has no shop.Carts") {
			t.Errorf("the catalog as the cart is ready: %v", err)
		} else {
			wrong.Close()
		}
		conn, err := Upstream(&h, "catalog", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := h.ready(t.Context()); h.name != "catalog" || err != nil {
			t.Errorf("%q is ready: %v", h.name, err)
		}
		s.Stop()
		if err := h.ready(t.Context()); !errors.Is(err, domain.Unavailable) && !errors.Is(err, domain.MayHaveExecuted) {
			t.Errorf("stopped server is ready: %v", err)
		}
		h.closeIt()
		if state := conn.GetState(); state != connectivity.Shutdown {
			t.Errorf("closed connection is %v", state)
		}
	})
	if _, err := Upstream(&host{}, "catalog", "nowhere"); err == nil {
		t.Error("an address without a port is taken")
	}
}
