package test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"splitshop/loadtest/runner"
)

// request is one request to the public API.
type request struct {
	route  string // what kind of request it is
	method string
	path   string
	body   string // JSON; "": none
	header http.Header
}

// answer is what became of a request. Where err is set there was no answer.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

// String says what matters of an answer.
func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprintf("%d %s", a.status, a.body)
}

// send sends a request to the public API. It fails no test: what an answer means is the caller's business.
func (p *topology) send(ctx context.Context, r request) answer {
	return exchange(ctx, p.http, p.URL(), r)
}

func exchange(ctx context.Context, client *http.Client, base string, r request) answer {
	req, err := http.NewRequestWithContext(ctx, r.method, base+r.path, strings.NewReader(r.body))
	if err != nil {
		return answer{err: err}
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: string(body), err: err}
}

// want returns an error unless the answer has this status, and is a whole problem document where that is an error.
func (a answer) want(status int) error {
	if a.err != nil || a.status != status {
		return fmt.Errorf("%v; want %d", a, status)
	}
	return a.wellFormed()
}

// wellFormed returns an error where a refusal is not as the API documents it.
func (a answer) wellFormed() error {
	if a.status >= 400 && (a.header.Get("Content-Type") != "application/problem+json" || !strings.Contains(a.body, `"type":"/problems/`)) {
		return fmt.Errorf("%v is no problem document: %v", a, a.header)
	}
	if retry := a.header.Get("Retry-After"); (retry == "1") != (a.status == http.StatusServiceUnavailable) {
		return fmt.Errorf("%v with Retry-After %q", a, retry)
	}
	return nil
}

// adminPage asks a process for one of its admin pages.
func (p *topology) adminPage(ctx context.Context, part *runner.Part, page string) answer {
	return exchange(ctx, p.http, part.AdminURL, request{method: http.MethodGet, path: page})
}

// ready returns nil where a process says that it is.
func (p *topology) ready(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/readyz"); a.err != nil || a.status != http.StatusOK {
		return fmt.Errorf("/readyz of %s: %v", part.Name, a)
	}
	return nil
}

// notReady returns nil where a process says that it is not.
func (p *topology) notReady(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/readyz"); a.err != nil || a.status != http.StatusServiceUnavailable {
		return fmt.Errorf("/readyz of %s: %v", part.Name, a)
	}
	return nil
}

// alive returns nil where a process says that it is.
func (p *topology) alive(ctx context.Context, part *runner.Part) error {
	if a := p.adminPage(ctx, part, "/livez"); a.err != nil || a.status != http.StatusOK {
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
