package containers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/moby/moby/client"
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
	eventually(t, startsWithin, p.name+" ends", func() error {
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
	response, err := s.http.Get("http://" + p.addr(t, adminPort) + page)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != want {
		err = fmt.Errorf("%s of %s: %s %s, want %d", page, p.name, response.Status, text, want)
	}
	return err
}

// eventually polls until done returns nil, and ends the test where that takes longer than within.
func eventually(t *testing.T, within time.Duration, what string, done func() error) {
	t.Helper()
	begun := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		err := done()
		if err == nil {
			return
		}
		if time.Since(begun) > within {
			t.Fatalf("%s: not within %v: %v", what, within, err)
		}
	}
}

// must fails the test where something that has to work did not.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
