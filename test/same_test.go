package test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/loadtest/runner"
	"splitshop/test/shopping"
	"splitshop/transport/httpapi"
	"splitshop/transport/httpapi/httpapitest"
)

// TestSameShop runs against each topology what every topology must pass. The transcript comes first, as it wants the
// catalogue for itself; what counts calls or looks at pools runs alone too.
func TestSameShop(t *testing.T) {
	t.Parallel()
	for _, design := range runner.Designs() {
		t.Run("topology="+design, func(t *testing.T) {
			t.Parallel()
			p := start(t, design, nil)
			edge := slices.Contains([]string{runner.Mono, runner.Micro}, design) // one of each edge is enough
			t.Run("transcript", func(t *testing.T) { transcript(t, p) })
			t.Run("forged headers", func(t *testing.T) { forgedHeaders(t, p) })
			if design == runner.Micro || design == runner.MicroUnix {
				t.Run("internal calls", func(t *testing.T) { internalCalls(t, p) })
			}
			if edge {
				t.Run("cancelled requests", func(t *testing.T) { cancelledRequests(t, p) })
			}
			t.Run("together", func(t *testing.T) {
				t.Run("conformance", func(t *testing.T) { t.Parallel(); conformance(t, p) })
				t.Run("fifty buyers", func(t *testing.T) { t.Parallel(); fiftyBuyers(t, p) })
				if edge {
					t.Run("half-open connections", func(t *testing.T) { t.Parallel(); halfOpen(t, p) })
				}
			})
			if edge {
				t.Run("changed tables", func(t *testing.T) { changedTables(t, p) })
			}
		})
	}
}

// validated is a client of the topology that holds every exchange against openapi.yaml.
func validated(t *testing.T, p *topology) *http.Client {
	t.Helper()
	return &http.Client{Transport: httpapitest.Validator(t, p.HTTP.Transport), Timeout: p.HTTP.Timeout}
}

func transcript(t *testing.T, p *topology) {
	httpapitest.CompareTranscript(t, httpapitest.Transcript(t, p.URL(), validated(t, p), p.admin(t)))
}

func conformance(t *testing.T, p *topology) {
	domaintest.Run(t, domaintest.Fixture{Shop: httpapi.NewClient(p.URL(), validated(t, p)), Admin: p.admin(t)})
}

// forgedHeaders is case 33: what a client says of itself changes no answer.
func forgedHeaders(t *testing.T, p *topology) {
	g := p.Goods(t)
	missing := shopping.Request{Route: "no such path", Method: http.MethodGet, Path: "/nothing"}
	for _, r := range []shopping.Request{g.Request(shopping.Page), g.Request(shopping.Product), g.Request(shopping.ViewCart),
		g.Request(shopping.ViewOrder), g.Request(shopping.Setting), missing} {
		plain := p.Send(t.Context(), r)
		r.Header = http.Header{
			"Forwarded":         {"for=192.0.2.1;host=forged.example;proto=https"},
			"X-Forwarded-For":   {"127.0.0.1"},
			"X-Forwarded-Host":  {"forged.example"},
			"X-Forwarded-Proto": {"https"},
			"X-Real-Ip":         {"127.0.0.1"},
		}
		forged := p.Send(t.Context(), r)
		for _, a := range []shopping.Answer{plain, forged} {
			must(t, a.Err)
			a.Header.Del("Date")
		}
		if diff := cmp.Diff(plain.Header, forged.Header); diff != "" || plain.Status != forged.Status || plain.Body != forged.Body {
			t.Errorf("%s: %v, and with forged headers %v\n%s", r.Route, plain, forged, diff)
		}
	}
}

// fiftyBuyers is case 5 as far as there is no stock: fifty check out twenty products at once, half of them having put
// these in their carts in the opposite order. All succeed, so no deadlock reaches anybody.
func fiftyBuyers(t *testing.T, p *topology) {
	const buyers, each = 50, 20
	forth := make([]domain.ProductID, each)
	for i := range forth {
		forth[i] = domain.ProductID(i + 1)
	}
	back := slices.Clone(forth)
	slices.Reverse(back)
	carts := make([]domain.CartID, buyers)
	for i := range carts {
		carts[i] = p.FilledCart(t, [][]domain.ProductID{forth, back}[i%2]...)
	}
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for _, cart := range carts {
		wg.Go(func() {
			<-begin
			order, err := p.Client().PlaceOrder(t.Context(), cart)
			if err != nil || len(order.Lines) != each {
				t.Errorf("checking out: %v, %d lines", err, len(order.Lines))
			}
		})
	}
	close(begin)
	wg.Wait()
}
