package pgserver

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"
)

// Session is one connection to the server, as the superuser, for counters that are read again and again. It is for one
// goroutine at a time.
type Session struct {
	nc net.Conn
	c  *conn
}

// Connect opens a session with a database.
func (s *Server) Connect(ctx context.Context, database string) (*Session, error) {
	return connect(ctx, login{"tcp", s.address(), database, Superuser, s.password})
}

// Dial opens a session as the superuser with a database of a server that is none of this package's: one in a container.
func Dial(ctx context.Context, address, database, password string) (*Session, error) {
	return connect(ctx, login{"tcp", address, database, Superuser, password})
}

func connect(ctx context.Context, l login) (*Session, error) {
	nc, err := (&net.Dialer{}).DialContext(ctx, l.network, l.address)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	session := &Session{nc: nc, c: &conn{w: nc, r: bufio.NewReader(nc)}}
	defer session.until(ctx)()
	if err := session.c.startUp(l); err != nil {
		nc.Close()
		return nil, fmt.Errorf("postgres: log in as %s: %w", l.user, err)
	}
	return session, nil
}

// Query runs one statement and returns its rows as text. After an error the session is of no more use.
func (s *Session) Query(ctx context.Context, statement string) ([][]string, error) {
	defer s.until(ctx)()
	rows, err := s.c.ask(statement)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return rows, nil
}

// Close ends the session.
func (s *Session) Close() error { return s.nc.Close() }

// until cuts the session off when ctx is done, unless what it returns was called before.
func (s *Session) until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { s.nc.SetDeadline(time.Unix(1, 0)) })
}
