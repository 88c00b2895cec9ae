package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"

	"splitshop/transport/httpapi"
)

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
	doc, err := libopenapi.NewDocument(httpapi.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	model, err := doc.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			described = append(described, path+" "+strings.ToUpper(method))
			if method == "get" {
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
