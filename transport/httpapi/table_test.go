package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"splitshop/domain"
)

func TestProblemTableReadsBothWays(t *testing.T) {
	t.Parallel()
	for _, kind := range domain.Kinds {
		row, doc := documentOf(domain.Wrap(kind, nil))
		if row.kind != kind {
			t.Errorf("kind %q has no row", kind)
		}
		if e, err := doc.toError(row.status); err != nil || e.Kind != kind {
			t.Errorf("kind %q comes back as %v, %v", kind, e, err)
		}
	}
	slugs := map[string]bool{}
	for _, row := range problems {
		if slugs[row.slug] {
			t.Errorf("two problems are %q", row.slug)
		}
		slugs[row.slug] = true
		doc := problemJSON{Type: problemPath + row.slug, Status: row.status}
		if e, err := doc.toError(row.status); err != nil || e.Kind != row.kind {
			t.Errorf("%q is read as %v, %v; want %v", row.slug, e, err, row.kind)
		}
	}
}

func TestEachProblemHasItsPageAndItsPlaceInTheDescription(t *testing.T) {
	t.Parallel()
	api := Public(nil, Options{})
	for _, row := range problems {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, problemPath+row.slug, nil))
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), fmt.Sprintf("%s (%d)\n", row.title, row.status)) {
			t.Errorf("%s: %d %s", row.slug, w.Code, w.Body)
		}
		example := fmt.Sprintf("type: /problems/%s\n            title: %s\n            status: %d\n", row.slug, row.title, row.status)
		if !strings.Contains(openAPI, example) {
			t.Errorf("openapi.yaml has no example of %s, titled %q, with status %d", row.slug, row.title, row.status)
		}
	}
}

// TestPanicAfterTheAnswerBegan: half an answer must not look like a whole one.
func TestPanicAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	a := &api{options: Options{Log: slog.New(slog.DiscardHandler)}}
	h := a.recover(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		panic("too late")
	}))
	defer func() {
		p := recover()
		if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", p)
		}
	}()
	ctx := context.WithValue(t.Context(), chi.RouteCtxKey, chi.NewRouteContext())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	h.ServeHTTP(&answer{ResponseWriter: httptest.NewRecorder()}, r)
}
