package httpapitest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"

	"splitshop/transport/httpapi"
)

// Validator returns a RoundTripper over next that fails the test for each exchange that openapi.yaml does not describe: any
// answer, and any request that was accepted (2xx).
func Validator(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	// Two paths more, to hold the answers against that belong to no path of the API.
	spec := bytes.Replace(httpapi.OpenAPI(), []byte("\npaths:\n"), []byte(`
paths:
  /no-such-route: {get: {responses: {'404': {$ref: '#/components/responses/NoSuchRoute'}}}}
  /method-not-allowed: {get: {responses: {'405': {$ref: '#/components/responses/MethodNotAllowed'}}}}
`), 1)
	doc, err := libopenapi.NewDocument(spec)
	if err != nil {
		t.Fatalf("reading openapi.yaml: %v", err)
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions(), config.WithStrictMode())
	if len(errs) > 0 {
		t.Fatalf("reading openapi.yaml: %v", errs)
	}
	if ok, errs := v.ValidateDocument(); !ok {
		t.Fatalf("openapi.yaml is not OpenAPI 3.1:%s", list(errs))
	}
	return &transport{t: t, next: next, spec: v}
}

type transport struct {
	t    testing.TB
	next http.RoundTripper
	mu   sync.Mutex // one validation at a time: in strict mode the library writes to the description while it reads it
	spec validator.Validator
}

// RoundTrip is documented at http.RoundTripper. It reads both bodies whole before it hands them on.
func (v *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var sent []byte
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		if sent, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(sent))
	}
	resp, err := v.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	for _, fault := range v.faults(req, sent, resp, got) {
		v.t.Errorf("%s %s, answered %d %s\nis not as openapi.yaml has it: %s", req.Method, req.URL, resp.StatusCode, got, fault)
	}
	resp.Body = io.NopCloser(bytes.NewReader(got))
	return resp, nil
}

// faults compares an exchange with the description, and with what the description says of every answer.
func (v *transport) faults(req *http.Request, sent []byte, resp *http.Response, got []byte) (faults []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	length := resp.Header.Get("Content-Length")
	switch {
	case req.Method == http.MethodHead && (length == "" || len(got) > 0):
		faults = append(faults, "HEAD is answered with a body, or without its length")
	case req.Method != http.MethodHead && resp.StatusCode != http.StatusNoContent && length != strconv.Itoa(len(got)):
		faults = append(faults, fmt.Sprintf("Content-Length is %q for %d bytes", length, len(got)))
	}
	described := req.Clone(req.Context())
	if known, ok := unrouted(resp.StatusCode, got); ok {
		errs := v.answerFaults(described, resp, got)
		if clean := path.Clean(req.URL.Path) == req.URL.Path; clean && !missing(errs) { // the validator routes /products// too
			faults = append(faults, "the answer denies a path and method that are described")
		}
		described.Method, described.URL.Path, described.URL.RawPath = http.MethodGet, known, ""
	}
	errs := v.answerFaults(described, resp, got)
	for _, e := range errs {
		faults = append(faults, explain(e))
	}
	if resp.StatusCode >= 300 {
		return faults
	}
	// Headers that are not described are ignored.
	described.Header = http.Header{"Content-Type": req.Header["Content-Type"]}
	if described.Body = http.NoBody; described.Method == http.MethodHead {
		described.Method = http.MethodGet // whose parameters it has
	}
	if len(sent) > 0 {
		described.Body = io.NopCloser(bytes.NewReader(sent))
	}
	_, errs = v.spec.ValidateHttpRequestSync(described)
	for _, e := range errs {
		faults = append(faults, "the request was accepted: "+explain(e))
	}
	return faults
}

// answerFaults compares an answer with what is described for a request.
func (v *transport) answerFaults(req *http.Request, resp *http.Response, got []byte) []*errors.ValidationError {
	again := *resp
	again.Body = io.NopCloser(bytes.NewReader(got))
	_, errs := v.spec.ValidateHttpResponse(req, &again)
	return errs
}

// unrouted says whether an answer is about the path or the method itself, and where such answers are described.
func unrouted(status int, body []byte) (known string, ok bool) {
	switch {
	case status == http.StatusMethodNotAllowed:
		return "/method-not-allowed", true
	case status == http.StatusNotFound && bytes.Contains(body, []byte(`"/problems/no-such-route"`)):
		return "/no-such-route", true
	}
	return "", false
}

// missing says whether errs are that the path or its method is not described.
func missing(errs []*errors.ValidationError) bool {
	return len(errs) == 1 && (errs[0].IsPathMissingError() || errs[0].IsOperationMissingError())
}

func explain(e *errors.ValidationError) string {
	words := []string{e.Message, e.Reason}
	for _, s := range e.SchemaValidationErrors {
		words = append(words, s.Reason)
	}
	return strings.Join(words, "; ")
}

func list(errs []*errors.ValidationError) (out string) {
	for _, e := range errs {
		out += "\n" + explain(e)
	}
	return out
}
