package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"splitshop/domain"
)

// problemPath is where the problem types are explained; a type is this and a slug, relative to the API.
const problemPath = "/problems/"

// The problems that are no kind of the shop but this transport's own.
const (
	slugTooLarge  = "body-too-large"
	slugMediaType = "unsupported-media-type"
	slugNoRoute   = "no-such-route"
	slugMethod    = "method-not-allowed"
)

// problem is a kind of error as HTTP has it.
type problem struct {
	kind   domain.Kind // what the client makes of it
	status int
	slug   string
	title  string
	text   string // for whoever follows the type's link
}

// problems is the table of errors, read both ways: the server looks a kind up and takes the first row that has it, the
// client looks a slug up.
var problems = []problem{
	{domain.Invalid, http.StatusBadRequest, "invalid", "Invalid request",
		"The request is wrong and will stay wrong: do not repeat it unchanged. \"errors\" names the member of the body\n" +
			"(a JSON pointer) or the query parameter at fault, where a single one is."},
	{domain.NotFound, http.StatusNotFound, "not-found", "Not found",
		"What the request names does not exist: a product that is not sold, a cart or an order with no such id."},
	{domain.Conflict, http.StatusConflict, "conflict", "Conflict",
		"The request is right in itself, but the present state does not allow it: a line or a cart that would be too full,\n" +
			"an empty cart checked out, a product no longer sold. Nothing was changed."},
	{domain.Unavailable, http.StatusServiceUnavailable, "unavailable", "Not available",
		"A part of the shop is not available. Nothing was done: the request may be repeated, after Retry-After seconds."},
	{domain.Deadline, http.StatusGatewayTimeout, "deadline", "Out of time",
		"The shop did not answer in time. Whether the request was carried out is unknown: look before repeating it."},
	{domain.MayHaveExecuted, http.StatusBadGateway, "may-have-executed", "Broken during the request",
		"A part of the shop broke during the request. Whether it was carried out is unknown: look before repeating it."},
	{domain.Internal, http.StatusInternalServerError, "internal", "Internal error",
		"A fault of the shop. It was logged; nothing more is said outside."},
	{domain.Invalid, http.StatusRequestEntityTooLarge, slugTooLarge, "Body too large",
		fmt.Sprintf("A request body holds at most %d bytes.", MaxBody)},
	{domain.Invalid, http.StatusUnsupportedMediaType, slugMediaType, "Unsupported media type",
		"A request body is application/json in UTF-8, without a Content-Encoding."},
	{domain.Internal, http.StatusNotFound, slugNoRoute, "No such path",
		"This API has no such path. /openapi.yaml lists those it has."},
	{domain.Internal, http.StatusMethodNotAllowed, slugMethod, "Method not allowed",
		"The path does not have this method. The Allow header lists those it has."},
}

// problemOfKind finds the row of a kind; one that is not in the table is a fault of ours.
func problemOfKind(kind domain.Kind) problem {
	i := slices.IndexFunc(problems, func(p problem) bool { return p.kind == kind })
	if i < 0 {
		return problemOfKind(domain.Internal)
	}
	return problems[i]
}

func problemOfSlug(slug string) (problem, bool) {
	i := slices.IndexFunc(problems, func(p problem) bool { return p.slug == slug })
	if i < 0 {
		return problem{}, false
	}
	return problems[i], true
}

// refusal is an error that is a problem of its own, or whose fault stands in the query.
type refusal struct {
	slug      string // the problem; "": the one of err's kind
	parameter string // the query parameter at fault, if one is
	err       *domain.Error
}

// Error returns the refusal's words.
func (e refusal) Error() string { return e.err.Error() }

// Unwrap lets domain.Describe find the words.
func (e refusal) Unwrap() error { return e.err }

// badRequest is a refusal of the API itself, before the shop was asked. Field is the body's member at fault, if one is.
func badRequest(field, detail string) *domain.Error {
	return &domain.Error{Kind: domain.Invalid, Field: field, Detail: detail}
}

func badParameter(name, detail string) error {
	return refusal{parameter: name, err: badRequest("", detail)}
}

func tooLarge() error {
	return refusal{slug: slugTooLarge, err: badRequest("", fmt.Sprintf("a body holds at most %d bytes", MaxBody))}
}

func unsupported(detail string) error {
	return refusal{slug: slugMediaType, err: badRequest("", detail)}
}

// problemJSON is a problem document (RFC 9457).
type problemJSON struct {
	Type   string      `json:"type"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Detail string      `json:"detail"`
	Errors []faultJSON `json:"errors,omitempty"`
}

// faultJSON is the input at fault: in the body or in the query.
type faultJSON struct {
	Pointer   string `json:"pointer,omitempty"` // RFC 6901, into the request's body
	Parameter string `json:"parameter,omitempty"`
	Detail    string `json:"detail"`
}

// field returns the fault's place as domain.Error.Field has it.
func (f faultJSON) field() string {
	if f.Parameter != "" {
		return f.Parameter
	}
	return unescapePointer.Replace(strings.TrimPrefix(f.Pointer, "/"))
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// documentOf makes err's problem document. An internal error's own words stay inside.
func documentOf(err error) (problem, problemJSON) {
	e := domain.Describe(err)
	row := problemOfKind(e.Kind)
	var own refusal
	if errors.As(err, &own) && own.slug != "" {
		row, _ = problemOfSlug(own.slug)
	} else if row.kind == domain.Internal {
		e = domain.Describe(domain.Internal)
	}
	doc := problemJSON{Type: problemPath + row.slug, Title: row.title, Status: row.status, Detail: e.Detail}
	switch {
	case own.parameter != "":
		doc.Errors = []faultJSON{{Parameter: own.parameter, Detail: e.Detail}}
	case e.Field == "limit" || e.Field == "after": // the listing's, which has no body
		doc.Errors = []faultJSON{{Parameter: e.Field, Detail: e.Detail}}
	case e.Field != "":
		doc.Errors = []faultJSON{{Pointer: "/" + escapePointer.Replace(e.Field), Detail: e.Detail}}
	}
	return row, doc
}

// toError is documentOf backwards, as far as a document goes. It refuses what this API does not write.
func (doc problemJSON) toError(status int) (*domain.Error, error) {
	row, ok := problemOfSlug(strings.TrimPrefix(doc.Type, problemPath))
	if !ok || doc.Type != problemPath+row.slug || doc.Status != status || row.status != status {
		return nil, fmt.Errorf("status %d with a problem %q of status %d", status, doc.Type, doc.Status)
	}
	e := &domain.Error{Kind: row.kind, Detail: doc.Detail}
	if len(doc.Errors) > 0 {
		e.Field = doc.Errors[0].field()
	}
	return e, nil
}

// serveProblemPage explains a problem type to whoever follows its link.
func serveProblemPage(w http.ResponseWriter, r *http.Request) error {
	p, ok := problemOfSlug(chi.URLParam(r, "slug"))
	if !ok {
		return &domain.Error{Kind: domain.NotFound, Detail: "there is no such problem type"}
	}
	write(w, http.StatusOK, "text/plain; charset=utf-8", fmt.Appendf(nil, "%s (%d)\n\n%s\n", p.title, p.status, p.text))
	return nil
}
