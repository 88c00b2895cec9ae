package httpapitest

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/httpapi"
)

//go:embed testdata/transcript.golden
var golden string

// Golden returns the transcript that every build of the shop must reproduce.
func Golden() []byte { return []byte(golden) }

// CompareTranscript fails the test where got is not the golden transcript, byte for byte, and shows the difference.
func CompareTranscript(t testing.TB, got []byte) {
	t.Helper()
	if diff := cmp.Diff(strings.SplitAfter(golden, "\n"), strings.SplitAfter(string(got), "\n")); diff != "" {
		t.Errorf("the transcript is not the golden one (-golden +got):\n%s", diff)
	}
}

// Transcript holds a fixed conversation with the API at baseURL and returns it as text, with everything that differs
// from run to run under a stable name. It uses products of its own, made through admin; while it runs nothing else may
// add any, or the listings would show them.
func Transcript(t testing.TB, baseURL string, hc *http.Client, admin domaintest.Admin) []byte {
	t.Helper()
	s := &script{TB: t, base: strings.TrimSuffix(baseURL, "/"), http: hc, admin: admin}
	for _, chapter := range []struct {
		title string
		play  func(*script)
	}{
		{"Products", products},
		{"Listing", listing},
		{"Carts", carts},
		{"Quantities", quantities},
		{"Prices and totals", prices},
		{"Unknown things", unknown},
		{"Orders", orders},
		{"Bodies", bodies},
		{"Paths and methods", routes},
		{"Forged headers", forged},
		{"Documents", documents},
	} {
		fmt.Fprintf(&s.out, "######## %s\n\n", chapter.title)
		chapter.play(s)
	}
	return s.out.Bytes()
}

// script is a conversation under way.
type script struct {
	testing.TB
	base     string
	http     *http.Client
	admin    domaintest.Admin
	out      bytes.Buffer
	products []domain.ProductID // PRODUCT-1 is the first
	things   []string           // pairs of a cart's or order's id and its name
	carts    int
	orders   int
}

// request is one request of the conversation.
type request struct {
	method  string
	path    string
	header  http.Header
	host    string // the Host header; "": the server's own
	body    string
	brief   string // what the transcript shows for a long body
	chunked bool   // the body's length is not announced
}

// shownHeaders are those of an answer that matter to a client and can differ.
var shownHeaders = []string{"Content-Type", "Location", "Allow", "Retry-After"}

// say sends a request, writes the exchange down and returns the id of what it made, if it made something.
func (s *script) say(what string, r request) (id string) {
	s.Helper()
	status, header, body := s.send(r)
	if location := header.Get("Location"); location != "" {
		id = s.name(location)
	}
	fmt.Fprintf(&s.out, "=== %s\n%s %s\n", what, r.method, s.normal(r.path))
	if r.host != "" {
		fmt.Fprintf(&s.out, "Host: %s\n", r.host)
	}
	for _, name := range sortedKeys(r.header) {
		fmt.Fprintf(&s.out, "%s: %s\n", name, strings.Join(r.header[name], ", "))
	}
	if shown := r.brief; shown != "" || r.body != "" {
		if shown == "" {
			shown = s.normal(r.body)
		}
		fmt.Fprintf(&s.out, "\n%s\n", shown)
	}
	fmt.Fprintf(&s.out, "--- %d\n", status)
	for _, name := range shownHeaders {
		for _, value := range header[name] {
			fmt.Fprintf(&s.out, "%s: %s\n", name, s.normal(value))
		}
	}
	switch {
	case bytes.Equal(body, httpapi.OpenAPI()):
		s.out.WriteString("\n(openapi.yaml, byte for byte)\n")
	case len(body) > 0:
		fmt.Fprintf(&s.out, "\n%s", s.normal(string(body)))
	}
	s.out.WriteString("\n")
	return id
}

func (s *script) send(r request) (status int, header http.Header, body []byte) {
	s.Helper()
	var sent io.Reader
	switch {
	case r.chunked:
		sent = io.MultiReader(strings.NewReader(r.body)) // a reader that net/http knows no length of
	case r.body != "":
		sent = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(s.Context(), r.method, s.base+r.path, sent)
	if err != nil {
		s.Fatal(err)
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	req.Host = r.host
	resp, err := s.http.Do(req)
	if err != nil {
		s.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		s.Fatalf("%s %s: reading the answer: %v", r.method, r.path, err)
	}
	s.checkHeaders(r, resp, body)
	return resp.StatusCode, resp.Header, body
}

// checkHeaders checks what is the same for all answers and so not worth writing down each time.
func (s *script) checkHeaders(r request, resp *http.Response, body []byte) {
	s.Helper()
	h := resp.Header
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
		s.Errorf("%s %s: the answer may be sniffed or stored: %v", r.method, r.path, h)
	}
	wantLength := strconv.Itoa(len(body))
	if resp.StatusCode == http.StatusNoContent {
		wantLength = ""
	}
	if got := h.Get("Content-Length"); r.method != http.MethodHead && got != wantLength {
		s.Errorf("%s %s: Content-Length is %q, want %q", r.method, r.path, got, wantLength)
	}
}

// add makes the next product.
func (s *script) add(name string, cents int64) domain.ProductID {
	s.Helper()
	id, err := s.admin.AddProduct(s.Context(), name, domain.Cents(cents))
	if err != nil {
		s.Fatalf("adding product %q: %v", name, err)
	}
	s.products = append(s.products, id)
	return id
}

// must ends the test where a step behind the scenes failed.
func (s *script) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// name gives the new thing at location a name, and returns its id.
func (s *script) name(location string) string {
	if id, ok := strings.CutPrefix(location, "/carts/"); ok {
		s.carts++
		s.things = append(s.things, id, fmt.Sprintf("CART-%d", s.carts))
		return id
	}
	id := strings.TrimPrefix(location, "/orders/")
	s.orders++
	s.things = append(s.things, id, fmt.Sprintf("ORDER-%d", s.orders))
	return id
}

var (
	productID = regexp.MustCompile(`("product_id":|"id":|product |/products/|/items/)(\d+)\b`)
	placedAt  = regexp.MustCompile(`"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"`)
)

// normal puts the stable names in a text. A product's id is replaced only where an id stands: it may equal an amount.
func (s *script) normal(text string) string {
	names := slices.Clone(s.things)
	for i, id := range s.products {
		names = append(names, httpapi.Cursor(id), fmt.Sprintf("CURSOR-AFTER-PRODUCT-%d", i+1))
	}
	text = strings.NewReplacer(names...).Replace(text)
	text = placedAt.ReplaceAllString(text, `"TIME"`)
	return productID.ReplaceAllStringFunc(text, func(match string) string {
		parts := productID.FindStringSubmatch(match)
		id, err := domain.ParseProductID(parts[2])
		if i := slices.Index(s.products, id); err == nil && i >= 0 {
			return fmt.Sprintf("%sPRODUCT-%d", parts[1], i+1)
		}
		return match
	})
}

func sortedKeys(h http.Header) []string {
	var keys []string
	for k := range h {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
