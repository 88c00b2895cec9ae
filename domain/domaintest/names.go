package domaintest

import (
	"strings"

	"splitshop/domain"
)

func nameChecks() []check {
	var checks []check
	for _, tt := range []struct{ name, product string }{
		{"accents", "Crème brûlée à l'Échalote, Größe Ⅷ, Łódź"},
		{"combining accents stay apart", "e\u0301 is not \u00e9"},
		{"emoji", "🦊 fox 👩‍👩‍👧‍👦 🏳️‍🌈"},
		{"right to left", "שלום \u202bعالم\u202c 123"},
		{"slash", "AC/DC ../../etc/passwd //"},
		{"percent and plus", "100% a+b%2F%00"},
		{"200 letters", strings.Repeat("x", 200)},
		{"200 code points of four bytes", strings.Repeat("𝄞", 200)},
		{"one letter", "x"},
		{"quotes", `"double" 'single' ''`},
		{"backslash", `C:\new\table \u0041 \\`},
		{"HTML", `<script>alert("1 & 2 > 0")</script>&amp;`},
		{"SQL", `'); DROP TABLE products; --`},
		{"leading and trailing space", "  x  "},
		{"a space", " "},
		{"line breaks and tabs", "a\nb\r\nc\td"},
		{"control characters", "\x01\x1b[31m\x7f"},
		{"line separators of JavaScript", "a\u2028b\u2029c"},
		{"noncharacters and a byte order mark", "\ufeffa\uffff\ufdd0"},
		{"replacement character", "a\ufffdb"},
		{"Chinese and Japanese", "日本語の商品 漢字"},
	} {
		checks = append(checks, check{tt.name, func(s *shopper) { nameStays(s, tt.product) }})
	}
	return checks
}

// nameStays looks for a product's name everywhere it is shown: the same bytes.
func nameStays(s *shopper, name string) {
	p := s.named(name, 100)
	product, err := s.Shop.Product(s.Context(), p)
	s.must(err, "asking for the product")
	s.equal("name of the product", product.Name, name)
	if page := s.page(p-1, 1); len(page.Products) == 1 {
		s.equal("name on a page", page.Products[0].Name, name)
	} else {
		s.Errorf("the product is not listed: %v", page)
	}
	id := s.cart()
	s.equal("name in the answer to add", s.add(id, p, 1).Name, name)
	s.equal("name in the answer to set", s.set(id, p, 1).Name, name)
	inLines := func(where string, lines []domain.Line) {
		for _, l := range lines {
			s.equal("name "+where, l.Name, name)
		}
		s.equal("lines "+where, len(lines), 1)
	}
	inLines("in the cart", s.view(id).Lines)
	order := s.order(id)
	inLines("in the order", order.Lines)
	inLines("in the stored order", s.stored(order.ID).Lines)
}
