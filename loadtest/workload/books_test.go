package workload

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/load"
)

// auditOf offers a shop 500 checkouts and reads back what it answered.
func auditOf(ctx context.Context, t *testing.T, s *shopServer) (Books, error) {
	t.Helper()
	m, err := MixOf("checkout")
	if err != nil {
		t.Fatal(err)
	}
	w, err := Prepare(t.Context(), s, Preparation{Mix: m, Leases: 64, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load.Open(t.Context(), load.Config{Workload: w, Transport: s, Clock: virtual{time.Now()}, Users: 64,
		Timeout: load.DefaultTimeout, Drain: load.DefaultDrain},
		load.Plan{Mix: m, Arrivals: load.Uniform, Seed: 1, Steps: []load.Step{{Rate: 500, Duration: time.Second}}}); err != nil {
		t.Fatal(err)
	}
	return w.Audit(ctx, s, nil)
}

// each calls spoil for each n-th request to make an order, before or instead of the real one.
func (s *shopServer) each(n int, spoil func(real http.Handler, w http.ResponseWriter, r *http.Request)) {
	real, orders := s.Handler, 0
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/orders" {
			real.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		orders++
		now := orders%n == 0
		s.mu.Unlock()
		if now {
			spoil(real, w, r)
			return
		}
		real.ServeHTTP(w, r)
	})
}

func reading(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/orders/") }

func TestAudit(t *testing.T) {
	t.Parallel()
	first := map[string]bool{} // orders whose first reading fails
	for _, test := range []struct {
		name    string
		spoil   func(*shopServer)
		want    Books
		example string
	}{
		{"balanced", func(*shopServer) {}, Books{Answered: 500, ReadBack: 500}, ""},
		{"no answer", func(s *shopServer) {
			s.each(5, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusServiceUnavailable)
			})
		}, Books{Answered: 400, Uncertain: 100, ReadBack: 400}, ""},
		{"refused", func(s *shopServer) {
			s.each(5, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict) })
		}, Books{Answered: 400, ReadBack: 400}, ""},
		{"lost", func(s *shopServer) {
			s.each(5, func(real http.Handler, w http.ResponseWriter, r *http.Request) {
				real.ServeHTTP(w, r)
				w.Header().Set("Location", "/orders/6fa459ea-ee8a-4ca4-894e-db77e160355e")
			})
		}, Books{Answered: 500, ReadBack: 400, Missing: 100}, "there is no such order"},
		{"another total", func(s *shopServer) {
			s.change = func(r *http.Request, body *[]byte) {
				if r.URL.Path == "/orders" {
					*body = bytes.Replace(*body, totalAmount, []byte(`"total":{"amount":1`), 1)
				}
			}
		}, Books{Answered: 500, Wrong: 500}, "answered was 1"},
		{"another product", func(s *shopServer) {
			s.change = func(r *http.Request, body *[]byte) {
				if reading(r) {
					*body = bytes.Replace(*body, []byte(`"product_id":`), []byte(`"product_id":10`), 1)
				}
			}
		}, Books{Answered: 500, Wrong: 500}, "no line of product"},
		{"two of the product", func(s *shopServer) {
			s.change = func(r *http.Request, body *[]byte) {
				if reading(r) {
					*body = bytes.Replace(*body, []byte(`"lines":[{`), []byte(`"lines":[{"product_id":1,"quantity":0},{`), 1)
				}
			}
		}, Books{Answered: 500, Wrong: 500}, "is not one of product"},
		{"read at the second try", func(s *shopServer) {
			real := s.Handler
			s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.mu.Lock()
				fail := reading(r) && !first[r.URL.Path]
				first[r.URL.Path] = true
				s.mu.Unlock()
				if fail {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				real.ServeHTTP(w, r)
			})
		}, Books{Answered: 500, ReadBack: 500}, ""},
		{"cannot be read", func(s *shopServer) {
			real := s.Handler
			s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if reading(r) {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				real.ServeHTTP(w, r)
			})
		}, Books{Answered: 500}, "it cannot be read: status 502"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShopServer(t, productsInTest)
				test.spoil(s)
				got, err := auditOf(t.Context(), t, s)
				if err != nil || !strings.Contains(got.Example, test.example) || (got.Example == "") != (test.example == "") {
					t.Errorf("%q, %v; want %q", got.Example, err, test.example)
				}
				got.Example = ""
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAnOrderCarriedOutLateIsNoWrongOne: what a client gave up waiting for may come after what it sent next.
func TestAnOrderCarriedOutLateIsNoWrongOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShopServer(t, productsInTest)
		real, n := s.Handler, 0
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			if strings.HasSuffix(r.URL.Path, "/items") {
				n++
			}
			late := strings.HasSuffix(r.URL.Path, "/items") && n%5 == 0
			s.mu.Unlock()
			if late { // carried out, and nobody is told
				real.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			real.ServeHTTP(w, r)
		})
		got, err := auditOf(t.Context(), t, s)
		if err != nil || got.Answered == 0 || got.Wrong > 0 || got.ReadBack != got.Answered {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestAuditIsCut(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := auditOf(ctx, t, newShopServer(t, productsInTest)); err == nil || got.ReadBack > 0 || got.Answered != 500 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTotalOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"id":"1","total":{"amount":1250,"currency":"EUR"}}`:      1250,
		`{"total": {"currency": "EUR", "amount": 7}, "lines": []}`: 7,
		`{"id":"1"}`: unknownTotal,
		`{"total":{"amount":99999999999999999999,"currency":"EUR"}}`: unknownTotal,
		`no JSON`: unknownTotal,
	} {
		if got := totalOf([]byte(body)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}
