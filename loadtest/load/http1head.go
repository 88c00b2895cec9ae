package load

import (
	"bytes"
	"strings"
)

// head is what matters of a status line and headers.
type head struct {
	status   int
	length   int64 // of the body; -1 where it is not given
	location string
	located  bool // the first Location counts
	chunked  bool
	old      bool // HTTP/1.0
	stays    bool // it said "keep-alive", which only matters to HTTP/1.0
	last     bool // the connection ends with this answer
}

func (h *head) statusLine(line []byte) error {
	const before = len("HTTP/1.1 ")
	if len(line) < before+3 || len(line) > before+3 && line[before+3] != ' ' || !isText(line) {
		return errStatus
	}
	switch string(line[:before]) {
	case "HTTP/1.1 ":
	case "HTTP/1.0 ":
		h.old = true
	default:
		return errStatus
	}
	for _, c := range line[before : before+3] {
		if c < '0' || c > '9' {
			return errStatus
		}
		h.status = h.status*10 + int(c-'0')
	}
	if h.status < 100 || h.status > 599 {
		return errStatus
	}
	return nil
}

// field notes one header line.
func (h *head) field(line []byte) error {
	name, value, err := splitField(line)
	switch {
	case err != nil:
		return err
	case is(name, "content-length"):
		return h.contentLength(value)
	case is(name, "transfer-encoding"):
		if h.chunked || !is(value, "chunked") {
			return errCoding
		}
		h.chunked = true
	case is(name, "connection"):
		h.last = h.last || lists(value, "close")
		h.stays = h.stays || lists(value, "keep-alive")
	case is(name, "location"):
		if !h.located {
			h.located, h.location = true, string(value)
		}
	case is(name, "trailer"):
		if lists(value, "content-length") || lists(value, "transfer-encoding") || lists(value, "trailer") {
			return errTrailer
		}
	}
	return nil
}

func (h *head) contentLength(value []byte) error {
	if h.length >= 0 || len(value) == 0 || len(value) > 18 { // 18 digits fit an int64
		return errLength
	}
	h.length = 0
	for _, c := range value {
		if c < '0' || c > '9' {
			return errLength
		}
		h.length = h.length*10 + int64(c-'0')
	}
	return nil
}

// check looks at the whole, and settles whether the connection can be kept.
func (h *head) check() error {
	switch {
	case h.chunked && (h.old || h.length >= 0):
		return errCoding
	case h.status == 101 || h.status < 200 && (h.chunked || h.length >= 0):
		return errInterim
	}
	h.last = h.last || h.old && !h.stays
	return nil
}

// splitField returns the name of a header line and its value without the white space around it.
func splitField(line []byte) (name, value []byte, err error) {
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok || len(name) == 0 || !isText(value) {
		return nil, nil, errField
	}
	for _, c := range name {
		if !isTokenByte(c) {
			return nil, nil, errField
		}
	}
	return name, trim(value), nil
}

func isTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-!#$%&'*+.^_`|~", c) >= 0
}

// isText says that there is no control character but tabs.
func isText(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// is compares without regard to the case of ASCII letters; word is in lower case.
func is(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// lists says whether a list separated by commas has a word.
func lists(value []byte, word string) bool {
	for more := true; more; {
		var element []byte
		element, value, more = bytes.Cut(value, []byte{','})
		if is(trim(element), word) {
			return true
		}
	}
	return false
}
