package test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"splitshop/loadtest/runner"
	"splitshop/test/shopping"
)

// adminPage asks a process for one of its admin pages.
func (p *topology) adminPage(ctx context.Context, part *runner.Part, page string) shopping.Answer {
	return shopping.Exchange(ctx, p.HTTP, part.AdminURL, shopping.Request{Method: http.MethodGet, Path: page})
}

// ready returns nil where a process says that it is.
func (p *topology) ready(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/readyz"); a.Err != nil || a.Status != http.StatusOK {
		return fmt.Errorf("/readyz of %s: %v", part.Name, a)
	}
	return nil
}

// notReady returns nil where a process says that it is not.
func (p *topology) notReady(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/readyz"); a.Err != nil || a.Status != http.StatusServiceUnavailable {
		return fmt.Errorf("/readyz of %s: %v", part.Name, a)
	}
	return nil
}

// alive returns nil where a process says that it is.
func (p *topology) alive(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/livez"); a.Err != nil || a.Status != http.StatusOK {
		return fmt.Errorf("/livez of %s: %v", part.Name, a)
	}
	return nil
}

// must fails the test where something that has to work did not.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
