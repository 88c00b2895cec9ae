package httpapi_test

import (
	"bytes"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"splitshop/transport/httpapi"
)

// TestDescriptionIsValid: OpenAPI 3.1, and each example is what its schema says.
func TestDescriptionIsValid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, changed string
		valid              bool
	}{
		{"as it is", "", "", true},
		{"an example of another type", "next: AQAAAAAAAAAB", "next: 1", false},
		{"a reference to nothing", "schemas/Page'", "schemas/Pages'", false},
		{"a type that is none", "type: integer", "type: number of things", false},
		{"a misspelt keyword", "additionalProperties: false", "additionalProperty: false", false},
		{"a misspelt member", "  headers:", "  header:", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, err := openapi3.NewLoader().LoadFromData(bytes.Replace(httpapi.OpenAPI(), []byte(tt.old), []byte(tt.changed), 1))
			if err == nil {
				err = doc.Validate(t.Context())
			}
			if (err == nil) != tt.valid {
				t.Errorf("%v; want valid: %t", err, tt.valid)
			}
		})
	}
}

// TestRoutesAreThoseDescribed walks the router and the description: the same methods on the same paths, HEAD beside GET.
func TestRoutesAreThoseDescribed(t *testing.T) {
	t.Parallel()
	var served []string
	router := httpapi.Public(nil, httpapi.Options{}).(chi.Routes)
	err := chi.Walk(router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		served = append(served, route+" "+method)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(httpapi.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, path+" "+method)
			if method == http.MethodGet {
				described = append(described, path+" HEAD")
			}
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(described, served); diff != "" {
		t.Errorf("routes (-described +served):\n%s", diff)
	}
}
