package domain_test

import (
	"math/bits"
	"strings"
	"testing"

	"splitshop/domain"
)

const anID = "6fa459ea-ee8a-4ca4-894e-db77e160355e"

func TestIDsReadBack(t *testing.T) {
	t.Parallel()
	for range 100 {
		cart, order := domain.NewCartID(), domain.NewOrderID()
		if got, err := domain.ParseCartID(cart.String()); got != cart || err != nil {
			t.Errorf("cart id %v reads back as %v, %v", cart, got, err)
		}
		if got, err := domain.ParseOrderID(order.String()); got != order || err != nil {
			t.Errorf("order id %v reads back as %v, %v", order, got, err)
		}
	}
}

func TestIDTextForm(t *testing.T) {
	t.Parallel()
	id, err := domain.ParseCartID(anID)
	want := domain.CartID{0x6f, 0xa4, 0x59, 0xea, 0xee, 0x8a, 0x4c, 0xa4, 0x89, 0x4e, 0xdb, 0x77, 0xe1, 0x60, 0x35, 0x5e}
	if id != want || err != nil || id.String() != anID {
		t.Errorf("%s reads %x and writes %s, %v", anID, id[:], id, err)
	}
}

// TestIDsAreRandom counts how often each bit is set: 122 half the time, 6 fixed by RFC 9562.
func TestIDsAreRandom(t *testing.T) {
	t.Parallel()
	const n = 4000 // a fair bit is set 2000 +- 32 times
	var set [128]int
	seen := map[domain.CartID]bool{}
	for range n {
		id := domain.NewCartID()
		if seen[id] || id[6]>>4 != 4 || id[8]>>6 != 0b10 {
			t.Fatalf("id %v is given out twice or no version 4 UUID", id)
		}
		seen[id] = true
		for i := range set {
			set[i] += bits.OnesCount8(id[i/8] << (i % 8) & 0x80)
		}
	}
	fixed := 0
	for i, times := range set {
		switch {
		case times == 0 || times == n:
			fixed++
		case times < n/2-250 || times > n/2+250:
			t.Errorf("bit %d is set %d times of %d", i, times, n)
		}
	}
	if fixed != 6 {
		t.Errorf("%d bits never change, want 6", fixed)
	}
}

func TestIDsOfOtherFormsAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text string }{
		{"nothing", ""},
		{"upper case", strings.ToUpper(anID)},
		{"one upper-case letter", strings.Replace(anID, "f", "F", 1)},
		{"braces", "{" + anID + "}"},
		{"URN", "urn:uuid:" + anID},
		{"no hyphens", strings.ReplaceAll(anID, "-", "")},
		{"a space before", " " + anID},
		{"a space after", anID + " "},
		{"a line break after", anID + "\n"},
		{"one character less", anID[1:]},
		{"one character more", anID + "0"},
		{"no hexadecimal digit", "g" + anID[1:]},
		{"a hyphen for a digit", "-" + anID[1:]},
		{"hyphens elsewhere", "6fa459e-aee8a-4ca4-894e-db77e160355e"},
		{"other hyphens", strings.ReplaceAll(anID, "-", "_")},
		{"wide digits", "６" + anID[3:]},
		{"a NUL byte", "\x00" + anID[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const words = "an id is 36 characters, such as " + anID
			cart, err := domain.ParseCartID(tt.text)
			if cart != (domain.CartID{}) {
				t.Errorf("cart id %v from %q", cart, tt.text)
			}
			wantRefusal(t, err, domain.Invalid, "cart_id", words)
			order, err := domain.ParseOrderID(tt.text)
			if order != (domain.OrderID{}) {
				t.Errorf("order id %v from %q", order, tt.text)
			}
			wantRefusal(t, err, domain.Invalid, "order_id", words)
		})
	}
}

func TestParseProductID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]domain.ProductID{"1": 1, "42": 42, "9223372036854775807": 1<<63 - 1} {
		if got, err := domain.ParseProductID(text); got != want || err != nil {
			t.Errorf("%q reads %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "+1", "01", "1.0", "1e3", "0x1", "1_000", " 1", "1 ", "1\n", "one", "١",
		"9223372036854775808", "18446744073709551617", strings.Repeat("9", 1000)} {
		got, err := domain.ParseProductID(text)
		if got != 0 {
			t.Errorf("%q reads %d", text, got)
		}
		wantRefusal(t, err, domain.Invalid, "product_id", "a product id is a whole number from 1")
	}
}

// The fuzz targets hold one property: what is read is what would be written, and nothing else is read.

func FuzzParseCartID(f *testing.F) {
	fuzzID(f, func(s string) (string, bool, error) {
		id, err := domain.ParseCartID(s)
		return id.String(), id == domain.CartID{}, err
	})
}

func FuzzParseOrderID(f *testing.F) {
	fuzzID(f, func(s string) (string, bool, error) {
		id, err := domain.ParseOrderID(s)
		return id.String(), id == domain.OrderID{}, err
	})
}

func fuzzID(f *testing.F, parse func(string) (text string, zero bool, err error)) {
	const zero = "00000000-0000-0000-0000-000000000000"
	for _, s := range []string{"", anID, strings.ToUpper(anID), zero, anID[1:], "{" + anID + "}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, zero, err := parse(s)
		switch {
		case err == nil && text != s:
			t.Errorf("%q reads as %q", s, text)
		case err != nil && (!zero || domain.KindOf(err) != domain.Invalid):
			t.Errorf("%q is refused with %v and reads as %q", s, err, text)
		}
	})
}

func FuzzParseProductID(f *testing.F) {
	for _, s := range []string{"", "1", "0", "-1", "01", "9223372036854775807", "9223372036854775808", "1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := domain.ParseProductID(s)
		switch {
		case err == nil && (id < 1 || strings.TrimLeft(s, "0123456789") != "" || s[0] == '0'):
			t.Errorf("%q reads as %d", s, id)
		case err != nil && (id != 0 || domain.KindOf(err) != domain.Invalid):
			t.Errorf("%q is refused with %v and reads as %d", s, err, id)
		}
	})
}
