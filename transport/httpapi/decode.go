package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// member is a required member of a request body and where its value goes: *int, *int64 or *string.
type member struct {
	name string
	into any
}

// decodeObject reads body as one JSON object of exactly these members, each once. The bodies of this API are flat, so the
// first nested value ends the reading, however deep it goes. Invalid, naming the member or the byte where reading ended.
func decodeObject(body []byte, members ...member) error {
	if !utf8.Valid(body) { // encoding/json would put U+FFFD in its place
		return badRequest("", fmt.Sprintf("the body is not UTF-8, at byte %d", validPrefix(body)))
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	switch opening, err := dec.Token(); {
	case err != nil:
		return notJSON(dec, err)
	case opening != json.Delim('{'):
		return badRequest("", "the body is not a JSON object")
	}
	seen := make([]bool, len(members))
	for dec.More() {
		if err := decodeMember(dec, members, seen); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return notJSON(dec, err)
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badRequest("", fmt.Sprintf("the body goes on after its object, at byte %d", end))
	}
	if i := slices.Index(seen, false); i >= 0 {
		return badRequest(members[i].name, members[i].name+" is missing")
	}
	return nil
}

// decodeMember reads one name and its value.
func decodeMember(dec *json.Decoder, members []member, seen []bool) error {
	key, err := dec.Token()
	if err != nil {
		return notJSON(dec, err)
	}
	name, ok := key.(string)
	if !ok {
		return notJSON(dec, errors.New("a member without a name"))
	}
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	if i < 0 {
		return badRequest(name, "a body of this route has no such member")
	}
	if seen[i] {
		return badRequest(name, name+" is given twice")
	}
	seen[i] = true
	value, err := dec.Token()
	if err != nil {
		return notJSON(dec, err)
	}
	return members[i].set(value)
}

// set gives the member a value of its own type and no other.
func (m member) set(value json.Token) error {
	wanted, ok := "a whole number, in digits, of 64 bits", false
	switch into := m.into.(type) {
	case *string:
		wanted = "a string"
		*into, ok = value.(string)
	case *int:
		var n int64
		n, ok = wholeNumber(value, strconv.IntSize)
		*into = int(n)
	case *int64:
		*into, ok = wholeNumber(value, 64)
	}
	if !ok {
		return badRequest(m.name, m.name+" is not "+wanted)
	}
	return nil
}

// wholeNumber reads digits with or without a minus sign; 1.0 and 1e2 are not written so.
func wholeNumber(value json.Token, bits int) (int64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(number.String(), 10, bits)
	return n, err == nil
}

func notJSON(dec *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badRequest("", "the body ends before its JSON object does")
	}
	return badRequest("", fmt.Sprintf("the body is not JSON, at byte %d", dec.InputOffset()))
}

// validPrefix counts the bytes before the first that is not UTF-8.
func validPrefix(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(b)
}
