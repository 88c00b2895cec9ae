package httpapitest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
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

// exchange has a server answer one request by means of answer, and returns what the validator finds.
func exchange(t *testing.T, method, path, sent string, answer http.HandlerFunc) (found []string, body string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	counted := &failures{TB: t}
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := Validator(counted, http.DefaultTransport).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return counted.lines, string(got)
}

// checkFound fails unless one of the faults found says want, or there is none where want is empty.
func checkFound(t *testing.T, found []string, want string) {
	t.Helper()
	says := func(line string) bool { return strings.Contains(line, want) }
	if want == "" && len(found) > 0 || want != "" && !slices.ContainsFunc(found, says) {
		t.Errorf("caught: %q; want %q", found, want)
	}
}

// TestValidatorCatches is the negative control: each of these exchanges differs from the description in one thing.
func TestValidatorCatches(t *testing.T) {
	t.Parallel()
	const product = `{"id":1,"name":"Carafe","price":{"amount":1249,"currency":"EUR"}}`
	const line = `{"product_id":1,"name":"x","quantity":1,"unit_price":{"amount":1,"currency":"EUR"},"line_total":{"amount":1,"currency":"EUR"}`
	const order = `{"id":"` + unknownID + `","cart_id":"` + unknownID + `","lines":[` + line + `}],"total":{"amount":1,"currency":"EUR"},` +
		`"placed_at":"2026-11-30T20:40:00.000000Z"}`
	const json, problem = "application/json", "application/problem+json"
	const status, mediaType = "status is not supported", "media type"
	document := func(slug string, status int) string {
		return fmt.Sprintf(`{"type":"/problems/%s","title":"T","status":%d,"detail":"d"}`, slug, status)
	}
	fault := func(at string) string {
		return strings.Replace(document("invalid", 400), "}", `,"errors":[{"pointer":"`+at+`","detail":"d"}]}`, 1)
	}
	for _, tt := range []struct {
		name, method, path, sent string
		status                   int
		mediaType, body          string
		want                     string // part of the fault; "": none
	}{
		{"control: a product", "GET", "/products/1", "", 200, json, product, ""},
		{"control: a problem", "GET", "/products/1", "", 404, problem, document("not-found", 404), ""},
		{"control: no such path", "GET", "/coffee", "", 404, problem, document("no-such-route", 404), ""},
		{"control: an accepted body", "PUT", "/carts/" + unknownID + "/items/1", `{"quantity":1}`, 409, problem, document("conflict", 409), ""},
		{"control: an order", "GET", "/orders/" + unknownID, "", 200, json, order, ""},
		{"control: a member at fault", "GET", "/products?limit=x", "", 400, problem, fault("/a~1b"), ""},
		{"another type", "GET", "/products/1", "", 200, json, strings.Replace(product, "1,", `"1",`, 1), "got string, want integer"},
		{"a member missing", "GET", "/products/1", "", 200, json, strings.Replace(product, `"id":1,`, "", 1), "missing property 'id'"},
		{"a member too many", "GET", "/products/1", "", 200, json, strings.Replace(product, "{", `{"stock":1,`, 1), "'stock' not allowed"},
		{"a member too many inside", "GET", "/products/1", "", 200, json, strings.Replace(product, `{"amount`, `{"tax":1,"amount`, 1), "'tax' not allowed"},
		{"a member too many of a problem", "GET", "/products/1", "", 404, problem, strings.Replace(document("not-found", 404), "{", `{"x":1,`, 1), "'x' not allowed"},
		{"a value past its limit", "GET", "/products/1", "", 200, json, strings.Replace(product, "1249", "-1", 1), "got -1, want 0"},
		{"another constant", "GET", "/products/1", "", 200, json, strings.Replace(product, "EUR", "USD", 1), "must be 'EUR'"},
		{"a month 13", "GET", "/orders/" + unknownID, "", 200, json, strings.Replace(order, "-11-", "-13-", 1), "date-time"},
		{"a time of another form", "GET", "/orders/" + unknownID, "", 200, json, strings.Replace(order, ".000000", "", 1), "pattern"},
		{"a pointer that is none", "GET", "/products?limit=x", "", 400, problem, fault("a"), "pattern"},
		{"two values", "GET", "/products/1", "", 200, json, product + product, "not one JSON value"},
		{"another media type", "GET", "/products/1", "", 200, "text/plain", product, mediaType},
		{"another media type's parameter", "GET", "/products/1", "", 200, json + "; charset=latin1", product, mediaType},
		{"another status", "GET", "/products/1", "", 201, json, product, status},
		{"a status of another route", "GET", "/products/1", "", 409, problem, document("conflict", 409), status},
		{"a problem of another status", "GET", "/products/1", "", 404, problem, document("not-found", 400), "must be 404"},
		{"a problem of another type", "GET", "/products/1", "", 404, problem, document("invalid", 404), "must be '/problems/not-found'"},
		{"a path denied", "GET", "/products/1", "", 404, problem, document("no-such-route", 404), "must be '/problems/not-found'"},
		{"a path invented", "GET", "/coffee", "", 200, json, product, status},
		{"a method denied", "GET", "/products/1", "", 405, problem, document("method-not-allowed", 405), status},
		{"a method denied without Allow", "PUT", "/products/1", "", 405, problem, document("method-not-allowed", 405), `"Allow" missing`},
		{"a method invented", "PUT", "/products/1", "", 200, json, product, status},
		{"no Retry-After", "GET", "/products/1", "", 503, problem, document("unavailable", 503), `"Retry-After" missing`},
		{"no Location", "POST", "/carts", "", 201, json, `{"id":"` + unknownID + `","lines":[],"total":{"amount":0,"currency":"EUR"}}`, `"Location" missing`},
		{"a parameter accepted", "GET", "/products?limit=101", "", 200, json, `{"products":[],"next":null}`, "got 101, want 100"},
		{"an unknown parameter accepted", "GET", "/products?x=1", "", 200, json, `{"products":[],"next":null}`, `"x" was accepted`},
		{"a repeated parameter accepted", "GET", "/products?limit=1&limit=1", "", 200, json, `{"products":[],"next":null}`, `"limit" was accepted`},
		{"a body accepted", "POST", "/carts/" + unknownID + "/items", `{"quantity":1}`, 200, json, line + `,"available":true}`, `"product_id" is missing`},
		{"a body's member accepted", "POST", "/carts/" + unknownID + "/items", `{"product_id":1,"quantity":1,"x":1}`, 200, json, line + `,"available":true}`, `"x" is unsupported`},
		{"a body invented", "GET", "/products/1", `{}`, 200, json, product, "body not allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, body := exchange(t, tt.method, tt.path, tt.sent, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.mediaType)
				w.Header().Set("Cache-Control", "no-store")
				w.Header().Set("X-Content-Type-Options", "nosniff")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			if diff := cmp.Diff(tt.body, body); diff != "" {
				t.Errorf("the validator changed the answer (-want +got):\n%s", diff)
			}
			checkFound(t, found, tt.want)
		})
	}
}

// TestValidatorCatchesInHeaders is the same for answers to HEAD and their headers.
func TestValidatorCatchesInHeaders(t *testing.T) {
	t.Parallel()
	const json, problem = "application/json", "application/problem+json"
	for _, tt := range []struct {
		name, path string
		status     int
		mediaType  string
		more       http.Header // set, or removed where there is no value
		want       string      // part of the fault; "": none
	}{
		{"control: a product", "/products/1", 200, json, nil, ""},
		{"control: no such path", "/coffee", 404, problem, nil, ""},
		{"control: no such method", "/orders", 405, problem, http.Header{"Allow": {"POST"}}, ""},
		{"no length", "/products/1", 200, json, http.Header{"Content-Length": nil}, "without its length"},
		{"no media type", "/products/1", 200, "", nil, "media type"},
		{"another media type", "/products/1", 200, problem, nil, "media type"},
		{"another status", "/products/1", 201, json, nil, "status is not supported"},
		{"a path invented", "/coffee", 200, json, nil, "status is not supported"},
		{"a header missing", "/products/1", 200, json, http.Header{"Cache-Control": nil}, `"Cache-Control" missing`},
		{"a header's value", "/products/1", 503, problem, http.Header{"Retry-After": {"2"}}, `"Retry-After" doesn't match`},
		{"a header too many", "/products/1", 200, json, http.Header{"X-Powered-By": {"x"}}, "X-Powered-By is not described"},
		{"a header twice", "/products/1", 200, json, http.Header{"Cache-Control": {"no-store", "no-store"}}, "Cache-Control is there 2 times"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, _ := exchange(t, http.MethodHead, tt.path, "", func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tt.mediaType}
				w.Header().Set("Content-Length", "7")
				w.Header().Set("Cache-Control", "no-store")
				w.Header().Set("X-Content-Type-Options", "nosniff")
				maps.Copy(w.Header(), tt.more)
				w.WriteHeader(tt.status)
			})
			checkFound(t, found, tt.want)
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
