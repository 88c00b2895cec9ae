package grpcapi

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"splitshop/domain"
)

func TestNothingListens(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		l, addr := listen(t, network, newAddr(t, network))
		l.Close()
		_, err := NewCarts(dial(t, addr)).Items(t.Context(), domain.NewCartID())
		checkError(t, err, general(domain.Unavailable))
		if !strings.Contains(err.Error(), "connect: ") {
			t.Errorf("%q does not say why", err)
		}
	})
}

// general is an error in its kind's general words.
func general(kind domain.Kind) public {
	return public{Kind: kind, Detail: domain.Describe(kind).Detail}
}

// killable is a listener that can take its connections down with it, as the end of a process does.
type killable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (k *killable) Accept() (net.Conn, error) {
	c, err := k.Listener.Accept()
	if err == nil {
		k.mu.Lock()
		k.conns = append(k.conns, c)
		k.mu.Unlock()
	}
	return c, err
}

func (k *killable) kill() {
	k.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.conns {
		c.Close()
	}
}

// TestServerDiesDuringTheCall: once the request has arrived nobody can say whether it was carried out. The call after it
// finds nobody, and that one certainly was not.
func TestServerDiesDuringTheCall(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		inner, addr := listen(t, network, newAddr(t, network))
		l := &killable{Listener: inner}
		arrived := make(chan struct{})
		start(t, l, options(), itemsFunc(func(ctx context.Context, _ domain.CartID) ([]domain.Item, error) {
			close(arrived)
			<-ctx.Done()
			return nil, ctx.Err()
		}).register)
		carts := NewCarts(dial(t, addr))

		answers := make(chan error, 1)
		go func() {
			_, err := carts.Items(context.WithoutCancel(t.Context()), domain.NewCartID())
			answers <- err
		}()
		receive(t, arrived, "the request")
		l.kill()
		checkError(t, receive(t, answers, "the answer"), general(domain.MayHaveExecuted))

		_, err := carts.Items(t.Context(), domain.NewCartID())
		checkError(t, err, general(domain.Unavailable))
	})
}

// TestDeafHandler: a handler that does not look at its deadline cannot hold the caller.
func TestDeafHandler(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		release := make(chan struct{})
		conn := connect(t, network, options(), itemsFunc(func(context.Context, domain.CartID) ([]domain.Item, error) {
			<-release
			return nil, nil
		}).register)
		t.Cleanup(func() { close(release) }) // before the server stops, which waits for its handlers

		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := NewCarts(conn).Items(ctx, domain.NewCartID())
		checkError(t, err, general(domain.Deadline))
	})
}

// TestCallerGoesAway: the server hears of it, and the error is Deadline.
func TestCallerGoesAway(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		arrived, heard := make(chan struct{}), make(chan struct{})
		conn := connect(t, network, options(), itemsFunc(func(ctx context.Context, _ domain.CartID) ([]domain.Item, error) {
			close(arrived)
			<-ctx.Done()
			close(heard)
			return nil, ctx.Err()
		}).register)
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan error, 1)
		go func() {
			_, err := NewCarts(conn).Items(ctx, domain.NewCartID())
			answers <- err
		}()
		receive(t, arrived, "the request")
		cancel()
		checkError(t, receive(t, answers, "the answer"), general(domain.Deadline))
		receive(t, heard, "the server to hear of it")
	})
}

// TestDeadlineIsTheSmaller looks at how much time the server is told it has.
func TestDeadlineIsTheSmaller(t *testing.T) {
	const soon = 700 * time.Millisecond
	tests := []struct {
		name   string
		caller time.Duration // 0: none
		most   time.Duration
		least  time.Duration // well under most, for slow machines, and above the other side of the min
	}{
		{"none", 0, CallTimeout, soon},
		{"later", time.Hour, CallTimeout, soon},
		{"sooner", soon, soon, 0},
	}
	overNetworks(t, func(t *testing.T, network string) {
		left := make(chan time.Duration, 1)
		conn := connect(t, network, options(), itemsFunc(func(ctx context.Context, _ domain.CartID) ([]domain.Item, error) {
			deadline, ok := ctx.Deadline()
			if !ok {
				return nil, errors.New("no deadline")
			}
			left <- time.Until(deadline)
			return nil, nil
		}).register)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				ctx := t.Context()
				if test.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.caller)
					defer cancel()
				}
				if _, err := NewCarts(conn).Items(ctx, domain.NewCartID()); err != nil {
					t.Fatal(err)
				}
				if got := <-left; got > test.most || got < test.least {
					t.Errorf("the server has %v, want %v to %v", got, test.least, test.most)
				}
			})
		}
	})
}

// TestReconnects stops a server and starts another at the same address: the client finds it by itself, and soon.
func TestReconnects(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		register := itemsFunc(func(context.Context, domain.CartID) ([]domain.Item, error) { return nil, nil }).register
		l, addr := listen(t, network, newAddr(t, network))
		first := start(t, l, options(), register)
		carts := NewCarts(dial(t, addr))
		call := func() error {
			_, err := carts.Items(t.Context(), domain.NewCartID())
			return err
		}
		if err := call(); err != nil {
			t.Fatal(err)
		}
		first.Stop()
		eventually(t, "calls fail while there is no server", func() bool {
			return errors.Is(call(), domain.Unavailable)
		})
		l, _ = listen(t, network, strings.TrimPrefix(addr, "unix:"))
		start(t, l, options(), register)
		eventually(t, "calls succeed again", func() bool { return call() == nil })
	})
}

// TestKeepsTrying counts connection attempts at a server that hangs up: they go on without a call, and never more than
// about a second apart.
func TestKeepsTrying(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		l, addr := listen(t, network, newAddr(t, network))
		attempts := make(chan time.Time, 100)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				attempts <- time.Now()
				c.Close()
			}
		}()
		dial(t, addr).Connect()
		last := receive(t, attempts, "the first attempt")
		for i := range 7 { // after the fifth the wait grows no more
			next := receive(t, attempts, "the next attempt")
			if gap := next.Sub(last); gap > 2*time.Second { // with room for a slow machine
				t.Errorf("attempt %d came after %v", i+2, gap)
			}
			last = next
		}
	})
}

func TestDial(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, addr string
		ok         bool
	}{
		{"address", "127.0.0.1:7001", true},
		{"name", "catalog:7001", true},
		{"IPv6", "[::1]:7001", true},
		{"socket", "unix:/run/catalog.sock", true},
		{"empty", "", false},
		{"no path", "unix:", false},
		{"no port", "catalog", false},
		{"a URL", "http://catalog:7001", false},
		{"another of gRPC's schemes", "dns:///catalog:7001", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn, err := Dial(test.addr)
			if (err == nil) != test.ok {
				t.Fatalf("Dial(%q) error = %v, want ok %v", test.addr, err, test.ok)
			}
			if conn != nil {
				conn.Close()
			}
		})
	}
}

// TestNoRetry: a server that breaks each call off sees it once.
func TestNoRetry(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		inner, addr := listen(t, network, newAddr(t, network))
		l := &killable{Listener: inner}
		calls := make(chan struct{}, 100)
		start(t, l, options(), itemsFunc(func(ctx context.Context, _ domain.CartID) ([]domain.Item, error) {
			calls <- struct{}{}
			l.mu.Lock()
			defer l.mu.Unlock()
			for _, c := range l.conns { // the listener stays: a second attempt would get through
				c.Close()
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}).register)
		_, err := NewCarts(dial(t, addr)).Items(t.Context(), domain.NewCartID())
		checkError(t, err, general(domain.MayHaveExecuted))
		if n := len(calls); n != 1 {
			t.Errorf("the server saw the call %d times", n)
		}
	})
}
