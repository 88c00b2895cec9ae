package domain

import (
	"fmt"
	"math"
)

// Currency is the shop's currency (ISO 4217). Every price is in it.
const Currency = "EUR"

// Money is an amount in minor units (cents) of a currency. There are no fractions of a minor unit, so sums are exact.
type Money struct {
	Amount   int64  // minor units
	Currency string // ISO 4217
}

// Cents returns n minor units of the shop's currency.
func Cents(n int64) Money { return Money{Amount: n, Currency: Currency} }

// Add returns m + o. Amounts of two currencies, or a sum outside int64, are Internal: the limits exclude both.
func (m Money) Add(o Money) (Money, error) {
	if m.Currency != o.Currency {
		return Money{}, Wrap(Internal, fmt.Errorf("adding %v to %v", o, m))
	}
	sum := m.Amount + o.Amount
	if (sum > m.Amount) != (o.Amount > 0) {
		return Money{}, Wrap(Internal, fmt.Errorf("adding %v to %v overflows", o, m))
	}
	return Money{Amount: sum, Currency: m.Currency}, nil
}

// Times returns m taken n times. A product outside int64 is Internal.
func (m Money) Times(n int) (Money, error) {
	product := m.Amount * int64(n)
	if n != 0 && (product/int64(n) != m.Amount || (n == -1 && m.Amount == math.MinInt64)) {
		return Money{}, Wrap(Internal, fmt.Errorf("%v times %d overflows", m, n))
	}
	return Money{Amount: product, Currency: m.Currency}, nil
}

// String returns the amount as people write it: "124.90 EUR".
func (m Money) String() string {
	sign, units := "", uint64(m.Amount)
	if m.Amount < 0 {
		sign, units = "-", -uint64(m.Amount)
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, units/100, units%100, m.Currency)
}
