package httpapitest

import (
	"fmt"
	"net/http"
	"strings"

	"splitshop/domain"
)

// Ids that exist in no shop. A small number could be the id of a product that has a name in the transcript.
const (
	unknownID      = "00000000-0000-4000-8000-000000000000"
	unknownProduct = "9223372036854775807"
)

// names are those of case 9: accents, emoji, right to left, a slash, the longest; and what HTML would escape.
var names = []string{
	"Crème brûlée à l’érable",
	"Mug ☕ with a family 👩‍👩‍👧‍👦",
	"كوب قهوة 12 كبير",
	"A4/A5 <b>pad</b> & \"pen\" \\ \u2028",
	strings.Repeat("ß", domain.MaxNameLength),
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

func send(method, path, body string) request {
	return request{method: method, path: path, body: body, header: http.Header{"Content-Type": {"application/json"}}}
}

func item(product domain.ProductID, quantity int) string {
	return fmt.Sprintf(`{"product_id":%d,"quantity":%d}`, product, quantity)
}

func products(s *script) {
	for i, name := range names {
		id := s.add(name, int64(199+100*i))
		s.say("a product with the name as it was entered", get(fmt.Sprintf("/products/%d", id)))
	}
	path := fmt.Sprintf("/products/%d", s.products[0])
	s.say("its headers only", request{method: http.MethodHead, path: path})
	s.say("an unknown parameter", get(path+"?currency=USD"))
	for _, id := range []string{unknownProduct, "0", "-1", "+1", "01", unknownProduct + ".0", "abc", "%31",
		"9223372036854775808", unknownProduct + "%2F2"} {
		s.say("no such product", get("/products/"+id))
	}
}

func listing(s *script) {
	first := s.add("first of a listing", 100)
	for i := range 23 {
		s.add(fmt.Sprintf("listed %d", i+1), int64(1+i))
	}
	listed := s.products[len(s.products)-23:]
	after := func(id domain.ProductID) string { return "after=" + cursor(id) }

	s.say("two products", get("/products?limit=2&"+after(first)))
	s.say("the next two", get("/products?"+after(listed[1])+"&limit=2"))
	s.say("a page of the default size", get("/products?"+after(first)))
	s.say("its headers only", request{method: http.MethodHead, path: "/products?" + after(first)})
	s.say("the last page, exactly full", get("/products?limit=3&"+after(listed[19])))
	s.say("the last page, not full", get("/products?limit=100&"+after(listed[19])))
	s.say("nothing after the last", get("/products?"+after(listed[22])))
	s.must(s.admin.Withdraw(s.Context(), listed[20]))
	s.say("a withdrawn product is not listed", get("/products?limit=2&"+after(listed[19])))
	s.say("nor is it found", get(fmt.Sprintf("/products/%d", listed[20])))
	s.say("its place is still one to continue from", get("/products?limit=1&"+after(listed[20])))
	for _, limit := range []string{"0", "101", "-1", "%2B5", "05", "1e1", "2.0", "", "many", "18446744073709551617"} {
		s.say("a bad limit", get("/products?limit="+limit))
	}
	for _, cursor := range []string{"", "1", "AAAAAAAAAAAB", "AQAAAAAAAAAA", "Af__________", "AX__________%0A", "AX__________%3D"} {
		s.say("a bad cursor", get("/products?after="+cursor))
	}
	s.say("limit twice", get("/products?limit=2&limit=2"))
	s.say("an unknown parameter", get("/products?limit=2&offset=40"))
	s.say("a query that cannot be read", get("/products?limit=%zz"))
}

func carts(s *script) {
	p := s.add("Carafe", 1249)
	cart := "/carts/" + s.say("a new cart", request{method: http.MethodPost, path: "/carts"})
	s.say("another, with an empty object", send(http.MethodPost, "/carts", "{}"))
	s.say("the first, empty", get(cart))
	s.say("seven", send(http.MethodPost, cart+"/items", item(p, 7)))
	s.say("three more", send(http.MethodPost, cart+"/items", item(p, 3)))
	s.say("ten on one line: 124.90", get(cart))
	s.say("its headers only", request{method: http.MethodHead, path: cart})
	line := fmt.Sprintf("%s/items/%d", cart, p)
	s.say("four instead", send(http.MethodPut, line, `{"quantity":4}`))
	other := fmt.Sprintf("%s/items/%d", cart, s.products[0])
	s.say("another line, made by setting it", send(http.MethodPut, other, `{"quantity":1}`))
	s.say("two lines, in the order of their products", get(cart))
	s.say("one is removed", request{method: http.MethodDelete, path: line})
	s.say("and once more", request{method: http.MethodDelete, path: line})
	s.say("the other is left", get(cart))
}

func quantities(s *script) {
	p := s.products[0]
	cart := "/carts/" + s.say("a cart", request{method: http.MethodPost, path: "/carts"})
	s.say("five of a product", send(http.MethodPost, cart+"/items", item(p, 5)))
	for _, bad := range []string{"0", "-1", "1000", "1000000000", "1.5", "1.0", "1e2", `"2"`, "null", "true", "[2]", `{"n":2}`,
		"9223372036854775807", "99999999999999999999"} {
		s.say("a bad quantity", send(http.MethodPost, cart+"/items", fmt.Sprintf(`{"product_id":%d,"quantity":%s}`, p, bad)))
		s.say("set to it", send(http.MethodPut, fmt.Sprintf("%s/items/%d", cart, p), fmt.Sprintf(`{"quantity":%s}`, bad)))
	}
	s.say("no quantity", send(http.MethodPost, cart+"/items", fmt.Sprintf(`{"product_id":%d}`, p)))
	s.say("no quantity to set", send(http.MethodPut, fmt.Sprintf("%s/items/%d", cart, p), `{}`))
	s.say("no product", send(http.MethodPost, cart+"/items", `{"quantity":1}`))
	for _, bad := range []string{"0", "-7", `"1"`, unknownProduct + ".5"} {
		s.say("a bad product", send(http.MethodPost, cart+"/items", fmt.Sprintf(`{"product_id":%s,"quantity":1}`, bad)))
	}
	s.say("up to the cap", send(http.MethodPost, cart+"/items", item(p, 994)))
	s.say("past it", send(http.MethodPost, cart+"/items", item(p, 1)))
	s.say("the cart is unchanged", get(cart))
}

func prices(s *script) {
	cart := "/carts/" + s.say("a cart", request{method: http.MethodPost, path: "/carts"})
	for _, cents := range []int64{99, 105, 1999} {
		p := s.add("small change", cents)
		s.say("three of each", send(http.MethodPost, cart+"/items", item(p, 3)))
	}
	dear := s.add("the dearest", domain.MaxPrice)
	s.say("as much as a line can cost", send(http.MethodPost, cart+"/items", item(dear, domain.MaxQuantity)))
	s.say("the total is exact", get(cart))
	p := s.products[len(s.products)-2]
	s.say("a price of the client's own", send(http.MethodPost, cart+"/items",
		fmt.Sprintf(`{"product_id":%d,"quantity":1,"unit_price":{"amount":1,"currency":"EUR"}}`, p)))
	s.must(s.admin.SetPrice(s.Context(), p, domain.Cents(2001)))
	s.say("a price that changed counts at once", get(cart))
}

func unknown(s *script) {
	p := s.products[0]
	cart := "/carts/" + s.say("a cart", request{method: http.MethodPost, path: "/carts"})
	for _, id := range []string{unknownID, "6FA459EA-EE8A-4CA4-894E-DB77E160355E", "1", "%20"} {
		s.say("no such cart", get("/carts/"+id))
		s.say("no such cart to add to", send(http.MethodPost, "/carts/"+id+"/items", item(p, 1)))
		s.say("no such cart to set in", send(http.MethodPut, fmt.Sprintf("/carts/%s/items/%d", id, p), `{"quantity":1}`))
		s.say("no such cart to remove from", request{method: http.MethodDelete, path: fmt.Sprintf("/carts/%s/items/%d", id, p)})
		s.say("no such order", get("/orders/"+id))
	}
	s.say("no such product to add", send(http.MethodPost, cart+"/items", `{"product_id":`+unknownProduct+`,"quantity":1}`))
	for _, id := range []string{unknownProduct, "0", "abc"} {
		s.say("no such product to set", send(http.MethodPut, cart+"/items/"+id, `{"quantity":1}`))
	}
	s.say("a product that is not there is removed", request{method: http.MethodDelete, path: cart + "/items/" + unknownProduct})
	s.say("what is no product is not", request{method: http.MethodDelete, path: cart + "/items/abc"})
	s.say("nothing of it all is in the cart", get(cart))
}

func orders(s *script) {
	id := s.say("a cart", request{method: http.MethodPost, path: "/carts"})
	order := send(http.MethodPost, "/orders", fmt.Sprintf(`{"cart_id":%q}`, id))
	s.say("nothing to order", order)
	kept, gone := s.add("kept", 1000), s.add("gone", 250)
	s.say("two of a product", send(http.MethodPost, "/carts/"+id+"/items", item(kept, 2)))
	s.say("one of another", send(http.MethodPost, "/carts/"+id+"/items", item(gone, 1)))
	s.must(s.admin.SetPrice(s.Context(), kept, domain.Cents(1105)))
	s.must(s.admin.Withdraw(s.Context(), gone))
	s.say("the other is withdrawn", get("/carts/"+id))
	s.say("it cannot be ordered", order)
	s.say("it is removed", request{method: http.MethodDelete, path: fmt.Sprintf("/carts/%s/items/%d", id, gone)})
	placed := "/orders/" + s.say("the rest, at the new price", order)
	s.say("the cart is empty again", get("/carts/"+id))
	s.say("so there is nothing to order", order)
	s.must(s.admin.SetPrice(s.Context(), kept, domain.Cents(9999)))
	s.must(s.admin.Withdraw(s.Context(), kept))
	s.say("the order keeps its price", get(placed))
	s.say("its headers only", request{method: http.MethodHead, path: placed})
	s.say("an order's id is no cart's", get(strings.Replace(placed, "/orders/", "/carts/", 1)))
	s.say("a cart's id is no order's", get("/orders/"+id))
	s.say("an unknown cart", send(http.MethodPost, "/orders", `{"cart_id":"`+unknownID+`"}`))
	for _, bad := range []string{`"1"`, `""`, "1", "null", `["x"]`, `"` + strings.ToUpper(unknownID[:35]) + `A"`} {
		s.say("what is no cart", send(http.MethodPost, "/orders", `{"cart_id":`+bad+`}`))
	}
	s.say("no cart", send(http.MethodPost, "/orders", `{}`))
}
