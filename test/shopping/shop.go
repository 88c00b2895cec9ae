// Package shopping is a client's view of a shop, for tests of topologies: requests of every kind and what each is answered, also
// while a part of the shop is dead; and traffic made of them.
//
// It owns what may be said of an answer by itself. It knows the public API, and nothing of how a shop runs.
package shopping

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"splitshop/process"
	"splitshop/transport/httpapi"
)

// Shop is a public API somewhere.
type Shop struct {
	Base string // its URL
	HTTP *http.Client
}

// HTTP is a client for much at once. Its connections are closed when the test ends.
func HTTP(t testing.TB) *http.Client {
	// A connection is given up before the server closes it, perhaps in the face of a request: process.IdleTimeout.
	transport := &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: process.IdleTimeout / 3}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// Client is the shop as Go.
func (s Shop) Client() *httpapi.Client { return httpapi.NewClient(s.Base, s.HTTP) }

// Request is one request to the public API.
type Request struct {
	Route  string // what kind of request it is
	Method string
	Path   string
	Body   string // JSON; "": none
	Header http.Header
}

// Answer is what became of a request. Where Err is set there was no answer.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Err    error
}

// String says what matters of an answer.
func (a Answer) String() string {
	if a.Err != nil {
		return a.Err.Error()
	}
	return fmt.Sprintf("%d %s", a.Status, a.Body)
}

// Send sends a request to the public API. It fails no test: what an answer means is the caller's business.
func (s Shop) Send(ctx context.Context, r Request) Answer {
	return Exchange(ctx, s.HTTP, s.Base, r)
}

// Exchange sends a request to whatever is at base.
func Exchange(ctx context.Context, client *http.Client, base string, r Request) Answer {
	req, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return Answer{Err: err}
	}
	if r.Header != nil {
		req.Header = r.Header.Clone()
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: string(body), Err: err}
}

// Want returns an error unless the answer has this status, and is a whole problem document where that is an error.
func (a Answer) Want(status int) error {
	if a.Err != nil || a.Status != status {
		return fmt.Errorf("%v; want %d", a, status)
	}
	return a.WellFormed()
}

// WellFormed returns an error where a refusal is not as the API documents it.
func (a Answer) WellFormed() error {
	if a.Status >= 400 && (a.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(a.Body, `"type":"/problems/`)) {
		return fmt.Errorf("%v is no problem document: %v", a, a.Header)
	}
	if retry := a.Header.Get("Retry-After"); (retry == "1") != (a.Status == http.StatusServiceUnavailable) {
		return fmt.Errorf("%v with Retry-After %q", a, retry)
	}
	return nil
}
