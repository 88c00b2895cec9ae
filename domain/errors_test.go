package domain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"splitshop/domain"
)

// wantRefusal checks what the public sees of an error.
func wantRefusal(t *testing.T, err error, kind domain.Kind, field, detail string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %s: %s", kind, detail)
		return
	}
	e := domain.Describe(err)
	if e.Kind != kind || e.Field != field || e.Detail != detail {
		t.Errorf("refused as %s, field %q: %q\nwant %s, field %q: %q", e.Kind, e.Field, e.Detail, kind, field, detail)
	}
	if domain.KindOf(err) != kind || !errors.Is(err, kind) {
		t.Errorf("%v: KindOf says %s, want %s", err, domain.KindOf(err), kind)
	}
}

// TestRefusalWords pins the words the public reads. Clients match on them: change them knowingly.
func TestRefusalWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		err           error
		kind          domain.Kind
		field, detail string
	}{
		{"no product", domain.NoProduct(7), domain.NotFound, "", "there is no product 7"},
		{"no cart", domain.NoCart(), domain.NotFound, "", "there is no such cart"},
		{"no order", domain.NoOrder(), domain.NotFound, "", "there is no such order"},
		{"line full", domain.LineFull(7), domain.Conflict, "quantity",
			"a line holds at most 999; product 7 would pass that, the cart is unchanged"},
		{"cart full", domain.CartFull(), domain.Conflict, "", "a cart holds at most 100 lines; the cart is unchanged"},
		{"cart empty", domain.CartEmpty(), domain.Conflict, "", "the cart is empty: there is nothing to order"},
		{"no longer sold", domain.NoLongerSold(7), domain.Conflict, "",
			"product 7 is no longer sold: remove it from the cart"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, tt.err, tt.kind, tt.field, tt.detail)
			wantRefusal(t, fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", tt.err)), tt.kind, tt.field, tt.detail)
		})
	}
}

func TestWrapHidesItsCause(t *testing.T) {
	t.Parallel()
	words := map[string]domain.Kind{}
	for _, kind := range domain.Kinds {
		cause := errors.New("password=hunter2")
		err := fmt.Errorf("opening: %w", domain.Wrap(kind, cause))
		e := domain.Describe(err)
		if e.Kind != kind || e.Field != "" || e.Detail == "" || strings.Contains(e.Detail, "hunter2") {
			t.Errorf("%s: described as %s, field %q: %q", kind, e.Kind, e.Field, e.Detail)
		}
		if !errors.Is(err, cause) || !errors.Is(e, cause) || !strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%s: the log would lose the cause: %v", kind, e)
		}
		if other, ok := words[e.Detail]; ok {
			t.Errorf("%s and %s have the same words", kind, other)
		}
		words[e.Detail] = kind
	}
	if len(words) != 7 {
		t.Errorf("%d kinds, want 7", len(words))
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	for _, tt := range []struct {
		name string
		err  error
		want domain.Kind
	}{
		{"none", nil, domain.Internal},
		{"unknown", plain, domain.Internal},
		{"a kind itself", domain.Conflict, domain.Conflict},
		{"a kind in context", fmt.Errorf("placing: %w", domain.Conflict), domain.Conflict},
		{"an error in context", fmt.Errorf("placing: %w", domain.NoCart()), domain.NotFound},
		{"an error joined", errors.Join(plain, domain.NoCart()), domain.NotFound},
		{"the outer of two", domain.Wrap(domain.Internal, domain.NoCart()), domain.Internal},
		{"cancelled", context.Canceled, domain.Deadline},
		{"expired in context", fmt.Errorf("asking: %w", context.DeadlineExceeded), domain.Deadline},
		{"a kind before its ended context", domain.Wrap(domain.MayHaveExecuted, context.Canceled), domain.MayHaveExecuted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := domain.KindOf(tt.err); got != tt.want {
				t.Errorf("KindOf(%v) = %s, want %s", tt.err, got, tt.want)
			}
			if got := domain.Describe(tt.err).Kind; got != tt.want {
				t.Errorf("Describe(%v).Kind = %s, want %s", tt.err, got, tt.want)
			}
		})
	}
}

func TestErrorHasOneKind(t *testing.T) {
	t.Parallel()
	for _, kind := range domain.Kinds {
		for _, err := range []error{&domain.Error{Kind: kind, Detail: "said"}, domain.Wrap(kind, errors.New("cause"))} {
			for _, other := range domain.Kinds {
				if got := errors.Is(err, other); got != (kind == other) {
					t.Errorf("errors.Is(%v, %s) = %v", err, other, got)
				}
			}
		}
	}
}

func TestDescribeSaysNothingOfTheUnknown(t *testing.T) {
	t.Parallel()
	cause := errors.New("pq: relation secret.prices does not exist")
	e := domain.Describe(cause)
	wantRefusal(t, e, domain.Internal, "", "internal error")
	if !errors.Is(e, cause) {
		t.Error("the log would lose the cause")
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{domain.NotFound, "not found"},
		{domain.NoCart(), "not found: there is no such cart"},
		{domain.Wrap(domain.Internal, errors.New("disk full")), "internal: internal error: disk full"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("text is %q, want %q", got, tt.want)
		}
	}
}
