package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"splitshop/domain"
)

// DefaultDeadline is how long a request may take where Options do not say.
const DefaultDeadline = 5 * time.Second

// Options are what Public needs besides the shop. The zero value serves.
type Options struct {
	// Log gets what went wrong inside; nil: nothing is logged.
	Log *slog.Logger
	// Ready says whether the shop can answer; while it cannot, shop routes are 503. Nil: always.
	Ready func() bool
	// Observe is called once for each request, after its answer, with the route ("GET /products/{id}"; NoRoute where none
	// matched), the status ("200"; StatusClientGone where nobody was left to read it) and the time it took. Nil: not.
	Observe func(route, status string, d time.Duration)
	// Deadline is how long the shop may take for a request; 0: DefaultDeadline.
	Deadline time.Duration
}

// Public serves the shop's public API.
func Public(shop domain.Shop, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	return newRouter(&api{shop: shop, options: o})
}

// api is the handlers and what they share.
type api struct {
	shop    domain.Shop
	options Options
}

// handler does one request's work: decode, call, encode. An error it returns becomes a problem document.
type handler func(http.ResponseWriter, *http.Request) error

// newRouter is the list of all routes. HEAD stands beside each GET.
func newRouter(a *api) *chi.Mux {
	mux := chi.NewRouter()
	mux.Use(a.observe, a.recover)
	mux.NotFound(a.adapt(noSuchRoute))
	mux.MethodNotAllowed(a.adapt(methodNotAllowed))

	get := func(r chi.Router, pattern string, h handler) {
		r.Get(pattern, a.adapt(h))
		r.Head(pattern, a.adapt(h))
	}
	get(mux, "/openapi.yaml", noQuery(serveOpenAPI))
	get(mux, "/problems/{slug}", noQuery(serveProblemPage))

	mux.Group(func(r chi.Router) {
		r.Use(a.gate, a.deadline)
		get(r, "/products", a.products)
		get(r, "/products/{id}", noQuery(a.product))
		r.Post("/carts", a.adapt(noQuery(a.createCart)))
		get(r, "/carts/{id}", noQuery(a.cart))
		r.Post("/carts/{id}/items", a.adapt(noQuery(a.addItem)))
		r.Put("/carts/{id}/items/{product_id}", a.adapt(noQuery(a.setItem)))
		r.Delete("/carts/{id}/items/{product_id}", a.adapt(noQuery(a.removeItem)))
		r.Post("/orders", a.adapt(noQuery(a.placeOrder)))
		get(r, "/orders/{id}", noQuery(a.order))
	})
	return mux
}

// adapt makes an http.HandlerFunc of a handler.
func (a *api) adapt(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			a.fail(w, r, err)
		}
	}
}
