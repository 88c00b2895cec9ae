package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	wrong := func(*Response) error { return errors.New("wrong") }
	right := func(*Response) error { return nil }
	tests := []struct {
		name   string
		status int
		err    error
		check  func(*Response) error
		want   Reason
	}{
		{"good", 200, nil, right, ""},
		{"good and unchecked", 204, nil, nil, ""},
		{"created", 201, nil, right, ""},
		{"wrong body", 200, nil, wrong, WrongBody},
		{"a redirect is no success", 302, nil, right, "status 302"},
		{"not modified is none either", 304, nil, right, "status 304"},
		{"informational", 101, nil, right, "status 101"},
		{"a bad status before its body", 500, nil, wrong, "status 500"},
		{"client timeout", 0, context.DeadlineExceeded, right, Timeout},
		{"socket timeout", 0, &os.PathError{Err: os.ErrDeadlineExceeded}, right, Timeout},
		{"end of draining", 0, fmt.Errorf("x: %w", context.Canceled), right, Unfinished},
		{"refused", 0, fmt.Errorf("x: %w", syscall.ECONNREFUSED), right, Refused},
		{"no socket file", 0, fmt.Errorf("x: %w", syscall.ENOENT), right, Refused},
		{"reset", 0, fmt.Errorf("x: %w", syscall.ECONNRESET), right, Reset},
		{"broken pipe", 0, fmt.Errorf("x: %w", syscall.EPIPE), right, Reset},
		{"closed in mid-answer", 0, io.ErrUnexpectedEOF, right, Reset},
		{"closed before the answer", 0, io.EOF, right, Reset},
		{"sent twice", 0, ErrRetried, right, Retried},
		{"anything else", 0, errors.New("malformed"), right, Other},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := judge(&Request{Check: test.check}, &Response{Status: test.status}, test.err); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
