package domain_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"testing/quick"

	"splitshop/domain"
)

func ExampleMoney_String() {
	price := domain.Cents(1249)
	seven, _ := price.Times(7)
	three, _ := price.Times(3)
	sum, _ := seven.Add(three)
	fmt.Println(price, sum, domain.Cents(-5))
	// Output: 12.49 EUR 124.90 EUR -0.05 EUR
}

func TestMoneyString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		money domain.Money
		want  string
	}{
		{domain.Cents(0), "0.00 EUR"},
		{domain.Cents(5), "0.05 EUR"},
		{domain.Cents(105), "1.05 EUR"},
		{domain.Cents(-105), "-1.05 EUR"},
		{domain.Cents(math.MaxInt64), "92233720368547758.07 EUR"},
		{domain.Cents(math.MinInt64), "-92233720368547758.08 EUR"},
		{domain.Money{Amount: 100, Currency: "CHF"}, "1.00 CHF"},
	} {
		if got := tt.money.String(); got != tt.want {
			t.Errorf("%d %s reads %q, want %q", tt.money.Amount, tt.money.Currency, got, tt.want)
		}
	}
}

// edges are the amounts around which arithmetic goes wrong; random numbers alone would hardly meet them.
var edges = []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -1 << 31, -2, -1, 0, 1, 2, 99, 105, 999, 1999,
	1<<31 - 1, 1 << 31, 1 << 32, 1 << 53, domain.MaxPrice, math.MaxInt64 - 1, math.MaxInt64}

func TestMoneyAddsExactlyOrNotAtAll(t *testing.T) {
	t.Parallel()
	exact := func(a, b int64) bool {
		got, err := domain.Cents(a).Add(domain.Cents(b))
		return exactly(got, err, new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
	}
	checkPairs(t, exact)
}

func TestMoneyMultipliesExactlyOrNotAtAll(t *testing.T) {
	t.Parallel()
	exact := func(a, n int64) bool {
		got, err := domain.Cents(a).Times(int(n))
		return exactly(got, err, new(big.Int).Mul(big.NewInt(a), big.NewInt(n)))
	}
	checkPairs(t, exact)
}

// checkPairs checks a property for every pair of edges and for random numbers.
func checkPairs(t *testing.T, property func(a, b int64) bool) {
	t.Helper()
	for _, a := range edges {
		for _, b := range edges {
			if !property(a, b) {
				t.Errorf("wrong for %d and %d", a, b)
			}
		}
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
	small := func(a, b int32) bool { return property(int64(a), int64(b)) } // most products of these are inside int64
	if err := quick.Check(small, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

// exactly says whether got is want in euros or, where int64 cannot hold want, err is Internal and got nothing.
func exactly(got domain.Money, err error, want *big.Int) bool {
	if !want.IsInt64() {
		return err != nil && domain.KindOf(err) == domain.Internal && got == domain.Money{}
	}
	return err == nil && got == domain.Cents(want.Int64())
}

func TestMoneyOfTwoCurrenciesIsNotAdded(t *testing.T) {
	t.Parallel()
	got, err := domain.Cents(1).Add(domain.Money{Amount: 1, Currency: "CHF"})
	if got != (domain.Money{}) || err == nil || domain.KindOf(err) != domain.Internal {
		t.Errorf("got %v and %v, want nothing and Internal", got, err)
	}
}

func TestTimesKeepsCurrency(t *testing.T) {
	t.Parallel()
	got, err := domain.Money{Amount: 3, Currency: "CHF"}.Times(2)
	if want := (domain.Money{Amount: 6, Currency: "CHF"}); got != want || err != nil {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}

// TestLargestTotalIsExactInJSON is why MaxPrice is what it is: a JSON reader may keep numbers as float64.
func TestLargestTotalIsExactInJSON(t *testing.T) {
	t.Parallel()
	const largest = domain.MaxLines * domain.MaxQuantity * domain.MaxPrice
	if largest >= 1<<53 {
		t.Errorf("a cart's largest total is %d, at or above 2^53", int64(largest))
	}
}
