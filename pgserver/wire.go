package pgserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The part of Postgres's protocol (version 3.0, "simple query") that starting and preparing a server needs, so that this
// package needs no driver and a program that only starts servers carries none.

const (
	protocolVersion = 3 << 16
	maxMessage      = 16 << 20 // bytes; no answer to our few statements is near
)

// serverError is what the server answered instead of a result.
type serverError struct{ code, message string }

func (e *serverError) Error() string { return fmt.Sprintf("%s (SQLSTATE %s)", e.message, e.code) }

type login struct{ network, address, database, user, password string }

// query runs one statement on a connection of its own and returns its rows in text form.
func query(ctx context.Context, l login, statement string) ([][]string, error) {
	nc, err := (&net.Dialer{}).DialContext(ctx, l.network, l.address)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })()
	c := &conn{w: nc, r: bufio.NewReader(nc)}
	rows, err := c.run(l, statement)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return rows, err
}

type conn struct {
	w io.Writer
	r *bufio.Reader
}

func (c *conn) run(l login, statement string) ([][]string, error) {
	if err := c.startUp(l); err != nil {
		return nil, fmt.Errorf("log in as %s: %w", l.user, err)
	}
	rows, err := c.ask(statement)
	if err != nil {
		return nil, err
	}
	return rows, c.send('X', nil)
}

// ask runs one statement.
func (c *conn) ask(statement string) ([][]string, error) {
	if err := c.send('Q', append([]byte(statement), 0)); err != nil {
		return nil, err
	}
	return c.untilReady()
}

func (c *conn) startUp(l login) error {
	body := binary.BigEndian.AppendUint32(nil, protocolVersion)
	for _, s := range []string{"user", l.user, "database", l.database, "application_name", "pgserver"} {
		body = append(append(body, s...), 0)
	}
	if err := c.send(0, append(body, 0)); err != nil {
		return err
	}
	if err := c.authenticate(l); err != nil {
		return err
	}
	_, err := c.untilReady()
	return err
}

// send writes one message; the start-up message alone has no kind.
func (c *conn) send(kind byte, body []byte) error {
	var m []byte
	if kind != 0 {
		m = append(m, kind)
	}
	m = binary.BigEndian.AppendUint32(m, uint32(len(body)+4))
	_, err := c.w.Write(append(m, body...))
	return err
}

// receive reads one message; an error message becomes an error.
func (c *conn) receive() (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n < 4 || n > maxMessage {
		return 0, nil, fmt.Errorf("a message of %d bytes: this is not Postgres", n)
	}
	body = make([]byte, n-4)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return 0, nil, err
	}
	if head[0] == 'E' {
		return 0, nil, parseError(body)
	}
	return head[0], body, nil
}

// untilReady collects rows until the server is ready for the next statement.
func (c *conn) untilReady() (rows [][]string, err error) {
	for {
		kind, body, err := c.receive()
		switch {
		case err != nil:
			return nil, err
		case kind == 'Z':
			return rows, nil
		case kind == 'D':
			row, err := parseRow(body)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
}

func parseError(body []byte) error {
	e := &serverError{}
	for field := range bytes.SplitSeq(body, []byte{0}) {
		if len(field) == 0 {
			continue
		}
		switch field[0] {
		case 'C':
			e.code = string(field[1:])
		case 'M':
			e.message = string(field[1:])
		}
	}
	return e
}

var errBadRow = errors.New("a row that does not add up")

// parseRow reads a row's values as text; NULL reads as the empty text.
func parseRow(body []byte) ([]string, error) {
	if len(body) < 2 {
		return nil, errBadRow
	}
	row := make([]string, binary.BigEndian.Uint16(body))
	body = body[2:]
	for i := range row {
		if len(body) < 4 {
			return nil, errBadRow
		}
		n := int(int32(binary.BigEndian.Uint32(body)))
		body = body[4:]
		if n < 0 {
			continue
		}
		if n > len(body) {
			return nil, errBadRow
		}
		row[i], body = string(body[:n]), body[n:]
	}
	return row, nil
}
