package containers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/moby/moby/client"

	"splitshop/test/shopping"
)

// addr is where a container's port is published now; a container that starts again may get another.
func (p *part) addr(t *testing.T, port string) string {
	t.Helper()
	mapped, err := p.MappedPort(t.Context(), port)
	if err != nil {
		t.Fatalf("port %s of %s: %v", port, p.name, err)
	}
	return "127.0.0.1:" + mapped.Port()
}

// log is all that a container has said.
func (p *part) log(ctx context.Context) (string, error) {
	r, err := p.Logs(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

// kill ends a container at once.
func (s *stack) kill(t *testing.T, p *part) {
	t.Helper()
	_, err := s.w.engine.ContainerKill(t.Context(), p.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"})
	must(t, err)
	s.exit(t, p)
}

// exit waits until a container has ended, and returns its exit code.
func (s *stack) exit(t *testing.T, p *part) (code int) {
	t.Helper()
	shopping.Eventually(t, startsWithin, p.name+" ends", func() error {
		state, err := p.State(t.Context())
		if err == nil && state.Running {
			err = fmt.Errorf("it is %s", state.Status)
		}
		if err == nil {
			code = state.ExitCode
		}
		return err
	})
	return code
}

// ready returns nil where a server says that it is.
func (s *stack) ready(t *testing.T, p *part) error {
	return s.adminPage(t, p, "/readyz", http.StatusOK)
}

// notReady returns nil where a server says that it is not.
func (s *stack) notReady(t *testing.T, p *part) error {
	return s.adminPage(t, p, "/readyz", http.StatusServiceUnavailable)
}

// alive returns nil where a server says that it is.
func (s *stack) alive(t *testing.T, p *part) error { return s.adminPage(t, p, "/livez", http.StatusOK) }

func (s *stack) adminPage(t *testing.T, p *part, page string, want int) error {
	t.Helper()
	a := shopping.Exchange(t.Context(), s.http, "http://"+p.addr(t, adminPort), shopping.Request{Method: http.MethodGet, Path: page})
	if a.Err != nil || a.Status != want {
		return fmt.Errorf("%s of %s: %v, want %d", page, p.name, a, want)
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
