package load

import (
	"bytes"
	"io"
	"slices"
)

// maxLines is the most that one answer's lines may take: status lines, headers, trailers and the lines between chunks.
const maxLines = 64 << 10

// malformed says in what an answer is not HTTP/1.1 as this client reads it.
type malformed string

func (m malformed) Error() string { return "malformed answer: " + string(m) }

// The ways in which an answer is malformed. Some are stricter than net/http, on purpose: what is sloppy here is a fault of
// the server measured, or means that bytes of one answer are taken for another's.
const (
	errLine      malformed = "a line does not end in CR LF" // net/http takes a bare LF, and a CR before it
	errLines     malformed = "more than 64 KiB of status line and headers"
	errStatus    malformed = "not a status line: HTTP/1.1 or 1.0, one space, 100 to 599"
	errField     malformed = "not a header: a name, a colon, visible text" // a continued line (obs-fold) is not either
	errLength    malformed = "Content-Length is not one number, or is given twice"
	errCoding    malformed = "a Transfer-Encoding other than chunked, or twice, or of HTTP/1.0, or beside a Content-Length"
	errTrailer   malformed = "a trailer that would change the framing"
	errInterim   malformed = "an interim answer with a body, or an unasked change of protocol"
	errChunk     malformed = "not a chunk: a hexadecimal size of 8 digits at most, CR LF, that many bytes, CR LF"
	errExtension malformed = "more than 4 KiB of chunk extensions"
)

// reader reads answers from a connection, one after the other.
type reader struct {
	from     io.Reader
	buf      []byte
	pos, end int // what has come and was not taken
	lines    int // how much the current answer's lines may still take
}

// bufferSize holds a page of products with its headers, which is then one read.
const bufferSize = 8 << 10

func newReader(from io.Reader) reader { return reader{from: from, buf: make([]byte, bufferSize)} }

// answer reads one answer into resp, whose body must be empty. keep says that the connection can take another request.
func (r *reader) answer(method string, resp *Response) (keep bool, err error) {
	r.lines = maxLines
	h, err := r.head()
	for err == nil && h.status < 200 { // what announces the answer
		h, err = r.head()
	}
	if err != nil {
		return false, err
	}
	if method != "HEAD" && h.status != 204 && h.status != 304 {
		if resp.Body, err = r.body(resp.Body, &h); err != nil {
			return false, err
		}
	}
	resp.Status, resp.Location = h.status, h.location
	return !h.last && r.pos == r.end, nil // bytes that nobody asked for: whose would they be?
}

// head reads a status line and the headers up to the empty line.
func (r *reader) head() (head, error) {
	line, err := r.line()
	if err != nil {
		return head{}, err
	}
	h := head{length: -1}
	if err := h.statusLine(line); err != nil {
		return h, err
	}
	for {
		line, err := r.line()
		if err != nil {
			return h, err
		}
		if len(line) == 0 {
			return h, h.check()
		}
		if err := h.field(line); err != nil {
			return h, err
		}
	}
}

// line returns the next line without its end. The next read overwrites it.
func (r *reader) line() ([]byte, error) {
	for searched := 0; ; {
		if i := bytes.IndexByte(r.buf[r.pos+searched:r.end], '\n'); i >= 0 {
			line := r.buf[r.pos : r.pos+searched+i]
			r.pos += len(line) + 1
			r.lines -= len(line) + 1
			last := len(line) - 1
			switch {
			case r.lines < 0:
				return nil, errLines
			case last < 0 || line[last] != '\r':
				return nil, errLine
			}
			return line[:last], nil
		}
		searched = r.end - r.pos
		if searched > r.lines {
			return nil, errLines
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads once more, in the midst of something: the end is unexpected.
func (r *reader) fill() error {
	r.end = copy(r.buf, r.buf[r.pos:r.end])
	r.pos = 0
	if r.end == len(r.buf) {
		r.buf = slices.Grow(r.buf, len(r.buf))
		r.buf = r.buf[:cap(r.buf)]
	}
	n, err := r.from.Read(r.buf[r.end:])
	r.end += n
	switch {
	case n > 0:
		return nil
	case err == io.EOF || err == nil:
		return io.ErrUnexpectedEOF
	}
	return err
}
