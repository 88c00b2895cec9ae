package httpapitest

import (
	"net/http"
	"strings"

	"splitshop/domain"
	"splitshop/transport/httpapi"
)

func cursor(after domain.ProductID) string { return httpapi.Cursor(after) }

// bodies are those of case 11.
func bodies(s *script) {
	p := s.products[0]
	items := "/carts/" + s.say("a cart", request{method: http.MethodPost, path: "/carts"}) + "/items"
	padded := func(length int) string {
		return item(p, 1) + strings.Repeat(" ", length-len(item(p, 1)))
	}
	post := func(what, body, brief string, change func(*request)) {
		r := send(http.MethodPost, items, body)
		r.brief = brief
		if change != nil {
			change(&r)
		}
		s.say(what, r)
	}
	chunked := func(r *request) { r.chunked = true }
	post("exactly 64 KiB", padded(httpapi.MaxBody), "(an item and spaces, 65536 bytes)", nil)
	post("exactly 64 KiB, of no announced length", padded(httpapi.MaxBody), "(an item and spaces, 65536 bytes)", chunked)
	post("one byte more", padded(httpapi.MaxBody+1), "(an item and spaces, 65537 bytes)", nil)
	post("one byte more, of no announced length", padded(httpapi.MaxBody+1), "(an item and spaces, 65537 bytes)", chunked)
	post("an item of no announced length", item(p, 1), "", chunked)
	for _, mediaType := range []string{"application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "application/json; charset=latin1",
		"text/plain", "application/x-www-form-urlencoded", "application/problem+json", "application/json;", "json", ""} {
		post("a media type", item(p, 1), "", func(r *request) { r.header.Set("Content-Type", mediaType) })
	}
	post("no media type", item(p, 1), "", func(r *request) { r.header = nil })
	post("two media types", item(p, 1), "", func(r *request) { r.header.Add("Content-Type", "application/json") })
	post("compressed", "\x1f\x8b", "(two bytes of gzip)", func(r *request) { r.header.Set("Content-Encoding", "gzip") })
	post("no body", "", "", nil)
	start := `{"product_id":` + unknownProduct // of one length in every shop, for the errors name bytes
	for _, body := range []string{
		"{", `{"product_id":`, `{"product_id"}`, `{"product_id" 1}`, `{,}`, `{1:2}`, "}", "nothing", "'", `"item"`, "7", "null", "[]",
		start + `,"quantity":1,}`,
		start + `,"quantity":01}`,
		start + `,"quantity":1,"quantity":1}`,
		start + `,"quantity":1,"a/b~c":1}`,
		start + `,"Quantity":1}`,
		start + `,"quantity":1}{}`,
		start + `,"quantity":1} x`,
	} {
		post("a body that is not an item", body, "", nil)
	}
	post("not UTF-8", `{"product_id":1,"`+"\xff", "(an item broken by the byte FF)", nil)
	deep := strings.Repeat("[", 10_000)
	post("deep", deep, "(10000 times [)", nil)
	post("deep inside", `{"quantity":`+deep, `({"quantity": and 10000 times [)`, nil)
	s.say("a member of a cart", send(http.MethodPost, "/carts", `{"currency":"EUR"}`))
	s.say("a cart that is no JSON", request{method: http.MethodPost, path: "/carts", body: "{}"})
	s.say("only the good ones were added", get(strings.TrimSuffix(items, "/items")))
}

func routes(s *script) {
	for _, path := range []string{"/", "/nothing", "/products/", "//products", "/products/" + unknownProduct + "/reviews", "/Products",
		"/carts/", "/carts/1/items/", "/metrics", "/debug/pprof/"} {
		s.say("no such path", get(path))
	}
	for _, r := range []request{
		{method: http.MethodPost, path: "/products"},
		{method: http.MethodDelete, path: "/products/" + unknownProduct},
		{method: http.MethodGet, path: "/carts"},
		{method: http.MethodDelete, path: "/carts/1"},
		{method: http.MethodGet, path: "/carts/1/items"},
		{method: http.MethodPatch, path: "/carts/1/items/" + unknownProduct},
		{method: http.MethodHead, path: "/orders"},
		{method: http.MethodPut, path: "/orders/1"},
		{method: http.MethodOptions, path: "/products"},
		{method: http.MethodTrace, path: "/products"},
		{method: "BREW", path: "/carts"},
	} {
		s.say("no such method", r)
	}
	s.say("neither path nor method", request{method: "BREW", path: "/coffee"})
}

// forged are the requests of case 33: what a client says of itself changes nothing.
func forged(s *script) {
	h := http.Header{
		"Forwarded":              {"for=192.0.2.1;host=forged.example;proto=https"},
		"X-Forwarded-For":        {"127.0.0.1"},
		"X-Forwarded-Host":       {"forged.example"},
		"X-Forwarded-Prefix":     {"/forged"},
		"X-Forwarded-Proto":      {"https"},
		"X-Http-Method-Override": {"DELETE"},
		"X-Original-Url":         {"/products/1"},
		"X-Real-Ip":              {"127.0.0.1"},
	}
	s.say("a cart for a forged host", request{method: http.MethodPost, path: "/carts", host: "forged.example", header: h})
	s.say("a listing for a forged host", request{method: http.MethodGet, host: "forged.example", header: h,
		path: "/products?limit=1&after=" + cursor(s.products[0])})
	s.say("no such path for a forged host", request{method: http.MethodGet, path: "/nothing", host: "forged.example", header: h})
}

func documents(s *script) {
	s.say("the description", get("/openapi.yaml"))
	s.say("its headers only", request{method: http.MethodHead, path: "/openapi.yaml"})
	for _, slug := range []string{"invalid", "not-found", "conflict", "unavailable", "deadline", "may-have-executed", "internal",
		"body-too-large", "unsupported-media-type", "no-such-route", "method-not-allowed"} {
		s.say("a problem's page", get("/problems/"+slug))
	}
	s.say("no such problem", get("/problems/none"))
	s.say("a page takes no parameters", get("/problems/invalid?lang=en"))
}
