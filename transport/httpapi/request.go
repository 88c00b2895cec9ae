package httpapi

import (
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"splitshop/domain"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 64 << 10

// Ids in a path. One that cannot be an id is answered as one that is unknown.

func pathProduct(r *http.Request, name string) (domain.ProductID, error) {
	id, err := domain.ParseProductID(chi.URLParam(r, name))
	if err != nil {
		return 0, &domain.Error{Kind: domain.NotFound, Detail: "there is no such product"}
	}
	return id, nil
}

func pathCart(r *http.Request) (domain.CartID, error) {
	id, err := domain.ParseCartID(chi.URLParam(r, "id"))
	if err != nil {
		return id, domain.NoCart()
	}
	return id, nil
}

func pathOrder(r *http.Request) (domain.OrderID, error) {
	id, err := domain.ParseOrderID(chi.URLParam(r, "id"))
	if err != nil {
		return id, domain.NoOrder()
	}
	return id, nil
}

// pathItem reads a line's two ids; where both are wrong the product is named, as domain.Shop has it.
func pathItem(r *http.Request) (cart domain.CartID, product domain.ProductID, err error) {
	if product, err = pathProduct(r, "product_id"); err != nil {
		return cart, product, err
	}
	cart, err = pathCart(r)
	return cart, product, err
}

// readPage reads the parameters of a listing. What is no cursor or no number becomes one that the domain refuses, so that
// the refusal is worded in one place.
func readPage(r *http.Request) (after domain.ProductID, limit int, err error) {
	query, err := readQuery(r, "limit", "after")
	if err != nil {
		return 0, 0, err
	}
	limit = domain.DefaultPage
	if query.Has("limit") {
		text := query.Get("limit")
		if limit, err = strconv.Atoi(text); err != nil || strconv.Itoa(limit) != text {
			limit = 0
		}
	}
	if query.Has("after") {
		var ok bool
		if after, ok = parseCursor(query.Get("after")); !ok {
			after = -1
		}
	}
	return after, limit, nil
}

// noQuery refuses any query parameter before h.
func noQuery(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := readQuery(r); err != nil {
			return err
		}
		return h(w, r)
	}
}

// readQuery reads a query of these parameters, each at most once.
func readQuery(r *http.Request, known ...string) (url.Values, error) {
	if r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("", "the query string cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			return nil, badParameter(name, "this route has no such query parameter")
		}
		if len(query[name]) > 1 {
			return nil, badParameter(name, "a query parameter is given at most once")
		}
	}
	return query, nil
}

// readObject reads a request body: a JSON object of exactly these members. Where there are none, no body will do as well.
func readObject(r *http.Request, members ...member) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if len(members) == 0 && len(body) == 0 {
		return nil
	}
	if err := checkMediaType(r.Header); err != nil {
		return err
	}
	return decodeObject(body, members...)
}

// readBody reads at most one byte above the limit, whatever length is announced.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > MaxBody {
		return nil, tooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, &domain.Error{Kind: domain.Invalid, Detail: "the body could not be read to its end", Err: err}
	}
	if len(body) > MaxBody {
		return nil, tooLarge()
	}
	return body, nil
}

// checkMediaType says whether a body is declared as JSON, uncompressed.
func checkMediaType(h http.Header) error {
	if len(h.Values("Content-Encoding")) > 0 {
		return unsupported("a body with a Content-Encoding is not read; send it as it is")
	}
	types := h.Values("Content-Type")
	if len(types) == 1 && types[0] == "application/json" {
		return nil
	}
	if len(types) != 1 {
		return unsupported("a body needs one Content-Type: application/json")
	}
	mediaType, parameters, err := mime.ParseMediaType(types[0])
	if err != nil || mediaType != "application/json" {
		return unsupported("the Content-Type of a body is application/json")
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return unsupported("JSON is read as UTF-8 only")
	}
	return nil
}

// noSuchRoute answers what no route matches.
func noSuchRoute(http.ResponseWriter, *http.Request) error {
	return refusal{slug: slugNoRoute, err: &domain.Error{Kind: domain.Internal, Detail: "this API has no such path"}}
}

// methodNotAllowed answers a known path asked with another method, and says which it has.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) error {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	var allowed []string
	routes := chi.RouteContext(r.Context()).Routes
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 { // chi comes here for any unknown method, whatever the path
		return noSuchRoute(w, r)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return refusal{slug: slugMethod, err: &domain.Error{Kind: domain.Internal, Detail: "this path does not have this method"}}
}
