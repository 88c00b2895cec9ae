package domain

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ProductID identifies a product: 1, 2, 3, ... It is no secret.
type ProductID int64

// CartID identifies a cart, and whoever knows it may use it: 122 random bits (a version 4 UUID, RFC 9562).
type CartID [16]byte

// OrderID identifies an order, and whoever knows it may read it: 122 random bits.
type OrderID [16]byte

// NewCartID returns an id nobody can guess.
func NewCartID() CartID { return CartID(newUUID()) }

// NewOrderID returns an id nobody can guess.
func NewOrderID() OrderID { return OrderID(newUUID()) }

// String returns the id's one text form, 36 lower-case characters.
func (id CartID) String() string { return formatUUID(id) }

// String returns the id's one text form, 36 lower-case characters.
func (id OrderID) String() string { return formatUUID(id) }

// ParseCartID reads what String wrote and nothing else. Invalid.
func ParseCartID(s string) (CartID, error) {
	id, err := parseUUID("cart_id", s)
	return CartID(id), err
}

// ParseOrderID reads what String wrote and nothing else. Invalid.
func ParseOrderID(s string) (OrderID, error) {
	id, err := parseUUID("order_id", s)
	return OrderID(id), err
}

// ParseProductID reads a positive decimal number without sign or leading zero. Invalid.
func ParseProductID(s string) (ProductID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, invalid("product_id", "a product id is a whole number from 1")
	}
	return ProductID(n), nil
}

func newUUID() (id [16]byte) {
	rand.Read(id[:]) // never fails: crypto/rand ends the program instead
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

func formatUUID(id [16]byte) string {
	var s [36]byte
	hex.Encode(s[:8], id[:4])
	s[8] = '-'
	hex.Encode(s[9:13], id[4:6])
	s[13] = '-'
	hex.Encode(s[14:18], id[6:8])
	s[18] = '-'
	hex.Encode(s[19:23], id[8:10])
	s[23] = '-'
	hex.Encode(s[24:], id[10:])
	return string(s[:])
}

func parseUUID(field, s string) (id [16]byte, err error) {
	bad := invalid(field, "an id is 36 characters, such as 6fa459ea-ee8a-4ca4-894e-db77e160355e")
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, bad
	}
	if _, err := hex.Decode(id[:], fmt.Append(nil, s[:8], s[9:13], s[14:18], s[19:23], s[24:])); err != nil || formatUUID(id) != s {
		return [16]byte{}, bad
	}
	return id, nil
}
