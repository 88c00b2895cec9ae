package load

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"
)

// MaxBody is the most that is read of an answer. A longer one is an error: no answer of the shop is near it.
const MaxBody = 1 << 20

// HTTP is a Transport over net/http with connections kept open, one at most for each virtual user. It is what
// HTTP1 is held against, in what it reads and in what it costs.
type HTTP struct {
	base    url.URL
	timeout time.Duration
	rt      *http.Transport
}

// NewHTTP returns a transport to "http://host:port" or "unix:/path/of/socket". timeout is the client's, for one request
// from dialling to the last byte.
func NewHTTP(target string, conns int, timeout time.Duration) (*HTTP, error) {
	network, address, base, err := splitTarget(target)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: timeout}
	return &HTTP{base: *base, timeout: timeout, rt: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
		MaxIdleConns:           conns,
		MaxIdleConnsPerHost:    conns,
		MaxConnsPerHost:        conns,
		IdleConnTimeout:        idleLimit,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxLines,
	}}, nil
}

// Close closes the idle connections.
func (h *HTTP) Close() { h.rt.CloseIdleConnections() }

// Client returns a client over the same connections, and the address that it is to be given: for what is no load.
func (h *HTTP) Client() (client *http.Client, base string) {
	return &http.Client{Transport: h.rt, Timeout: h.timeout}, h.base.String()
}

// Exchanger returns one user's end.
func (h *HTTP) Exchanger() Exchanger {
	u := &httpUser{HTTP: h}
	u.trace = &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { u.sent++ }}
	return u
}

type httpUser struct {
	*HTTP
	trace *httptrace.ClientTrace
	sent  int // connections taken for the current request: more than one means that net/http repeated it
}

var jsonHeader = http.Header{"Content-Type": {"application/json"}, "User-Agent": {userAgent}}
var plainHeader = http.Header{"User-Agent": {userAgent}}

// Exchange is documented at Exchanger. It uses the transport itself, not a Client: no redirects, no cookies.
func (u *httpUser) Exchange(ctx context.Context, req *Request, resp *Response) error {
	resp.Status, resp.Location, resp.Body = 0, "", resp.Body[:0]
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(ctx, u.trace), u.timeout)
	defer cancel()
	u.sent = 0
	answer, err := u.rt.RoundTrip(u.request(ctx, req))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body := bytes.NewBuffer(resp.Body)
	n, err := body.ReadFrom(io.LimitReader(answer.Body, MaxBody+1))
	resp.Body = body.Bytes()
	switch {
	case err != nil:
		return err
	case n > MaxBody:
		return errTooLong
	case u.sent > 1:
		return ErrRetried
	}
	resp.Status, resp.Location = answer.StatusCode, answer.Header.Get("Location")
	return nil
}

func (u *httpUser) request(ctx context.Context, req *Request) *http.Request {
	path, query, _ := strings.Cut(req.Path, "?")
	to := u.base
	to.Path, to.RawQuery = strings.TrimSuffix(u.base.Path, "/")+path, query
	r := (&http.Request{Method: req.Method, URL: &to, Host: to.Host, Header: plainHeader,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if req.Body != nil {
		r.Header = jsonHeader
		r.ContentLength = int64(len(req.Body))
		r.Body = io.NopCloser(bytes.NewReader(req.Body))
	}
	return r
}
