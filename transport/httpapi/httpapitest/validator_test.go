package httpapitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failures is a test that counts its failures.
type failures struct {
	testing.TB
	lines []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// TestValidatorCatches is the negative control: each of these exchanges differs from the description in one thing.
func TestValidatorCatches(t *testing.T) {
	t.Parallel()
	const product = `{"id":1,"name":"Carafe","price":{"amount":1249,"currency":"EUR"}}`
	const json, problem = "application/json", "application/problem+json"
	document := func(slug string, status int) string {
		return fmt.Sprintf(`{"type":"/problems/%s","title":"T","status":%d,"detail":"d"}`, slug, status)
	}
	for _, tt := range []struct {
		name, method, path, sent string
		status                   int
		mediaType, body          string
		caught                   bool
	}{
		{"control: a product", "GET", "/products/1", "", 200, json, product, false},
		{"control: a problem", "GET", "/products/1", "", 404, problem, document("not-found", 404), false},
		{"control: no such path", "GET", "/coffee", "", 404, problem, document("no-such-route", 404), false},
		{"control: an accepted body", "PUT", "/carts/" + unknownID + "/items/1", `{"quantity":1}`, 409, problem, document("conflict", 409), false},
		{"another type", "GET", "/products/1", "", 200, json, strings.Replace(product, "1,", `"1",`, 1), true},
		{"a member missing", "GET", "/products/1", "", 200, json, strings.Replace(product, `"id":1,`, "", 1), true},
		{"a member too many", "GET", "/products/1", "", 200, json, strings.Replace(product, "{", `{"stock":1,`, 1), true},
		{"a value past its limit", "GET", "/products/1", "", 200, json, strings.Replace(product, "1249", "-1", 1), true},
		{"another media type", "GET", "/products/1", "", 200, "text/plain", product, true},
		{"another status", "GET", "/products/1", "", 201, json, product, true},
		{"a status of another route", "GET", "/products/1", "", 409, problem, document("conflict", 409), true},
		{"a problem of another status", "GET", "/products/1", "", 404, problem, document("not-found", 400), true},
		{"a problem of another type", "GET", "/products/1", "", 404, problem, document("invalid", 404), true},
		{"a path denied", "GET", "/products/1", "", 404, problem, document("no-such-route", 404), true},
		{"a path invented", "GET", "/coffee", "", 200, json, product, true},
		{"a method denied", "GET", "/products/1", "", 405, problem, document("method-not-allowed", 405), true},
		{"a method denied without Allow", "PUT", "/products/1", "", 405, problem, document("method-not-allowed", 405), true},
		{"no Retry-After", "GET", "/products/1", "", 503, problem, document("unavailable", 503), true},
		{"a parameter accepted", "GET", "/products?limit=101", "", 200, json, `{"products":[],"next":null}`, true},
		{"an unknown parameter accepted", "GET", "/products?x=1", "", 200, json, `{"products":[],"next":null}`, true},
		{"a body accepted", "POST", "/carts/" + unknownID + "/items", `{"quantity":1}`, 200, json,
			`{"product_id":1,"name":"x","quantity":1,"unit_price":{"amount":1,"currency":"EUR"},` +
				`"line_total":{"amount":1,"currency":"EUR"},"available":true}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.mediaType)
				w.Header().Set("Cache-Control", "no-store")
				w.Header().Set("X-Content-Type-Options", "nosniff")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			t.Cleanup(server.Close)
			found := &failures{TB: t}
			req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader(tt.sent))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", json)
			resp, err := Validator(found, http.DefaultTransport).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.body, string(body)); diff != "" {
				t.Errorf("the validator changed the answer (-want +got):\n%s", diff)
			}
			if (len(found.lines) > 0) != tt.caught {
				t.Errorf("caught: %q; want %t", found.lines, tt.caught)
			}
		})
	}
}

// TestTranscriptComparisonCatches: one byte is enough.
func TestTranscriptComparisonCatches(t *testing.T) {
	t.Parallel()
	same := &failures{TB: t}
	CompareTranscript(same, Golden())
	other := &failures{TB: t}
	CompareTranscript(other, []byte(strings.Replace(golden, "124", "125", 1)))
	if len(same.lines) != 0 || len(other.lines) != 1 {
		t.Errorf("the same text fails %d times, another %d times", len(same.lines), len(other.lines))
	}
}
