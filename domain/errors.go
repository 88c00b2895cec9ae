package domain

import (
	"context"
	"errors"
	"fmt"
)

// Kind says what went wrong, as far as a caller can act on it. It is an error itself, so errors.Is(err, domain.NotFound)
// asks for the kind of anything a contract returned, on either side of any transport.
type Kind string

// The kinds. Every error that leaves a contract has exactly one; KindOf finds it.
const (
	Invalid         Kind = "invalid"           // the request is wrong and will stay wrong
	NotFound        Kind = "not found"         // the thing it names does not exist
	Conflict        Kind = "conflict"          // right in itself, refused by the present state
	Unavailable     Kind = "unavailable"       // a needed part is down; certainly nothing was done
	Deadline        Kind = "deadline"          // time ran out, or the caller went away; whether it was done is unknown
	MayHaveExecuted Kind = "may have executed" // the part broke during the call; whether it was done is unknown
	Internal        Kind = "internal"          // a fault of ours
)

// Kinds lists every kind, for tables that must cover them all.
var Kinds = []Kind{Invalid, NotFound, Conflict, Unavailable, Deadline, MayHaveExecuted, Internal}

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// Error is an error with its kind and what the public may read about it.
type Error struct {
	Kind   Kind
	Detail string // for the caller, the same words on every transport; never internal text
	Field  string // the input at fault ("quantity"), "" where no single one is
	Err    error  // the cause, for our log only; it crosses no transport
}

// Error returns the detail and, for the log, the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Kind, e.Detail)
	}
	return fmt.Sprintf("%s: %s: %v", e.Kind, e.Detail, e.Err)
}

// Unwrap lets errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Describe returns err as the public may see it: its own kind, detail and field where it carries them, else a kind with
// that kind's general words. The cause stays with it for the log.
func Describe(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{Kind: e.Kind, Detail: e.Detail, Field: e.Field, Err: err}
	}
	kind := KindOf(err)
	return &Error{Kind: kind, Detail: generalDetail[kind], Err: err}
}

// KindOf returns the kind of err: the one it carries; Deadline for an ended context; Internal for anything unknown.
func KindOf(err error) Kind {
	var k Kind
	switch {
	case errors.As(err, &k):
		return k
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Deadline
	default:
		return Internal
	}
}

// Wrap makes an error of a kind whose public words are that kind's general ones and whose cause is err.
func Wrap(kind Kind, err error) error {
	return &Error{Kind: kind, Detail: generalDetail[kind], Err: err}
}

var generalDetail = map[Kind]string{
	Invalid:         "the request is not valid",
	NotFound:        "there is no such thing",
	Conflict:        "the present state does not allow this",
	Unavailable:     "a part of the shop is not available; nothing was done, try again",
	Deadline:        "the shop did not answer in time; whether the request was carried out is unknown",
	MayHaveExecuted: "a part of the shop broke during the request; whether it was carried out is unknown",
	Internal:        "internal error",
}

// The refusals of the shop, each worded once.

func invalid(field, format string, args ...any) error {
	return &Error{Kind: Invalid, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// NoProduct says that no product with this id is sold: there never was one, or it was withdrawn.
func NoProduct(id ProductID) error {
	return &Error{Kind: NotFound, Detail: fmt.Sprintf("there is no product %d", id)}
}

// NoCart says that there is no cart with this id. The id is not repeated: an unguessable id does not belong in a log.
func NoCart() error { return &Error{Kind: NotFound, Detail: "there is no such cart"} }

// NoOrder says that there is no order with this id.
func NoOrder() error { return &Error{Kind: NotFound, Detail: "there is no such order"} }

// LineFull says that an addition would take a line over MaxQuantity.
func LineFull(id ProductID) error {
	return &Error{Kind: Conflict, Field: "quantity",
		Detail: fmt.Sprintf("a line holds at most %d; product %d would pass that, the cart is unchanged", MaxQuantity, id)}
}

// CartFull says that an addition would take a cart over MaxLines.
func CartFull() error {
	return &Error{Kind: Conflict, Detail: fmt.Sprintf("a cart holds at most %d lines; the cart is unchanged", MaxLines)}
}

// CartEmpty says that a cart without lines cannot be checked out.
func CartEmpty() error {
	return &Error{Kind: Conflict, Detail: "the cart is empty: there is nothing to order"}
}

// NoLongerSold says that a line's product was withdrawn after it was put in the cart.
func NoLongerSold(id ProductID) error {
	return &Error{Kind: Conflict, Detail: fmt.Sprintf("product %d is no longer sold: remove it from the cart", id)}
}
