package domain_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"splitshop/domain"
)

func TestCheckItem(t *testing.T) {
	t.Parallel()
	const product, quantity = "a product id is a whole number from 1", "quantity is a whole number from 1 to 999"
	for _, tt := range []struct {
		item          domain.Item
		field, detail string // none: it may be put in a cart
	}{
		{domain.Item{ProductID: 1, Quantity: 1}, "", ""},
		{domain.Item{ProductID: math.MaxInt64, Quantity: 999}, "", ""},
		{domain.Item{ProductID: 1, Quantity: 0}, "quantity", quantity},
		{domain.Item{ProductID: 1, Quantity: -1}, "quantity", quantity},
		{domain.Item{ProductID: 1, Quantity: 1000}, "quantity", quantity},
		{domain.Item{ProductID: 1, Quantity: math.MaxInt}, "quantity", quantity},
		{domain.Item{ProductID: 1, Quantity: math.MinInt}, "quantity", quantity},
		{domain.Item{ProductID: 0, Quantity: 1}, "product_id", product},
		{domain.Item{ProductID: -1, Quantity: 1}, "product_id", product},
		{domain.Item{ProductID: 0, Quantity: 0}, "product_id", product},
	} {
		t.Run(fmt.Sprint(tt.item), func(t *testing.T) {
			t.Parallel()
			wantCheck(t, domain.CheckItem(tt.item), tt.field, tt.detail)
		})
	}
}

func TestCheckPage(t *testing.T) {
	t.Parallel()
	const limit, after = "limit is a whole number from 1 to 100", "after is not a cursor of this shop"
	for _, tt := range []struct {
		after         domain.ProductID
		limit         int
		field, detail string
	}{
		{0, 1, "", ""},
		{0, domain.DefaultPage, "", ""},
		{math.MaxInt64, 100, "", ""},
		{0, 0, "limit", limit},
		{0, -1, "limit", limit},
		{0, 101, "limit", limit},
		{0, math.MaxInt, "limit", limit},
		{-1, 1, "after", after},
		{math.MinInt64, 100, "after", after},
		{-1, 0, "limit", limit},
	} {
		t.Run(fmt.Sprintf("%d after %d", tt.limit, tt.after), func(t *testing.T) {
			t.Parallel()
			wantCheck(t, domain.CheckPage(tt.after, tt.limit), tt.field, tt.detail)
		})
	}
}

func TestCheckLookup(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100} {
		wantCheck(t, domain.CheckLookup(make([]domain.ProductID, n)), "", "")
	}
	wantCheck(t, domain.CheckLookup(make([]domain.ProductID, 101)), "product_id", "at most 100 products are looked up at once")
}

func TestCheckProduct(t *testing.T) {
	t.Parallel()
	const name, price = "a name is 1 to 200 code points of UTF-8", "a price is 1 to 1000000000 minor units of EUR"
	for _, tt := range []struct {
		name, product string
		price         domain.Money
		field, detail string
	}{
		{"one letter for a cent", "x", domain.Cents(1), "", ""},
		{"200 code points at the highest price", strings.Repeat("𝄞", 200), domain.Cents(1_000_000_000), "", ""},
		{"replacement character", "\ufffd", domain.Cents(1), "", ""},
		{"no name", "", domain.Cents(1), "name", name},
		{"201 code points", strings.Repeat("x", 201), domain.Cents(1), "name", name},
		{"not UTF-8", "a\xffb", domain.Cents(1), "name", name},
		{"half a surrogate pair", "\xed\xa0\x80", domain.Cents(1), "name", name},
		{"NUL", "a\x00b", domain.Cents(1), "name", "a name holds no NUL character"},
		{"NUL alone", "\x00", domain.Cents(1), "name", "a name holds no NUL character"},
		{"free", "x", domain.Cents(0), "price", price},
		{"negative price", "x", domain.Cents(-1), "price", price},
		{"too dear", "x", domain.Cents(1_000_000_001), "price", price},
		{"another currency", "x", domain.Money{Amount: 1, Currency: "CHF"}, "price", price},
		{"no currency", "x", domain.Money{Amount: 1}, "price", price},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantCheck(t, domain.CheckProduct(domain.Product{Name: tt.product, Price: tt.price}), tt.field, tt.detail)
		})
	}
}

// wantCheck wants no error where field is "", else Invalid with this field and these words.
func wantCheck(t *testing.T, err error, field, detail string) {
	t.Helper()
	if field != "" {
		wantRefusal(t, err, domain.Invalid, field, detail)
	} else if err != nil {
		t.Errorf("refused: %v", err)
	}
}
