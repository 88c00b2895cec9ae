package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Server is something that serves a listener and can stop in order.
type Server interface {
	// Serve answers until Shutdown; it returns nil after that, and the listener's failure otherwise.
	Serve(l net.Listener) error

	// Drain asks clients to go elsewhere; everything is still answered.
	Drain()

	// Shutdown stops accepting and waits for what is in flight. Where ctx ends first, the rest is cut off and an
	// error returned.
	Shutdown(ctx context.Context) error
}

// The timeouts of every HTTP server, and its limit of header bytes. The write timeout is longer than the longest request
// deadline, so that a deadline is answered and not cut off.
const (
	ReadHeaderTimeout = 5 * time.Second
	ReadTimeout       = 10 * time.Second
	WriteTimeout      = 15 * time.Second
	IdleTimeout       = 60 * time.Second
	MaxHeaderBytes    = 16 << 10
)

// HTTP serves h over HTTP/1.1 with timeouts and limits set.
func HTTP(h http.Handler) Server {
	s := &httpServer{}
	s.server = http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.draining.Load() {
				w.Header().Set("Connection", "close")
			}
			h.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: ReadHeaderTimeout,
		ReadTimeout:       ReadTimeout,
		WriteTimeout:      WriteTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // clients that break off are no news
	}
	return s
}

type httpServer struct {
	server   http.Server
	draining atomic.Bool
}

func (s *httpServer) Serve(l net.Listener) error {
	if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Drain has every answer close its connection. http.Server.SetKeepAlivesEnabled would cut idle connections at once, in the
// face of a client that is just about to use one.
func (s *httpServer) Drain() { s.draining.Store(true) }

func (s *httpServer) Shutdown(ctx context.Context) error {
	err := s.server.Shutdown(ctx)
	if err != nil {
		return errors.Join(err, s.server.Close())
	}
	return nil
}

// GracefulServer is what GRPC needs of a gRPC server.
type GracefulServer interface {
	Serve(l net.Listener) error
	GracefulStop()
	Stop()
}

// GRPC serves a gRPC server.
func GRPC(s GracefulServer) Server { return grpcServer{s} }

type grpcServer struct{ GracefulServer }

// Drain does nothing: Shutdown tells clients to go away and still answers what they have sent.
func (grpcServer) Drain() {}

func (s grpcServer) Shutdown(ctx context.Context) error {
	done := make(chan struct{})
	go func() { s.GracefulStop(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.Stop()
		<-done
		return ctx.Err()
	}
}

const unixPrefix = "unix:"

// Listen listens on "host:port" or "unix:/path". A socket file that nobody listens on any more is replaced. Usage error where
// the address has no port or no path: it would be one that nobody knows, or every address of the machine.
func Listen(addr string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(addr, unixPrefix)
	if _, port, err := net.SplitHostPort(addr); isUnix && path == "" || !isUnix && (err != nil || port == "") {
		return nil, Usage(fmt.Errorf("%q is no address to listen on: host:port, or unix:/path", addr))
	}
	if !isUnix {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("listening on %s: %w", addr, err)
		}
		return l, nil
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, fmt.Errorf("listening on %s: another process listens there", addr)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("replacing an abandoned socket: %w", err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", addr, err)
	}
	return l, nil
}

// Addr is where l listens, in the form that Listen takes.
func Addr(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	return l.Addr().String()
}
