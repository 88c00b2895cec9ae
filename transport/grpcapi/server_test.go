package grpcapi

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/grpcapi/shoppb"
)

// TestFaultsOfOursAreLogged: an internal error with its cause, a panic with its stack, and nothing of what callers do wrong.
func TestFaultsOfOursAreLogged(t *testing.T) {
	tests := []struct {
		name   string
		items  itemsFunc
		want   public
		logged []string // nil: nothing
	}{
		{
			name:   "internal",
			items:  func(context.Context, domain.CartID) ([]domain.Item, error) { return nil, errors.New(secret) },
			want:   general(domain.Internal),
			logged: []string{`"level":"ERROR"`, `"method":"Carts/Items"`, secret},
		},
		{
			name:   "panic",
			items:  func(context.Context, domain.CartID) ([]domain.Item, error) { panic(secret) },
			want:   general(domain.Internal),
			logged: []string{`"level":"ERROR"`, `"method":"Carts/Items"`, "panic: " + secret, "server_test.go"},
		},
		{
			name:  "not found",
			items: func(context.Context, domain.CartID) ([]domain.Item, error) { return nil, domain.NoCart() },
			want:  public{Kind: domain.NotFound, Detail: "there is no such cart"},
		},
	}
	overNetworks(t, func(t *testing.T, network string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				var log journal
				conn := connect(t, network, ServerOptions{Log: log.logger()}, test.items.register)
				for range 2 { // the second finds the server alive
					_, err := NewCarts(conn).Items(t.Context(), domain.NewCartID())
					checkError(t, err, test.want)
				}
				text := log.String()
				if test.logged == nil && text != "" {
					t.Errorf("logged: %s", text)
				}
				for _, part := range test.logged {
					if strings.Count(text, "\n") != 2 || !strings.Contains(text, part) {
						t.Errorf("want two lines with %q, got:\n%s", part, text)
					}
				}
			})
		}
	})
}

// seen is what a server's Observe heard.
type seen struct {
	mu    sync.Mutex
	calls []string
}

func (s *seen) observe(method, kind string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d < 0 || d > CallTimeout {
		kind = "a strange duration, " + d.String()
	}
	s.calls = append(s.calls, method+" "+kind)
}

// take returns what was heard since the last take.
func (s *seen) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.calls = nil }()
	return s.calls
}

func TestObserve(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		var heard seen
		m := domaintest.NewMemory()
		conn := connect(t, network, ServerOptions{Log: options().Log, Observe: heard.observe},
			func(s *grpc.Server) { RegisterCarts(s, m) })
		carts := NewCarts(conn)
		id, err := carts.CreateCart(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = carts.Items(t.Context(), domain.NewCartID())
		_, _ = carts.AddItem(t.Context(), id, domain.Item{ProductID: 1, Quantity: -1})
		if err := Ready(t.Context(), conn); err != nil { // health is no call of a contract
			t.Fatal(err)
		}
		want := []string{"Carts/CreateCart ok", "Carts/Items not found", "Carts/AddItem invalid"}
		if got := heard.take(); !slices.Equal(got, want) {
			t.Errorf("observed %q, want %q", got, want)
		}
	})
}

func TestReady(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		var refuse atomic.Bool
		o := options()
		o.Ready = func(context.Context) error {
			if refuse.Load() {
				return errors.New(secret)
			}
			return nil
		}
		conn := connect(t, network, o, func(*grpc.Server) {})
		if err := Ready(t.Context(), conn); err != nil {
			t.Fatalf("ready server: %v", err)
		}
		refuse.Store(true)
		err := Ready(t.Context(), conn)
		checkError(t, err, general(domain.Unavailable))
		addr := strings.TrimPrefix(conn.Target(), "passthrough:///")
		for _, part := range []string{"NOT_SERVING", addr} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
		refuse.Store(false)
		if err := Ready(t.Context(), conn); err != nil {
			t.Errorf("ready again: %v", err)
		}

		l, addr := listen(t, network, newAddr(t, network))
		l.Close()
		err = Ready(t.Context(), dial(t, addr))
		checkError(t, err, general(domain.Unavailable))
		if !strings.Contains(err.Error(), addr) {
			t.Errorf("%q does not say %q", err, addr)
		}
	})
}

// TestReadyPanics: a readiness check that panics takes nothing down either.
func TestReadyPanics(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		o := options()
		o.Ready = func(context.Context) error { panic(secret) }
		conn := connect(t, network, o, func(*grpc.Server) {})
		for range 2 {
			checkError(t, Ready(t.Context(), conn), general(domain.Internal))
		}
	})
}

// TestConcurrencyLimit fills one connection with calls. One more waits outside: it never reaches the handler.
func TestConcurrencyLimit(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		arrived, release := make(chan struct{}, 2*maxStreams), make(chan struct{})
		conn := connect(t, network, options(), itemsFunc(func(context.Context, domain.CartID) ([]domain.Item, error) {
			arrived <- struct{}{}
			<-release
			return nil, nil
		}).register)
		if err := Ready(t.Context(), conn); err != nil { // the client has read the server's settings
			t.Fatal(err)
		}
		answers := make(chan error, maxStreams)
		for range maxStreams {
			go func() {
				_, err := shoppb.NewCartsClient(conn).Items(t.Context(), &shoppb.ItemsRequest{CartId: make([]byte, 16)})
				answers <- err // without CallTimeout, for slow machines
			}()
		}
		for range maxStreams {
			receive(t, arrived, "the calls up to the limit")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := NewCarts(conn).Items(ctx, domain.NewCartID())
		checkError(t, err, general(domain.Deadline))
		if n := len(arrived); n != 0 {
			t.Errorf("%d calls got past the limit of %d", n, maxStreams)
		}
		close(release)
		for range maxStreams {
			if err := receive(t, answers, "the answers"); err != nil {
				t.Errorf("a call within the limit: %v", err)
			}
		}
	})
}

// TestMessageLimit: the largest legal messages pass; one above the limit is a fault of ours, whoever sends it.
func TestMessageLimit(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		huge := slices.Repeat([]domain.Item{{ProductID: math.MaxInt64, Quantity: math.MaxInt}}, maxMessage/20) // of 22 bytes
		m := domaintest.NewMemory()
		carts := NewCarts(connect(t, network, options(), itemsFunc(
			func(context.Context, domain.CartID) ([]domain.Item, error) { return huge, nil },
		).register))

		_, err := carts.Items(t.Context(), domain.NewCartID())
		checkError(t, err, general(domain.Internal))
		if !strings.Contains(err.Error(), "larger than max") {
			t.Errorf("answer above the limit: %q does not say why", err)
		}
		err = carts.Take(t.Context(), domain.NewCartID(), huge) // the handler is nil: reaching it would be a panic
		checkError(t, err, general(domain.Internal))
		if !strings.Contains(err.Error(), "larger than max") {
			t.Errorf("request above the limit: %q does not say why", err)
		}

		shop := micro(t, network, options(), m)
		cart, err := shop.CreateCart(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range domain.MaxPage {
			id, err := m.AddProduct(t.Context(), strings.Repeat("🛒", domain.MaxNameLength), domain.Cents(domain.MaxPrice))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := shop.AddItem(t.Context(), cart, domain.Item{ProductID: id, Quantity: domain.MaxQuantity}); err != nil {
				t.Fatal(err)
			}
		}
		if page, err := shop.Products(t.Context(), 0, domain.MaxPage); err != nil || len(page.Products) != domain.MaxPage {
			t.Errorf("largest page: %d products, error %v", len(page.Products), err)
		}
		if order, err := shop.PlaceOrder(t.Context(), cart); err != nil || len(order.Lines) != domain.MaxLines {
			t.Errorf("largest order: %d lines, error %v", len(order.Lines), err)
		}
	})
}

// TestPingsAgree: a server cuts off a client that pings more often than it allows.
func TestPingsAgree(t *testing.T) {
	t.Parallel()
	if pingEvery < 2*minPingEvery {
		t.Errorf("a ping every %v comes too near the %v that a server allows", pingEvery, minPingEvery)
	}
}
