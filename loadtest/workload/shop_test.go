package workload

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/loadtest/load"
	"splitshop/transport/httpapi"
)

const productsInTest = 137 // six pages of 20 and one of 17

// shopServer is the real public API over the in-memory shop, called without a socket so that time can be virtual.
type shopServer struct {
	http.Handler
	takes  time.Duration                // for each request
	change func(*http.Request, *[]byte) // spoils answers; nil: none

	mu       sync.Mutex
	requests map[string]int
	bodies   []string // of orders
}

func newShopServer(t *testing.T, products int) *shopServer {
	t.Helper()
	memory := domaintest.NewMemory()
	for i := range products {
		if _, err := memory.AddProduct(t.Context(), fmt.Sprintf(`the "id" of product %d`, i), domain.Cents(int64(100+i))); err != nil {
			t.Fatal(err)
		}
	}
	return &shopServer{Handler: httpapi.Public(memory.Shop(), httpapi.Options{}), requests: map[string]int{}}
}

func (s *shopServer) Exchanger() load.Exchanger { return s }

var ids = regexp.MustCompile(`[0-9a-f-]{36}`)

func (s *shopServer) Exchange(ctx context.Context, req *load.Request, resp *load.Response) error {
	r := httptest.NewRequestWithContext(ctx, req.Method, req.Path, bytes.NewReader(req.Body))
	if req.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	time.Sleep(s.takes)
	s.ServeHTTP(w, r)
	body := w.Body.Bytes()
	if s.change != nil {
		s.change(r, &body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[req.Method+" "+ids.ReplaceAllString(r.URL.Path, "{id}")]++
	if r.URL.Path == "/orders" {
		s.bodies = append(s.bodies, string(body))
	}
	resp.Status, resp.Location, resp.Body = w.Code, w.Header().Get("Location"), body
	return nil
}

type virtual struct{ origin time.Time }

func (v virtual) Now() time.Duration         { return time.Since(v.origin) }
func (v virtual) SleepUntil(t time.Duration) { time.Sleep(t - v.Now()) }
func (virtual) Claim() (string, func())      { return "virtual", func() {} }

// offer prepares a shop and offers it n iterations of a mix within one virtual second.
func offer(t *testing.T, s *shopServer, mix string, leases, n int) load.StepRecord {
	t.Helper()
	m, err := MixOf(mix)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Prepare(t.Context(), s, Preparation{Mix: m, Leases: leases, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	clear(s.requests)
	s.mu.Unlock()
	rec, err := load.Open(t.Context(), load.Config{Workload: w, Transport: s, Clock: virtual{time.Now()}, Users: 64,
		Timeout: load.DefaultTimeout, Drain: load.DefaultDrain},
		load.Plan{Mix: m, Arrivals: load.Uniform, Seed: 1, Steps: []load.Step{{Rate: float64(n), Duration: time.Second}}})
	if err != nil {
		t.Fatal(err)
	}
	return rec.Steps[0]
}

func TestMixAsItReachesTheShop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		s.takes = time.Millisecond
		got := offer(t, s, "mix", 64, 2000)
		if len(got.Failures) > 0 || got.Dropped.Total() > 0 || got.Requests != 2100 {
			t.Errorf("%d requests, failures %+v, dropped %+v", got.Requests, got.Failures, got.Dropped)
		}
		reads, adds := s.requests["GET /carts/{id}"], s.requests["POST /carts/{id}/items"]-100
		if reads+adds != 300 || reads < 120 || adds < 120 {
			t.Errorf("of 300 iterations with a cart %d read it and %d added to it", reads, adds)
		}
		want := map[string]int{"GET /products": 1600, "GET /carts/{id}": reads, "POST /carts/{id}/items": adds + 100, "POST /orders": 100}
		if diff := cmp.Diff(want, s.requests); diff != "" {
			t.Error(diff)
		}
		slices.Sort(s.bodies)
		if orders := slices.Compact(s.bodies); len(orders) != 100 {
			t.Errorf("%d different orders", len(orders))
		}
	})
}

func TestEveryPageIsVisited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		visits := map[string]int{}
		s.change = func(r *http.Request, _ *[]byte) { s.mu.Lock(); visits[r.URL.RawQuery]++; s.mu.Unlock() }
		offer(t, s, "browse", 1, 3500)
		for page, n := range visits {
			if n < 400 || n > 600 || !strings.HasPrefix(page, "limit=20") {
				t.Errorf("%s: %d visits", page, n)
			}
		}
		if len(visits) != 7 {
			t.Errorf("%d pages", len(visits))
		}
	})
}

// Each way in which an answer can be wrong is found, at once or in the one of 64 that is checked in full.
func TestWrongBodiesAreFailures(t *testing.T) {
	t.Parallel()
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	digits := regexp.MustCompile(`"total":\{"amount":`)
	tests := []struct {
		name, mix, path string // of the answers that are spoilt
		spoil           func([]byte) []byte
		route           string
		all             bool // each is found, not one in 64; of orders every other one: what follows a failure is not judged
	}{
		{"not JSON", "browse", "/products", func([]byte) []byte { return []byte("<html>") }, "GET /products", true},
		{"empty", "browse", "/products", func([]byte) []byte { return nil }, "GET /products", true},
		{"a product too few", "browse", "/products", replace(`"id"`, `"it"`), "GET /products", true},
		{"another page", "browse", "/products", replace(`"id":1`, `"id":0`), "GET /products", false},
		{"no name", "browse", "/products", replace(`"name":"`, `"name":"","was":"`), "GET /products", false},
		{"a line too few", "cart", "", replace(`"product_id"`, `"product"`), "GET /carts/{id}", true},
		{"a total that is no sum", "cart", "", func(b []byte) []byte { return digits.ReplaceAll(b, []byte(`"total":{"amount":1`)) },
			"GET /carts/{id}", false},
		{"another quantity", "cart", "items", replace(`"quantity":`, `"quantity":1`), "POST /carts/{id}/items", false},
		{"no line", "cart", "items", func([]byte) []byte { return []byte("{}") }, "POST /carts/{id}/items", true},
		{"two lines in the order", "checkout", "/orders", replace(`"lines":[`, `"lines":[{"product_id":1},`), "POST /orders", true},
		{"an order's total that is no sum", "checkout", "/orders", func(b []byte) []byte {
			return digits.ReplaceAll(b, []byte(`"total":{"amount":1`))
		}, "POST /orders", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShopServer(t, productsInTest)
				var spoilt, prepared int
				s.change = func(r *http.Request, body *[]byte) {
					s.mu.Lock()
					defer s.mu.Unlock()
					if prepared > 0 && strings.HasSuffix(r.URL.Path, test.path) && (test.path != "" || r.Method == "GET" && r.URL.Path != "/products") {
						*body = test.spoil(bytes.Clone(*body))
						spoilt++
					}
				}
				m, _ := MixOf(test.mix)
				w, err := Prepare(t.Context(), s, Preparation{Mix: m, Leases: 64, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				prepared = 1
				rec, err := load.Open(t.Context(), load.Config{Workload: w, Transport: s, Clock: virtual{time.Now()}, Users: 64,
					Timeout: load.DefaultTimeout, Drain: load.DefaultDrain},
					load.Plan{Mix: m, Arrivals: load.Uniform, Seed: 1, Steps: []load.Step{{Rate: 1000, Duration: time.Second}}})
				if err != nil {
					t.Fatal(err)
				}
				got := rec.Steps[0].Failures
				if len(got) != 1 || got[0].Reason != load.WrongBody || got[0].Route != test.route || spoilt == 0 {
					t.Fatalf("%+v of %d spoilt", got, spoilt)
				}
				if share := float64(got[0].Count) / float64(spoilt); test.all && share < 0.5 || !test.all && (share > 0.05 || share < 0.002) {
					t.Errorf("found %d of %d", got[0].Count, spoilt)
				}
			})
		})
	}
}

func TestAPoolThatRunsDryIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		s.takes = 10 * time.Millisecond
		got := offer(t, s, "checkout", 2, 1000) // two at a time, each 20 ms: 100 of 1,000
		if got.Dropped.Leases < 890 || got.Dropped.Leases > 910 || got.Started+got.Dropped.Leases != 1000 || len(got.Failures) > 0 {
			t.Errorf("started %d, dropped %+v, failures %+v", got.Started, got.Dropped, got.Failures)
		}
	})
}

func TestCartsAreSwappedBeforeTheyFill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		most := 0
		quantity := regexp.MustCompile(`"quantity":(\d+)`)
		s.change = func(_ *http.Request, body *[]byte) {
			for _, m := range quantity.FindAllSubmatch(*body, -1) {
				n := 0
				fmt.Sscan(string(m[1]), &n)
				s.mu.Lock()
				most = max(most, n)
				s.mu.Unlock()
			}
		}
		got := offer(t, s, "cart", 1, 12_000) // one cart takes some 5 x 898 additions, half of twice as many iterations
		if most != quantityLimit-1 || got.Started < 8000 || got.Dropped.Leases < 2000 || len(got.Failures) > 0 {
			t.Errorf("the largest quantity %d; started %d, dropped %+v, failures %+v", most, got.Started, got.Dropped, got.Failures)
		}
	})
}

// After a failure it is not known what a cart holds: then nothing is expected of it, until an order has emptied it.
func TestAFailureMakesNoSecondOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		real, n := s.Handler, 0
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			if r.URL.Path == "/orders" {
				n++
			}
			fail := r.URL.Path == "/orders" && n%5 == 0
			s.mu.Unlock()
			if fail {
				w.WriteHeader(http.StatusInternalServerError) // the item stays in the cart
				return
			}
			real.ServeHTTP(w, r)
		})
		got := offer(t, s, "checkout", 4, 1000)
		if diff := cmp.Diff([]load.Failure{{Route: "POST /orders", Reason: "status 500", Count: 200}}, got.Failures); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPrepareSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	mix, _ := MixOf("mix")
	for _, test := range []struct {
		name     string
		products int
		handler  http.Handler
		want     string
	}{
		{"an empty catalogue", 0, nil, "answered 0 products"},
		{"too few products", 4, nil, "carts of 5 lines need more"},
		{"another server", 0, http.NotFoundHandler(), "answered 404"},
		{"a catalogue without an end", 0, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			products := make([]string, PageSize)
			for i := range products {
				products[i] = fmt.Sprintf(`{"id": %d, "name": "lamp", "price": {"amount": 100, "currency": "EUR"}}`, i+1)
			}
			fmt.Fprintf(w, `{"products": [%s], "next": "again"}`, strings.Join(products, ","))
		}), "after=again goes back to product 1"},
		{"no JSON", 0, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }), "walking the catalogue"},
	} {
		s := newShopServer(t, test.products)
		if test.handler != nil {
			s.Handler = test.handler
		}
		if _, err := Prepare(t.Context(), s, Preparation{Mix: mix, Leases: 2}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newShopServer(t, productsInTest)
	if _, err := Prepare(ctx, s, Preparation{Mix: mix, Leases: 2}); err == nil {
		t.Error("a cancelled preparation succeeded")
	}
}
