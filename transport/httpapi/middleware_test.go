package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/httpapi"
)

// got is an answer, read whole.
type got struct {
	status int
	header http.Header
	body   string
}

// ask sends one GET.
func ask(t *testing.T, hc *http.Client, url string) got {
	t.Helper()
	resp, err := hc.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{resp.StatusCode, resp.Header, string(body)}
}

func TestPanicIsAnAnswerAndALogLine(t *testing.T) {
	t.Parallel()
	var log logBuffer
	calls := 0
	shop := shopOf{do: func(context.Context) error {
		if calls++; calls == 1 {
			panic("secret of the panic")
		}
		return nil
	}}
	url, hc := serve(t, shop, httpapi.Options{Log: log.logger()})
	resp := ask(t, hc, url+"/products/1")
	if resp.status != http.StatusInternalServerError || resp.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a panic is answered %d %s", resp.status, resp.header.Get("Content-Type"))
	}
	if strings.Contains(resp.body, "secret") {
		t.Errorf("the panic's text left: %s", resp.body)
	}
	var line struct{ Level, Msg, Route, Panic, Stack string }
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil {
		t.Fatalf("want one log line, got %s", log.String())
	}
	if line.Level != "ERROR" || line.Route != "GET /products/{id}" || line.Panic != "secret of the panic" || !strings.Contains(line.Stack, "shopOf") {
		t.Errorf("the log line does not tell the panic: %+v", line)
	}
	if resp := ask(t, hc, url+"/products/1"); resp.status != http.StatusOK {
		t.Errorf("the next request is answered %d", resp.status)
	}
}

func TestAbortCutsTheConnection(t *testing.T) {
	t.Parallel()
	var log logBuffer
	url, hc := serve(t, shopOf{do: func(context.Context) error { panic(http.ErrAbortHandler) }}, httpapi.Options{Log: log.logger()})
	if resp, err := hc.Get(url + "/products/1"); err == nil {
		resp.Body.Close()
		t.Errorf("answered %d, want a cut connection", resp.StatusCode)
	}
	if log.String() != "" {
		t.Errorf("an abort is logged: %s", log.String())
	}
}

func TestNotReadyIsUnavailable(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	f := domaintest.NewFixture()
	url, hc := serve(t, f.Shop, httpapi.Options{Ready: ready.Load})
	for _, path := range []string{"/products", "/carts/1", "/orders/1"} {
		resp := ask(t, hc, url+path)
		if resp.status != http.StatusServiceUnavailable || resp.header.Get("Retry-After") != "1" {
			t.Errorf("%s while not ready: %d, Retry-After %q", path, resp.status, resp.header.Get("Retry-After"))
		}
	}
	for _, path := range []string{"/openapi.yaml", "/problems/unavailable"} {
		if resp := ask(t, hc, url+path); resp.status != http.StatusOK {
			t.Errorf("%s while not ready: %d", path, resp.status)
		}
	}
	if _, err := httpapi.NewClient(url, hc).CreateCart(t.Context()); !errors.Is(err, domain.Unavailable) {
		t.Errorf("a cart while not ready: %v", err)
	}
	ready.Store(true)
	if resp := ask(t, hc, url+"/products"); resp.status != http.StatusOK {
		t.Errorf("/products once ready: %d", resp.status)
	}
}

func TestDeadlineEndsTheWork(t *testing.T) {
	t.Parallel()
	wait := shopOf{do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	url, hc := serve(t, wait, httpapi.Options{Deadline: 20 * time.Millisecond})
	if resp := ask(t, hc, url+"/products/1"); resp.status != http.StatusGatewayTimeout {
		t.Errorf("answered %d %s", resp.status, resp.body)
	}
}

func TestDefaultDeadline(t *testing.T) {
	t.Parallel()
	var left time.Duration
	shop := shopOf{do: func(ctx context.Context) error {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return nil
	}}
	url, hc := serve(t, shop, httpapi.Options{})
	ask(t, hc, url+"/products/1")
	if left > httpapi.DefaultDeadline || left < httpapi.DefaultDeadline-2*time.Second {
		t.Errorf("the shop has %v, want just under %v", left, httpapi.DefaultDeadline)
	}
}

// observed collects what an observer is told.
type observed struct{ Route, Status string }

func TestEachRequestIsObservedOnce(t *testing.T) {
	t.Parallel()
	f := domaintest.NewFixture()
	seen := make(chan observed, 100)
	url, hc := serve(t, f.Shop, httpapi.Options{Observe: func(route, status string, d time.Duration) {
		if d <= 0 {
			t.Errorf("%s took %v", route, d)
		}
		seen <- observed{route, status}
	}})
	for _, tt := range []struct {
		method, path string
		want         observed
	}{
		{"GET", "/products", observed{"GET /products", "200"}},
		{"HEAD", "/products?limit=0", observed{"HEAD /products", "400"}},
		{"GET", "/products/7", observed{"GET /products/{id}", "404"}},
		{"POST", "/carts", observed{"POST /carts", "201"}},
		{"DELETE", "/carts/1/items/2", observed{"DELETE /carts/{id}/items/{product_id}", "404"}},
		{"PUT", "/products", observed{httpapi.NoRoute, "405"}},
		{"GET", "/secret/path", observed{httpapi.NoRoute, "404"}},
		{"GET", "/openapi.yaml", observed{"GET /openapi.yaml", "200"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := hc.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if diff := cmp.Diff(tt.want, <-seen); diff != "" {
			t.Errorf("%s %s is observed (-want +got):\n%s", tt.method, tt.path, diff)
		}
	}
	if len(seen) > 0 {
		t.Errorf("observed once more: %v", <-seen)
	}
}

// TestClientGoneIsNoError has a client leave while the shop works, and the shop fail for it.
func TestClientGoneIsNoError(t *testing.T) {
	t.Parallel()
	var log logBuffer
	started := make(chan struct{})
	seen := make(chan observed, 1)
	shop := shopOf{do: func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		return domain.Wrap(domain.MayHaveExecuted, ctx.Err())
	}}
	url, hc := serve(t, shop, httpapi.Options{Log: log.logger(), Observe: func(route, status string, _ time.Duration) {
		seen <- observed{route, status}
	}})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-started
		leave()
	}()
	if _, err := httpapi.NewClient(url, hc).Product(ctx, 1); !errors.Is(err, domain.Deadline) {
		t.Errorf("the client that left has %v", err)
	}
	if diff := cmp.Diff(observed{"GET /products/{id}", httpapi.StatusClientGone}, <-seen); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log.String())
	}
}
