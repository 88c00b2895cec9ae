package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
)

// endless is a body without end that counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

func TestBodyIsReadToTheLimitOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		length int64
		most   int
	}{
		{"announced", MaxBody + 1, 0},
		{"not announced", -1, MaxBody + 1},
		{"announced as less than it is", 10, MaxBody + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := &endless{}
			r := httptest.NewRequest(http.MethodPost, "/orders", body)
			r.ContentLength = tt.length
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			Public(domaintest.NewFixture().Shop, Options{}).ServeHTTP(w, r)
			if w.Code != http.StatusRequestEntityTooLarge || body.read > tt.most {
				t.Errorf("answered %d after reading %d bytes, want 413 after %d at most", w.Code, body.read, tt.most)
			}
		})
	}
}

func TestBodyThatBreaksIsRefused(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/orders", io.MultiReader(strings.NewReader("{"), brokenReader{}))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	Public(domaintest.NewFixture().Shop, Options{}).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), "EOF") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestDepthCostsNothing shows that a body's reading ends where the nesting begins.
func TestDepthCostsNothing(t *testing.T) {
	deep := []byte(`{"quantity":` + strings.Repeat("[", 60_000))
	var quantity int
	allocs := testing.AllocsPerRun(10, func() {
		if err := decodeObject(deep, member{"quantity", &quantity}); !errors.Is(err, domain.Invalid) {
			t.Fatalf("got %v", err)
		}
	})
	if allocs > 30 {
		t.Errorf("%v allocations for a body that is 60,000 deep", allocs)
	}
}

// FuzzDecode: whatever is accepted is one object of these members and no others, and means to encoding/json the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"product_id":1,"quantity":2,"cart_id":"x"}`, `{"cart_id":"\ud83d\ude00","quantity":-0,"product_id":9223372036854775807}`,
		`{"quantity":1,"quantity":1}`, ` { "quantity" : 1 , "cart_id" : "" , "product_id" : 0 } `, `{"quantity":1}{}`, `[[[[`, "{\"\xff\":1}", ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got struct {
			ProductID int64  `json:"product_id"`
			Quantity  int    `json:"quantity"`
			CartID    string `json:"cart_id"`
		}
		err := decodeObject(body, member{"product_id", &got.ProductID}, member{"quantity", &got.Quantity}, member{"cart_id", &got.CartID})
		if err != nil {
			if domain.KindOf(err) != domain.Invalid {
				t.Errorf("%q is refused as %v", body, err)
			}
			return
		}
		want := got
		want.ProductID, want.Quantity, want.CartID = 0, 0, ""
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil || want != got {
			t.Errorf("%q is accepted as %+v; encoding/json has %+v, %v", body, got, want, err)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		before := got
		err = decodeObject(again, member{"product_id", &got.ProductID}, member{"quantity", &got.Quantity}, member{"cart_id", &got.CartID})
		if err != nil || got != before {
			t.Errorf("%q, encoded again, is read as %+v, %v", again, got, err)
		}
	})
}

// FuzzCursor: a cursor is what Cursor wrote of a product, and nothing else.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{Cursor(1), Cursor(1 << 62), Cursor(-1), Cursor(0), "AQAAAAAAAAAB\n", "AQAAAAAAAAAB=", "", "Ag AAAAAAAAB", "+/AAAAAAAAAB"} {
		f.Add(seed, int64(len(seed)))
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		if id, ok := parseCursor(text); ok && (id < 1 || Cursor(id) != text) {
			t.Errorf("%q is read as product %d, whose cursor is %q", text, id, Cursor(id))
		}
		id, ok := parseCursor(Cursor(domain.ProductID(n)))
		if ok != (n >= 1) || ok && id != domain.ProductID(n) {
			t.Errorf("the cursor of %d is read as %d, %t", n, id, ok)
		}
	})
}

// FuzzIDs puts any text where an id stands in a path: never a 5xx, and never a success but for the one right id.
func FuzzIDs(f *testing.F) {
	fixture := domaintest.NewFixture()
	product, err := fixture.Admin.AddProduct(f.Context(), "the one", domain.Cents(100))
	if err != nil {
		f.Fatal(err)
	}
	cart, err := fixture.Shop.CreateCart(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"1", "01", "-1", cart.String(), strings.ToUpper(cart.String()), "", "..", "%00", "a/b", "\xff", "١", "9223372036854775808"} {
		f.Add(seed)
	}
	api := Public(fixture.Shop, Options{})
	f.Fuzz(func(t *testing.T, id string) {
		right := map[string]bool{strconv.FormatInt(int64(product), 10): true, cart.String(): true}
		for _, prefix := range []string{"/products/", "/carts/", "/orders/", cartPath(cart) + "/items/"} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			if strings.HasSuffix(prefix, "/items/") {
				r.Method, r.Body = http.MethodPut, io.NopCloser(strings.NewReader(`{"quantity":1}`))
				r.Header.Set("Content-Type", "application/json")
			}
			r.URL.Path = prefix + id
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if w.Code >= 500 || w.Code < 300 && !right[id] {
				t.Errorf("%s%q is answered %d %s", prefix, id, w.Code, w.Body)
			}
			if w.Code >= 300 && w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s%q is answered %d %s", prefix, id, w.Code, w.Header().Get("Content-Type"))
			}
		}
	})
}
