package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/transport/httpapi"
)

// shopOf is a shop whose Product and SetItem do what a test wants.
type shopOf struct {
	domain.Shop
	do func(context.Context) error
}

func (s shopOf) Product(ctx context.Context, _ domain.ProductID) (domain.Product, error) {
	return domain.Product{ID: 1, Name: "Carafe", Price: domain.Cents(1249)}, s.do(ctx)
}

func (s shopOf) SetItem(ctx context.Context, _ domain.CartID, _ domain.Item) (domain.Line, error) {
	return domain.Line{}, s.do(ctx)
}

// logBuffer is a log that may be read while others write it.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(l, nil)) }

// TestKindsCrossTheSocket sends every kind through a real server and client: it arrives with its words and field, and
// nothing else does.
func TestKindsCrossTheSocket(t *testing.T) {
	t.Parallel()
	const secret = "SQLSTATE 42P01 at 10.0.0.7"
	const words, internalWords = "words for the public", "internal error"
	for _, tt := range []struct {
		kind       domain.Kind
		status     int
		words      string
		retryAfter string
		logged     bool
	}{
		{domain.Invalid, 400, words, "", false},
		{domain.NotFound, 404, words, "", false},
		{domain.Conflict, 409, words, "", false},
		{domain.Unavailable, 503, words, "1", false},
		{domain.Deadline, 504, words, "", false},
		{domain.MayHaveExecuted, 502, words, "", true},
		{domain.Internal, 500, internalWords, "", true},
	} {
		for _, field := range []string{"", "quantity", "a/b~c~1"} {
			if tt.kind == domain.Internal && field != "" {
				continue // nothing of an internal error leaves
			}
			t.Run(fmt.Sprintf("%s of %q", tt.kind, field), func(t *testing.T) {
				t.Parallel()
				var log logBuffer
				shop := shopOf{do: func(context.Context) error {
					e := &domain.Error{Kind: tt.kind, Detail: words, Field: field, Err: errors.New(secret)}
					return fmt.Errorf("context: %w", e)
				}}
				url, hc := serve(t, shop, httpapi.Options{Log: log.logger()})
				var answer *http.Response
				record := roundTripper(func(r *http.Request) (*http.Response, error) {
					var err error
					answer, err = hc.Transport.RoundTrip(r)
					return answer, err
				})
				_, err := httpapi.NewClient(url, &http.Client{Transport: record}).SetItem(t.Context(), domain.NewCartID(), domain.Item{ProductID: 1, Quantity: 1})

				want := &domain.Error{Kind: tt.kind, Detail: tt.words, Field: field}
				if diff := cmp.Diff(error(want), err, cmp.Comparer(sameError)); diff != "" {
					t.Errorf("the client's error (-want +got):\n%s", diff)
				}
				if answer.StatusCode != tt.status || answer.Header.Get("Retry-After") != tt.retryAfter {
					t.Errorf("status %d, Retry-After %q; want %d, %q", answer.StatusCode, answer.Header.Get("Retry-After"), tt.status, tt.retryAfter)
				}
				if got := strings.Contains(log.String(), secret); got != tt.logged {
					t.Errorf("cause in the log: %t, want %t; log: %s", got, tt.logged, log.String())
				}
			})
		}
	}
	if len(domain.Kinds) != 7 {
		t.Errorf("the table above covers 7 kinds, there are %d", len(domain.Kinds))
	}
}

// TestUnknownErrorsStayInside gives errors that carry no kind.
func TestUnknownErrorsStayInside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want domain.Kind
	}{
		{"no kind", errors.New("password=hunter2"), domain.Internal},
		{"a kind without words", domain.Conflict, domain.Conflict},
		{"a kind that is none", domain.Kind("odd"), domain.Internal},
		{"an ended context", fmt.Errorf("query: %w", context.DeadlineExceeded), domain.Deadline},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, hc := serve(t, shopOf{do: func(context.Context) error { return tt.err }}, httpapi.Options{})
			_, err := httpapi.NewClient(url, hc).SetItem(t.Context(), domain.NewCartID(), domain.Item{ProductID: 1, Quantity: 1})
			want := domain.Describe(tt.want)
			if !sameError(want, err) {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
}

// sameError compares what crosses a transport.
func sameError(a, b error) bool {
	x, y := domain.Describe(a), domain.Describe(b)
	return x.Kind == y.Kind && x.Detail == y.Detail && x.Field == y.Field
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
