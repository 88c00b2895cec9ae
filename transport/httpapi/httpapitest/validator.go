package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"splitshop/transport/httpapi"
)

// Validator returns a RoundTripper over next that fails the test for each exchange that openapi.yaml does not describe: any
// answer, and any request that was accepted (2xx).
func Validator(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(httpapi.OpenAPI())
	if err != nil {
		t.Fatalf("reading openapi.yaml: %v", err)
	}
	// The examples are held against their schemas once, in a test of httpapi: that takes longer than all the rest.
	if err := doc.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		t.Fatalf("openapi.yaml is not OpenAPI 3.1: %v", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("reading openapi.yaml: %v", err)
	}
	unrouted := func(status int, name string) *routers.Route {
		answers := openapi3.NewResponses(openapi3.WithStatus(status, doc.Components.Responses[name]))
		return &routers.Route{Spec: doc, PathItem: &openapi3.PathItem{}, Operation: &openapi3.Operation{Responses: answers}}
	}
	return &transport{
		t:                t,
		next:             next,
		router:           router,
		noSuchRoute:      unrouted(http.StatusNotFound, "NoSuchRoute"),
		methodNotAllowed: unrouted(http.StatusMethodNotAllowed, "MethodNotAllowed"),
	}
}

type transport struct {
	t                testing.TB
	next             http.RoundTripper
	router           routers.Router
	noSuchRoute      *routers.Route // the only answer to a path that is not described
	methodNotAllowed *routers.Route // the only answer to another method of a path that is
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
func (v *transport) faults(req *http.Request, sent []byte, resp *http.Response, got []byte) []string {
	head := req.Method == http.MethodHead
	options := &openapi3filter.Options{
		IncludeResponseStatus:             true,
		RejectWhenRequestBodyNotSpecified: true,
		SkipSettingDefaults:               true,
		MultiError:                        true,
		ExcludeResponseBody:               head,
	}
	options.WithCustomSchemaErrorFunc(func(e *openapi3.SchemaError) string { return e.Reason })
	in := v.described(req, sent)
	in.Options = options
	faults := answerFaults(in.Route.Operation, resp, got, head)
	// The library lets every answer to HEAD pass; as one to GET it is checked, without the body.
	out := openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: options}
	if err := openapi3filter.ValidateResponse(req.Context(), out.SetBodyBytes(got)); err != nil {
		faults = append(faults, err.Error())
	}
	if resp.StatusCode >= 300 {
		return faults
	}
	if err := openapi3filter.ValidateRequest(req.Context(), in); err != nil {
		faults = append(faults, "the request was accepted: "+err.Error())
	}
	return append(faults, queryFaults(in)...)
}

// described is a request as the description knows it: GET for HEAD, no headers but the one of its body.
func (v *transport) described(req *http.Request, sent []byte) *openapi3filter.RequestValidationInput {
	clone := req.Clone(req.Context())
	if clone.Method == http.MethodHead {
		clone.Method = http.MethodGet
	}
	clone.Header = http.Header{"Content-Type": req.Header["Content-Type"]}
	clone.Body, clone.GetBody, clone.ContentLength = io.NopCloser(bytes.NewReader(sent)), nil, int64(len(sent))
	route, params, err := v.router.FindRoute(clone)
	switch {
	case errors.Is(err, routers.ErrMethodNotAllowed):
		route = v.methodNotAllowed
	case err != nil:
		route = v.noSuchRoute
	}
	return &openapi3filter.RequestValidationInput{Request: clone, PathParams: params, Route: route}
}

// answerFaults are those of an answer that the library does not look for.
func answerFaults(operation *openapi3.Operation, resp *http.Response, got []byte, head bool) (faults []string) {
	length := resp.Header.Get("Content-Length")
	switch {
	case head && (length == "" || len(got) > 0):
		faults = append(faults, "HEAD is answered with a body, or without its length")
	case !head && resp.StatusCode != http.StatusNoContent && length != strconv.Itoa(len(got)):
		faults = append(faults, fmt.Sprintf("Content-Length is %q for %d bytes", length, len(got)))
	}
	ref := operation.Responses.Status(resp.StatusCode)
	if ref == nil {
		return faults // which the library says
	}
	mediaType := resp.Header.Get("Content-Type")
	if _, ok := ref.Value.Content[mediaType]; !ok && (mediaType != "" || len(ref.Value.Content) > 0) {
		faults = append(faults, fmt.Sprintf("the media type %q is not described, parameters included", mediaType))
	}
	if !head && strings.HasSuffix(mediaType, "json") && !json.Valid(got) {
		faults = append(faults, "the body is not one JSON value") // of several, the library reads the first
	}
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		_, known := ref.Value.Headers[name]
		if !known && !slices.Contains([]string{"Connection", "Content-Length", "Content-Type", "Date"}, name) {
			faults = append(faults, fmt.Sprintf("the header %s is not described", name))
		}
		if len(resp.Header[name]) > 1 {
			faults = append(faults, fmt.Sprintf("the header %s is there %d times", name, len(resp.Header[name])))
		}
	}
	return faults
}

// queryFaults are those of an accepted query that the library does not look for.
func queryFaults(in *openapi3filter.RequestValidationInput) (faults []string) {
	query, err := url.ParseQuery(in.Request.URL.RawQuery)
	if err != nil {
		faults = append(faults, "the query was accepted: "+err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if in.Route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil || len(query[name]) > 1 {
			faults = append(faults, fmt.Sprintf("the parameter %q was accepted: not described, or repeated", name))
		}
	}
	return faults
}
