package load

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

var errTooLong = fmt.Errorf("the answer is longer than %d bytes", MaxBody)

// body appends an answer's body to dst. An answer without a length ends with its connection.
func (r *reader) body(dst []byte, h *head) ([]byte, error) {
	switch {
	case h.chunked:
		return r.chunks(dst)
	case h.length >= 0:
		return r.append(dst, h.length)
	}
	h.last = true
	return r.rest(dst)
}

// append appends the next n bytes to dst, reading past the buffer what is not in it yet.
func (r *reader) append(dst []byte, n int64) ([]byte, error) {
	if int64(len(dst))+n > MaxBody {
		return dst, errTooLong
	}
	have := min(int(n), r.end-r.pos)
	dst = append(dst, r.buf[r.pos:r.pos+have]...)
	r.pos += have
	missing := int(n) - have
	if missing == 0 {
		return dst, nil
	}
	dst = slices.Grow(dst, missing)
	got, err := io.ReadFull(r.from, dst[len(dst):len(dst)+missing])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return dst[:len(dst)+got], err
}

// rest appends everything up to the end of the connection.
func (r *reader) rest(dst []byte) ([]byte, error) {
	for {
		if len(dst)+r.end-r.pos > MaxBody {
			return dst, errTooLong
		}
		dst = append(dst, r.buf[r.pos:r.end]...)
		r.pos, r.end = 0, 0
		n, err := r.from.Read(r.buf)
		r.end = n
		switch {
		case n == 0 && err == io.EOF:
			return dst, nil
		case n == 0 && err != nil:
			return dst, err
		}
	}
}

// chunks appends a chunked body to dst and reads the trailers after it, which nobody wants.
func (r *reader) chunks(dst []byte) ([]byte, error) {
	for extensions := 0; ; {
		line, err := r.line()
		if err != nil {
			return dst, err
		}
		digits, extension, _ := bytes.Cut(line, []byte{';'})
		if extensions += len(line) - len(digits); extensions > 4<<10 {
			return dst, errExtension
		}
		size, ok := hexadecimal(digits)
		if !ok || !isText(extension) {
			return dst, errChunk
		}
		r.lines += len(digits) + 2 // a long body may have many chunks: only extensions and trailers count
		if size == 0 {
			return dst, r.trailers()
		}
		if dst, err = r.append(dst, size); err != nil {
			return dst, err
		}
		if err := r.chunkEnd(); err != nil {
			return dst, err
		}
	}
}

// chunkEnd takes the two bytes after a chunk.
func (r *reader) chunkEnd() error {
	for r.end-r.pos < 2 {
		if err := r.fill(); err != nil {
			return err
		}
	}
	if r.buf[r.pos] != '\r' || r.buf[r.pos+1] != '\n' {
		return errChunk
	}
	r.pos += 2
	return nil
}

func (r *reader) trailers() error {
	for {
		line, err := r.line()
		if err != nil || len(line) == 0 {
			return err
		}
		if _, _, err := splitField(line); err != nil {
			return err
		}
	}
}

func hexadecimal(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | int64(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | int64(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return n, 0 < len(digits) && len(digits) <= 8
}
