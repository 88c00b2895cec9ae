package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"splitshop/domain"
	"splitshop/transport/httpapi"
)

func TestRefusedConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := httpapi.NewClient("http://"+l.Addr().String(), nil).CreateCart(t.Context()); !errors.Is(err, domain.Unavailable) {
		t.Errorf("got %v, want %v", err, domain.Unavailable)
	}
}

// TestBrokenConnectionMayHaveExecuted cuts the connection at each moment after the request.
func TestBrokenConnectionMayHaveExecuted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answer string }{
		{"before the answer", ""},
		{"within the status line", "HTTP/1.1 20"},
		{"within the headers", "HTTP/1.1 201 Created\r\nContent-Type: app"},
		{"within the body", "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				http.ReadRequest(bufio.NewReader(conn))
				io.WriteString(conn, tt.answer)
			}()
			if _, err := httpapi.NewClient("http://"+l.Addr().String(), nil).CreateCart(t.Context()); !errors.Is(err, domain.MayHaveExecuted) {
				t.Errorf("got %v, want %v", err, domain.MayHaveExecuted)
			}
		})
	}
}

func TestEndedTimeIsDeadline(t *testing.T) {
	t.Parallel()
	wait := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(wait.Close)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	t.Cleanup(cancel)
	for _, tt := range []struct {
		name string
		ctx  context.Context
		hc   *http.Client
	}{
		{"context ended before", ended, nil},
		{"context ends during the request", short, nil},
		{"the client's own timeout", t.Context(), &http.Client{Timeout: 20 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := httpapi.NewClient(wait.URL, tt.hc).Product(tt.ctx, 1); !errors.Is(err, domain.Deadline) {
				t.Errorf("got %v, want %v", err, domain.Deadline)
			}
		})
	}
}

// TestStrangeAnswersAreInternal gives the client answers that openapi.yaml does not describe.
func TestStrangeAnswersAreInternal(t *testing.T) {
	t.Parallel()
	const cart = `{"id":"6fa459ea-ee8a-4ca4-894e-db77e160355e","lines":[],"total":{"amount":0,"currency":"EUR"}}`
	const path = "/carts/6fa459ea-ee8a-4ca4-894e-db77e160355e"
	const problem, unavailable = "application/problem+json", `{"type":"/problems/unavailable","title":"x","status":503,"detail":"d"}`
	for _, tt := range []struct {
		name                      string
		status                    int
		mediaType, location, body string
		want                      error // nil: none
	}{
		{"control: right", 201, "application/json", path, cart, nil},
		{"control: right, with a charset", 201, "application/json; charset=utf-8", path, cart, nil},
		{"control: a problem", 503, problem, "", unavailable, domain.Unavailable},
		{"another success", 200, "application/json", path, cart, domain.Internal},
		{"a redirect", 302, "application/json", path, cart, domain.Internal},
		{"no Location", 201, "application/json", "", cart, domain.Internal},
		{"another's Location", 201, "application/json", "/carts/1", cart, domain.Internal},
		{"no media type", 201, "", path, cart, domain.Internal},
		{"another media type", 201, "text/html", path, cart, domain.Internal},
		{"not JSON", 201, "application/json", path, "<html>", domain.Internal},
		{"cut JSON", 201, "application/json", path, cart[:40], domain.Internal},
		{"two documents", 201, "application/json", path, cart + cart, domain.Internal},
		{"an unknown member", 201, "application/json", path, strings.Replace(cart, "{", `{"owner":1,`, 1), domain.Internal},
		{"an id that is none", 201, "application/json", path, strings.Replace(cart, "6fa4", "6FA4", 1), domain.Internal},
		{"endless", 201, "application/json", path, cart + strings.Repeat(" ", 1<<20), domain.Internal},
		{"an unknown problem", 503, problem, "", strings.Replace(unavailable, "unavailable", "odd", 1), domain.Internal},
		{"a problem of another place", 503, problem, "", strings.Replace(unavailable, "/problems/", "", 1), domain.Internal},
		{"a problem of another status", 409, problem, "", unavailable, domain.Internal},
		{"an error that is no problem", 503, "text/html", "", "<h1>503</h1>", domain.Internal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tt.mediaType}
				if tt.location != "" {
					w.Header().Set("Location", tt.location)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			t.Cleanup(server.Close)
			_, err := httpapi.NewClient(server.URL, nil).CreateCart(t.Context())
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
