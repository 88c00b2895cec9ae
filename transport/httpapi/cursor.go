package httpapi

import (
	"encoding/base64"
	"encoding/binary"

	"splitshop/domain"
)

// cursorVersion is a cursor's first byte, so that another order of listing can have other cursors.
const cursorVersion = 1

// Cursor returns the text that continues a listing after a product. It is opaque: clients take theirs from an answer.
func Cursor(after domain.ProductID) string {
	var b [9]byte
	b[0] = cursorVersion
	binary.BigEndian.PutUint64(b[1:], uint64(after))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// parseCursor reads what Cursor wrote for a product and nothing else.
func parseCursor(s string) (domain.ProductID, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 9 || b[0] != cursorVersion {
		return 0, false
	}
	id := domain.ProductID(binary.BigEndian.Uint64(b[1:]))
	return id, id >= 1 && Cursor(id) == s // DecodeString skips line ends
}
