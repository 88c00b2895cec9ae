// Package pgserver runs a throw-away Postgres server: a new, empty cluster in a temporary directory, listening on
// 127.0.0.1 and a Unix socket, gone without a trace after Stop.
//
// It owns finding the installed server binaries, making the cluster, waiting until a query really works, and removing
// everything, also what a killed program left (Sweep). Where no binaries are installed but docker or podman answers, the
// server is a container instead. It does not know the shop, its schemas or its roles, and needs no driver.
//
// Unix only. On Linux the server ends with the program that started it, in whatever way that ends; elsewhere, and for a
// container, the next Start or Sweep ends it.
package pgserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// Superuser is the login of the role that owns the cluster.
const Superuser = "postgres"

// DefaultSettings are what every server here runs with unless Options.Settings says otherwise: a server that keeps its
// promises, in a size that every machine has room for.
func DefaultSettings() map[string]string {
	return map[string]string{
		"fsync":              "on",
		"synchronous_commit": "on",
		"autovacuum":         "on",
		"shared_buffers":     "256MB",
		"max_connections":    "100",
	}
}

// Options say what server to start. The zero value is a server with the default settings on any core.
type Options struct {
	// Dir is where the server's own directory is made. Default: the system's temporary directory, or /var/tmp where that
	// one is in memory, since a commit to memory costs nothing. Where we are root, the user postgres must be able to reach it.
	Dir string
	// Settings are Postgres parameters, on top of DefaultSettings.
	Settings map[string]string
	// Cores the server may use; nil: all of ours. Linux, or a container.
	Cores []int
	// Fast gives up durability: for tests of anything but speed and crashes.
	Fast bool
	// LogFile gets the server's log, appended. Default: a file in the server's directory, which Stop removes.
	LogFile string
}

// Server is a running Postgres server. Its methods may be called from several goroutines, except those that stop or start
// it (Stop, Halt, Kill, Resume): those one at a time.
type Server struct {
	engine   engine
	home     *home
	port     int
	password string
	wanted   atomic.Bool // its end: Stop, Halt or Kill was called
}

// engine is what runs the server: this host or a container engine.
type engine interface {
	start(ctx context.Context) error // returns as soon as the process exists
	ended() <-chan struct{}          // closed when the process that start made has ended
	halt(ctx context.Context) error  // in order, and by force when ctx is done; data stay
	kill() error                     // at once, as a crash; data stay
	remove() error                   // whatever the engine keeps outside the server's directory
	pid() int                        // 0 where this host cannot see it
	logTail() string
}

// Start makes a cluster, starts a server on it and returns when a query works. It first removes what killed programs left, as
// far as it can.
// Where it fails nothing is left behind, and the error carries the end of the server's log.
func Start(ctx context.Context, o Options) (*Server, error) {
	makeEngine, err := chooseEngine(ctx, installed)
	if err != nil {
		return nil, err
	}
	_ = Sweep(ctx) // what cannot be removed, such as containers of an engine that is down, is no reason not to start
	var s *Server
	for range 5 {
		// A free port can be taken by somebody else before the server binds it: then all of it again with another.
		s, err = startOnce(ctx, o, makeEngine)
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return s, err
}

var errPortTaken = errors.New("the port was taken meanwhile")

func startOnce(ctx context.Context, o Options, makeEngine func(setup) (engine, error)) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	h, err := newHome(o.Dir, o.Fast)
	if err != nil {
		return nil, err
	}
	s := &Server{home: h, port: port, password: rand.Text()}
	s.engine, err = makeEngine(setup{Options: o, home: h.dir, port: port, password: s.password})
	if err != nil {
		return nil, errors.Join(err, h.remove())
	}
	if err := s.Resume(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// freePort asks the kernel for a TCP port of 127.0.0.1 that nobody uses now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// readyTimeout ends a start that hangs where the caller has more patience.
const readyTimeout = 2 * time.Minute

// Ended says whether the server has ended by itself: without Stop, Halt or Kill.
func (s *Server) Ended() bool {
	select {
	case <-s.engine.ended():
		return !s.wanted.Load()
	default:
		return false
	}
}

// Resume starts a server that Halt or Kill stopped, on the same data and port, and returns when a query works.
func (s *Server) Resume(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := s.engine.start(ctx); err != nil {
		return err
	}
	s.wanted.Store(false)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var lastErr error
	for {
		if _, lastErr = s.Query(ctx, "postgres", "SELECT 1"); lastErr == nil {
			return nil
		}
		select {
		case <-s.engine.ended():
			return s.startError(errors.New("it ended"))
		case <-ctx.Done():
			return s.startError(fmt.Errorf("%w; last answer: %w", context.Cause(ctx), lastErr))
		case <-tick.C:
		}
	}
}

// URL is the address of a database for a role of the given name and password, over TCP.
func (s *Server) URL(database, user, password string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(user, password),
		Host:     s.address(),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// SuperuserURL is the address of a database for the cluster's owner. It holds a password: keep it out of logs.
func (s *Server) SuperuserURL(database string) string { return s.URL(database, Superuser, s.password) }

// Dir is the server's own directory. Its Unix socket is in it (not where the server is a container), open to the server's
// user and to root only. What belongs to a user of the server and must not outlive it may be put there: Stop removes it, or
// the Sweep after this program was killed.
func (s *Server) Dir() string { return s.home.dir }

// PID is the process id of the postmaster, the parent of all the server's processes; 0 where this host cannot see it.
func (s *Server) PID() int { return s.engine.pid() }

// Port is the TCP port on 127.0.0.1.
func (s *Server) Port() int { return s.port }

func (s *Server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Query runs one SQL statement as the superuser on a connection of its own and returns its rows as text. It is for
// preparing databases and reading counters, not for serving.
func (s *Server) Query(ctx context.Context, database, statement string) ([][]string, error) {
	rows, err := query(ctx, login{"tcp", s.address(), database, Superuser, s.password}, statement)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return rows, nil
}

// Halt shuts the server down in order and keeps its data for Resume. What has not ended after some seconds, or when ctx is
// done, ends as in a crash.
func (s *Server) Halt(ctx context.Context) error {
	s.wanted.Store(true)
	return s.engine.halt(ctx)
}

// Kill ends the server without warning, as a crash does, and keeps its data for Resume.
func (s *Server) Kill() error {
	s.wanted.Store(true)
	return s.engine.kill()
}

// Stop ends the server within seconds and removes everything it had. More calls do nothing.
func (s *Server) Stop() error {
	// Not the caller's context: stopping must work above all when that one is done.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(s.Halt(ctx), s.engine.remove(), s.home.remove())
}

// startError says why the server did not start, with the end of its log.
func (s *Server) startError(err error) error {
	tail := s.engine.logTail()
	if isPortTaken(tail) {
		err = errPortTaken
	}
	return fmt.Errorf("the Postgres server did not start: %w\nthe end of its log:\n%s", err, tail)
}
