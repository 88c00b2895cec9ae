package grpcapi

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/domain/domaintest"
)

// networks are the two that Dial knows. Whatever is claimed of a call is tried over both.
var networks = []string{"tcp", "unix"}

// overNetworks runs a test over each network.
func overNetworks(t *testing.T, test func(t *testing.T, network string)) {
	t.Parallel()
	for _, network := range networks {
		t.Run("network="+network, func(t *testing.T) {
			t.Parallel()
			test(t, network)
		})
	}
}

// newAddr returns an address nobody listens at: port 0 or a path short enough for a socket.
func newAddr(tb testing.TB, network string) string {
	tb.Helper()
	if network == "tcp" {
		return "127.0.0.1:0"
	}
	dir, err := os.MkdirTemp("", "grpcapi")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// listen returns a listener and the address it has for Dial.
func listen(tb testing.TB, network, addr string) (net.Listener, string) {
	tb.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	if network == "unix" {
		return l, "unix:" + addr
	}
	return l, l.Addr().String()
}

// options are those of a server whose log nobody reads.
func options() ServerOptions { return ServerOptions{Log: slog.New(slog.DiscardHandler)} }

// start serves on l until the end of the test, or until the server is stopped.
func start(tb testing.TB, l net.Listener, o ServerOptions, register func(*grpc.Server)) *grpc.Server {
	tb.Helper()
	s := NewServer(o)
	register(s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // ends when the test stops s or takes l away
	}()
	tb.Cleanup(func() {
		s.Stop()
		<-done
	})
	return s
}

// dial connects to an address.
func dial(tb testing.TB, addr string) *grpc.ClientConn {
	tb.Helper()
	conn, err := Dial(addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	return conn
}

// connect starts a server and returns a connection to it.
func connect(tb testing.TB, network string, o ServerOptions, register func(*grpc.Server)) *grpc.ClientConn {
	tb.Helper()
	l, addr := listen(tb, network, newAddr(tb, network))
	start(tb, l, o, register)
	return dial(tb, addr)
}

// micro starts the three services over m, each on its own socket, and returns the shop as the gateway sees it. The orders
// service has clients of its own.
func micro(tb testing.TB, network string, o ServerOptions, m *domaintest.Memory) domain.Composed {
	tb.Helper()
	catalog := func(s *grpc.Server) { RegisterCatalog(s, m) }
	carts := func(s *grpc.Server) { RegisterCarts(s, m) }
	catalogConn, cartsConn := connect(tb, network, o, catalog), connect(tb, network, o, carts)
	checkout := domain.Checkout{
		OrderStore: m, Carts: NewCarts(cartsConn), Catalog: NewCatalog(catalogConn), Log: o.Log,
	}
	ordersConn := connect(tb, network, o, func(s *grpc.Server) { RegisterOrders(s, checkout) })
	return domain.Composed{
		Catalog: NewCatalog(catalogConn), Carts: NewCarts(cartsConn), Orders: NewOrders(ordersConn),
	}
}

// itemsFunc is a domain.Carts of which only Items answers, with whatever a test wants to see on the other side.
type itemsFunc func(context.Context, domain.CartID) ([]domain.Item, error)

func (f itemsFunc) register(s *grpc.Server) { RegisterCarts(s, onlyItems{items: f}) }

type onlyItems struct {
	domain.Carts
	items itemsFunc
}

func (o onlyItems) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	return o.items(ctx, id)
}

// eventually waits until ok, which is asked again and again.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatalf("waited for: %s", what)
		}
	}
}

// receive waits for a value.
func receive[T any](tb testing.TB, from <-chan T, what string) T {
	tb.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		tb.Fatalf("waited for %s", what)
		panic("unreachable")
	}
}

// journal is a log to look into.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }
