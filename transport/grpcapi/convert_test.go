package grpcapi

import (
	"context"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/grpcapi/shoppb"
)

// TestMalformedRequests sends what our client never would.
func TestMalformedRequests(t *testing.T) {
	type carts = shoppb.CartsClient
	id, short, long := make([]byte, 16), make([]byte, 15), make([]byte, 17)
	tests := []struct {
		name  string
		call  func(context.Context, carts, shoppb.OrdersClient) error
		field string
	}{
		{"items without an id", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.Items(ctx, &shoppb.ItemsRequest{})
			return err
		}, "cart_id"},
		{"items of a short id", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.Items(ctx, &shoppb.ItemsRequest{CartId: short})
			return err
		}, "cart_id"},
		{"add to a long id", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.AddItem(ctx, &shoppb.AddItemRequest{CartId: long})
			return err
		}, "cart_id"},
		{"add nothing", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.AddItem(ctx, &shoppb.AddItemRequest{CartId: id})
			return err
		}, "product_id"},
		{"set a quantity outside every int", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.SetItem(ctx, &shoppb.SetItemRequest{CartId: id, Item: &shoppb.Item{ProductId: 1, Quantity: math.MaxInt64}})
			return err
		}, "quantity"},
		{"remove from a short id", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.RemoveItem(ctx, &shoppb.RemoveItemRequest{CartId: short})
			return err
		}, "cart_id"},
		{"take from a short id", func(ctx context.Context, c carts, _ shoppb.OrdersClient) error {
			_, err := c.Take(ctx, &shoppb.TakeRequest{CartId: short})
			return err
		}, "cart_id"},
		{"order a long id", func(ctx context.Context, _ carts, o shoppb.OrdersClient) error {
			_, err := o.PlaceOrder(ctx, &shoppb.PlaceOrderRequest{CartId: long})
			return err
		}, "cart_id"},
		{"order of a short id", func(ctx context.Context, _ carts, o shoppb.OrdersClient) error {
			_, err := o.Order(ctx, &shoppb.OrderRequest{OrderId: short})
			return err
		}, "order_id"},
	}
	overNetworks(t, func(t *testing.T, network string) {
		m := domaintest.NewMemory()
		conn := connect(t, network, options(), func(s *grpc.Server) {
			RegisterCarts(s, m)
			RegisterOrders(s, m.Checkout())
		})
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				err := fromStatus(test.call(t.Context(), shoppb.NewCartsClient(conn), shoppb.NewOrdersClient(conn)), true)
				e := domain.Describe(err)
				if e.Kind != domain.Invalid || e.Field != test.field {
					t.Errorf("error = %v (field %q), want one of kind %q about %q", e, e.Field, domain.Invalid, test.field)
				}
			})
		}
	})
}

// odd is a server of another version, or of no version at all: it answers with empty messages.
type odd struct {
	shoppb.UnimplementedCatalogServer
	shoppb.UnimplementedCartsServer
	shoppb.UnimplementedOrdersServer
}

func (odd) Product(context.Context, *shoppb.ProductRequest) (*shoppb.ProductResponse, error) {
	return &shoppb.ProductResponse{}, nil
}

func (odd) Products(context.Context, *shoppb.ProductsRequest) (*shoppb.ProductsResponse, error) {
	return &shoppb.ProductsResponse{Products: []*shoppb.Product{{Id: 1, Name: "no price"}}}, nil
}

func (odd) CreateCart(context.Context, *shoppb.CreateCartRequest) (*shoppb.CreateCartResponse, error) {
	return &shoppb.CreateCartResponse{CartId: []byte("short")}, nil
}

func (odd) Order(context.Context, *shoppb.OrderRequest) (*shoppb.OrderResponse, error) {
	return &shoppb.OrderResponse{}, nil
}

// TestOddAnswers: what cannot be read is a fault of ours, not the caller's.
func TestOddAnswers(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		conn := connect(t, network, options(), func(s *grpc.Server) {
			shoppb.RegisterCatalogServer(s, odd{})
			shoppb.RegisterCartsServer(s, odd{})
			shoppb.RegisterOrdersServer(s, odd{})
		})
		ctx := t.Context()
		_, noProduct := NewCatalog(conn).Product(ctx, 1)
		_, noPrice := NewCatalog(conn).Products(ctx, 0, 1)
		_, shortID := NewCarts(conn).CreateCart(ctx)
		_, noOrder := NewOrders(conn).Order(ctx, domain.NewOrderID())
		_, noMethod := NewCatalog(conn).Lookup(ctx, nil)
		for _, err := range []error{noProduct, noPrice, shortID, noOrder, noMethod} {
			checkError(t, err, general(domain.Internal))
		}
	})
}

// TestOrderSurvives: an order comes back as it was, time zone and microsecond included.
func TestOrderSurvives(t *testing.T) {
	t.Parallel()
	want := domain.Order{
		ID:     domain.NewOrderID(),
		CartID: domain.NewCartID(),
		Lines: []domain.Line{
			{ProductID: 1, Name: "thé 🫖", Quantity: 999, UnitPrice: domain.Cents(1249), Total: domain.Cents(999 * 1249)},
			{ProductID: math.MaxInt64, Name: "", Quantity: -1, UnitPrice: domain.Money{Amount: -5, Currency: "USD"}},
		},
		Total:    domain.Cents(math.MaxInt64),
		PlacedAt: time.Date(2026, 2, 28, 23, 59, 59, 999999000, time.UTC),
	}
	got, err := order(pbOrder(want))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, order (-sent +received):\n%s", err, diff)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{0, -1, 999, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64} {
		fits := strconv.IntSize == 64 || n == int64(int32(n))
		got, err := number("quantity", n)
		if (err == nil) != fits || fits && int64(got) != n {
			t.Errorf("number(%d) = %d, %v; fits: %v", n, got, err, fits)
		}
		if err != nil && domain.KindOf(err) != domain.Invalid {
			t.Errorf("number(%d) error = %v, want kind %q", n, err, domain.Invalid)
		}
	}
}

// FuzzRequests reads bytes as each request there is and hands it to the server adapter: nothing panics, and whatever is
// wrong is the sender's fault.
func FuzzRequests(f *testing.F) {
	m := domaintest.NewMemory()
	p, err := m.AddProduct(f.Context(), "tea", domain.Cents(1249))
	if err != nil {
		f.Fatal(err)
	}
	cart, err := m.CreateCart(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	i := domain.Item{ProductID: p, Quantity: 2}
	for _, seed := range []proto.Message{
		&shoppb.ProductsRequest{After: -1, Limit: math.MaxInt64},
		&shoppb.LookupRequest{Ids: []int64{int64(p), 0, math.MinInt64}},
		&shoppb.AddItemRequest{CartId: cart[:], Item: pbItem(i)},
		&shoppb.TakeRequest{CartId: cart[:], Ordered: []*shoppb.Item{pbItem(i), {}}},
		&shoppb.RemoveItemRequest{CartId: cart[:15], ProductId: int64(p)},
	} {
		f.Add(marshal(f, seed))
	}
	catalog, carts, orders := catalogServer{catalog: m}, cartsServer{carts: m}, ordersServer{orders: m.Checkout()}
	f.Fuzz(func(t *testing.T, data []byte) {
		serveBytes(t, data, catalog.Products)
		serveBytes(t, data, catalog.Product)
		serveBytes(t, data, catalog.Lookup)
		serveBytes(t, data, carts.Items)
		serveBytes(t, data, carts.AddItem)
		serveBytes(t, data, carts.SetItem)
		serveBytes(t, data, carts.RemoveItem)
		serveBytes(t, data, carts.Take)
		serveBytes(t, data, orders.PlaceOrder)
		serveBytes(t, data, orders.Order)
	})
}

// message is a pointer to a generated struct.
type message[T any] interface {
	*T
	proto.Message
}

func serveBytes[Req any, R message[Req], Resp any](t *testing.T, data []byte, serve func(context.Context, R) (Resp, error)) {
	req := R(new(Req))
	if proto.Unmarshal(data, req) != nil {
		return
	}
	_, err := serve(t.Context(), req)
	if err == nil {
		return
	}
	switch kind := domain.KindOf(err); kind {
	case domain.Invalid, domain.NotFound, domain.Conflict:
	default:
		t.Errorf("%T %v: error of kind %q: %v", req, req, kind, err)
	}
}

// FuzzAnswers reads bytes as the answers a client converts: nothing panics, what is refused is a fault of ours, and what is
// taken survives another trip.
func FuzzAnswers(f *testing.F) {
	tea := domain.Product{ID: 1, Name: "tea", Price: domain.Cents(1249)}
	l, err := domain.NewLine(tea, 10)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []proto.Message{
		pbPage(domain.Page{Products: []domain.Product{tea}, Next: 1}),
		pbProduct(tea),
		pbItem(domain.Item{ProductID: 1, Quantity: -1}),
		pbOrder(domain.Order{ID: domain.NewOrderID(), Lines: []domain.Line{l}, Total: l.Total, PlacedAt: time.Unix(0, 0)}),
		&shoppb.Order{Id: []byte("short"), PlacedAtMicros: math.MinInt64},
	} {
		f.Add(marshal(f, seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readBytes(t, data, page, pbPage)
		readBytes(t, data, product, pbProduct)
		readBytes(t, data, item, pbItem)
		readBytes(t, data, line, pbLine)
		readBytes(t, data, order, pbOrder)
	})
}

func readBytes[M any, P message[M], T any](t *testing.T, data []byte, read func(P) (T, error), write func(T) P) {
	in := P(new(M))
	if proto.Unmarshal(data, in) != nil {
		return
	}
	first, err := answer(read(in))
	if err != nil {
		checkError(t, err, general(domain.Internal))
		return
	}
	second, err := read(write(first))
	if diff := cmp.Diff(first, second, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v: error %v, second trip (-first +second):\n%s", in, err, diff)
	}
}

func marshal(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
