package load

import (
	"context"
	"errors"
	"io"
	"strconv"
	"syscall"
)

// Request is one request of an iteration.
type Request struct {
	Route  string // how it is counted: "GET /products"
	Method string
	Path   string // with its query
	Body   []byte // JSON; nil for none

	// Check looks at a 2xx answer and says what is wrong with it. Nil: nothing is looked at.
	Check func(*Response) error
}

// Response is an answer, wholly read. The next exchange of the same session overwrites it.
type Response struct {
	Status   int // 0 where none came
	Location string
	Body     []byte
}

// Exchanger sends one request at a time and reads its answer into resp, reusing resp.Body. It follows no redirect, repeats
// nothing and gives up after the client timeout. An error means that no complete answer came.
type Exchanger interface {
	Exchange(ctx context.Context, req *Request, resp *Response) error
}

// Transport makes an Exchanger for each virtual user.
type Transport interface {
	Exchanger() Exchanger
}

// Reason says how a request failed; empty is success.
type Reason string

// The reasons other than a status, which is StatusReason.
const (
	Timeout    Reason = "timeout"    // the client's
	Reset      Reason = "reset"      // the connection ended before the answer did
	Refused    Reason = "refused"    // nobody listens
	Retried    Reason = "retried"    // the HTTP library sent it twice behind our back
	Unfinished Reason = "unfinished" // no answer when the draining after the last step ended
	WrongBody  Reason = "wrong body" // a 2xx whose content is not what was asked for
	Other      Reason = "other"      // no status for any other reason
)

// ErrRetried is returned by an Exchanger that sent a request more than once.
var ErrRetried = errors.New("the request was sent more than once")

// StatusReason is the reason of an answer outside 200-299: "status 503".
func StatusReason(status int) Reason { return Reason("status " + strconv.Itoa(status)) }

// judge returns the reason of one exchange's outcome.
func judge(req *Request, resp *Response, err error) Reason {
	switch {
	case err != nil:
		return reasonOf(err)
	case resp.Status < 200 || resp.Status > 299:
		return StatusReason(resp.Status)
	case req.Check != nil && req.Check(resp) != nil:
		return WrongBody
	}
	return ""
}

func reasonOf(err error) Reason {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrRetried):
		return Retried
	case errors.Is(err, context.Canceled):
		return Unfinished
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT): // ENOENT: a socket file that is gone
		return Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return Reset
	}
	return Other
}
