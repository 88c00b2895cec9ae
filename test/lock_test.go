package test

import (
	"net/http"
	"testing"

	"splitshop/loadtest/runner"
	"splitshop/test/shopping"
)

// TestLockHeld: a statement that waits too long for a lock was not carried out, and every edge says so. Behind a service it
// has to give up before the call does, or the edge could only say that it does not know.
func TestLockHeld(t *testing.T) {
	t.Parallel()
	for _, design := range []string{runner.Mono, runner.Micro} {
		t.Run(design, func(t *testing.T) {
			t.Parallel()
			p := start(t, design, nil)
			g := p.Goods(t)
			p.hold(t, "LOCK TABLE catalog.products")
			for range 2 {
				if err := p.Send(t.Context(), g.Request(shopping.Page)).Want(http.StatusServiceUnavailable); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
