package load

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
)

// HTTP1 is a Transport of our own, HTTP/1.1 over kept connections, because the generator must not be what limits a
// measurement. A request is one write, an answer is read strictly, and there is nothing that a load does not need: no
// redirects, cookies, compression, proxies or TLS, and no request is ever sent twice.
//
// An exchange takes the connection that was used last and gives it back, so there are never more connections than users
// at work. A fixed one for each user would be cold: an open loop takes its users in turn, each has a request every
// users/rate seconds, and below 51 requests/s with 1,024 users every request would first have to dial.
type HTTP1 struct {
	network, address string
	prefix           string // of every path
	head             string // what follows the path in every request
	timeout          time.Duration
	dialer           net.Dialer

	mu         sync.Mutex
	idle       []*conn // the one used last is the last
	open, most int     // connections now, and at most so far
	reconnects int64
	closed     bool
}

const (
	// idleLimit is how long a connection is kept unused: less than any sensible server keeps it, so that none is closed
	// under a request that is just being sent.
	idleLimit = 20 * time.Second

	// trustLimit is how long a connection may be unused without being looked at. The look is a system call; in a closed
	// loop, where a request follows at once, it would find nothing.
	trustLimit = 5 * time.Millisecond
)

// NewHTTP1 returns a transport to "http://host:port" or "unix:/path/of/socket". timeout is the client's, for one request
// from dialling to the last byte; it is kept to 1 %, never early.
func NewHTTP1(target string, timeout time.Duration) (*HTTP1, error) {
	network, address, base, err := splitTarget(target)
	if err != nil {
		return nil, err
	}
	return &HTTP1{network: network, address: address, timeout: timeout,
		prefix: strings.TrimSuffix(base.EscapedPath(), "/"),
		head:   " HTTP/1.1\r\nHost: " + base.Host + "\r\nUser-Agent: " + userAgent + "\r\n"}, nil
}

// splitTarget says where a target is dialled, and which URL its requests are relative to.
func splitTarget(target string) (network, address string, base *url.URL, err error) {
	if path, ok := strings.CutPrefix(target, "unix:"); ok {
		return "unix", path, &url.URL{Scheme: "http", Host: "unix"}, nil
	}
	base, err = url.Parse(target)
	if err != nil || base.Scheme != "http" || base.Host == "" {
		return "", "", nil, fmt.Errorf("%q is neither http://host:port nor unix:/path", target)
	}
	port := base.Port()
	if port == "" {
		port = "80"
	}
	return "tcp", net.JoinHostPort(base.Hostname(), port), base, nil
}

// Exchanger returns one user's end.
func (t *HTTP1) Exchanger() Exchanger { return t }

// Reconnects is how often a connection was made to replace one that had ended: closed by the server, or given up after a
// failure. Those that were let go because nobody used them are not counted.
func (t *HTTP1) Reconnects() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reconnects
}

// Close closes the idle connections, and those in use when their exchange has ended.
func (t *HTTP1) Close() {
	t.mu.Lock()
	idle := t.idle
	t.idle, t.closed = nil, true
	t.mu.Unlock()
	for _, c := range idle {
		t.drop(c)
	}
}

// Exchange is documented at Exchanger; any number may be under way at once. A connection that ended before the answer did
// is a failure, also where it was a kept one and not a byte of the answer came: the server may have done the work. Only a
// connection whose end was known before anything was sent is replaced unseen.
func (t *HTTP1) Exchange(ctx context.Context, req *Request, resp *Response) error {
	resp.Status, resp.Location, resp.Body = 0, "", resp.Body[:0]
	start := time.Now()
	c, err := t.take(ctx, start)
	if err != nil {
		return err
	}
	keep, err := c.exchange(ctx, t, start, req, resp)
	if err == nil && keep {
		t.give(c)
		return nil
	}
	t.drop(c)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // which is why the exchange was interrupted
	}
	return err
}

// take returns the kept connection that was used last, or else a new one.
func (t *HTTP1) take(ctx context.Context, now time.Time) (*conn, error) {
	for {
		c := t.pop()
		if c == nil {
			return t.dial(ctx, now)
		}
		idle := now.Sub(c.used)
		switch {
		case idle > idleLimit:
			t.forget(c)
		case idle > trustLimit && !c.quiet():
			t.drop(c)
		default:
			return c, nil
		}
	}
}

func (t *HTTP1) pop() *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.idle) - 1
	if last < 0 {
		return nil
	}
	c := t.idle[last]
	t.idle = t.idle[:last]
	return c
}

// give keeps a connection for the next exchange.
func (t *HTTP1) give(c *conn) {
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.idle = append(t.idle, c)
	}
	t.mu.Unlock()
	if closed {
		t.drop(c)
	}
}

// drop ends a connection that cannot be used again. If there is need of one more, that is a reconnect.
func (t *HTTP1) drop(c *conn) {
	c.close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
}

// forget ends a connection that was not needed.
func (t *HTTP1) forget(c *conn) {
	c.close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
	t.most--
}

func (t *HTTP1) dial(ctx context.Context, start time.Time) (*conn, error) {
	limited, cancel := context.WithDeadline(ctx, start.Add(t.timeout))
	defer cancel()
	socket, err := t.dialer.DialContext(limited, t.network, t.address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	if t.open > t.most {
		t.most = t.open
	} else {
		t.reconnects++
	}
	return newConn(socket), nil
}
