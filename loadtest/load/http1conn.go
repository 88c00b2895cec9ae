package load

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"
)

const userAgent = "splitshop-loadtest"

// conn is one connection of an HTTP1. One exchange at a time owns it; only what stands under mu is shared, with interrupt.
type conn struct {
	socket net.Conn
	quiet  func() bool // nothing came since the last answer: neither the end nor bytes that nobody asked for
	out    []byte
	in     reader
	used   time.Time // the start of the exchange before: later than its end would be, hence on the safe side

	mu       sync.Mutex
	deadline time.Time       // as the socket has it; zero: none that can be relied on
	done     <-chan struct{} // of the context that interrupts
	unwatch  func() bool
}

func newConn(socket net.Conn) *conn {
	return &conn{socket: socket, quiet: quiet(socket), in: newReader(socket), unwatch: func() bool { return true }}
}

func (c *conn) close() {
	c.unwatch()
	c.socket.Close()
}

// exchange sends a request and reads its answer. keep says that the connection can take another.
func (c *conn) exchange(ctx context.Context, t *HTTP1, start time.Time, req *Request, resp *Response) (keep bool, err error) {
	if err := c.begin(ctx, start, t.timeout); err != nil {
		return false, err
	}
	c.used = start
	if err := c.send(t, req); err != nil {
		return false, err
	}
	return c.in.answer(req.Method, resp)
}

// begin lets the exchange be interrupted by its context, and by its timeout. Neither costs anything in the usual case:
// requests of one run share a context, so a connection asks it only once to be told. And a deadline that
// was set 1 % late serves all requests that start before that 1 % is over.
func (c *conn) begin(ctx context.Context, start time.Time, timeout time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if done := ctx.Done(); done != c.done {
		c.unwatch()
		c.done, c.unwatch = done, context.AfterFunc(ctx, func() { c.interrupt(done) })
	}
	if c.deadline.Sub(start) >= timeout {
		return nil
	}
	c.deadline = start.Add(timeout + timeout/100)
	return c.socket.SetDeadline(c.deadline)
}

// interrupt ends the exchange under way, if the last to begin was one of that context.
func (c *conn) interrupt(done <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == done {
		c.deadline = time.Time{} // its answer may have come, and the connection be used again
		c.socket.SetDeadline(time.Unix(1, 0))
	}
}

var errRequest = errors.New("a method and a path are one or more printable characters, the path from a slash")

// send writes the request, at once.
func (c *conn) send(t *HTTP1, req *Request) error {
	if req.Path == "" || req.Path[0] != '/' || !isPrintable(req.Method) || !isPrintable(req.Path) {
		return errRequest
	}
	b := c.out[:0]
	b = append(b, req.Method...)
	b = append(b, ' ')
	b = append(b, t.prefix...)
	b = append(b, req.Path...)
	b = append(b, t.head...)
	if req.Body != nil {
		b = append(b, "Content-Type: application/json\r\n"...)
	}
	if req.Body != nil || req.Method == "POST" || req.Method == "PUT" || req.Method == "PATCH" {
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(len(req.Body)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	b = append(b, req.Body...)
	c.out = b
	_, err := c.socket.Write(c.out)
	return err
}

// isPrintable says that a text may stand in a request line: no space, no line end, nothing invisible.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}
