package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/transport/grpcapi/shoppb"
)

// RegisterOrders makes a server from NewServer answer for orders.
func RegisterOrders(s *grpc.Server, o domain.Orders) {
	shoppb.RegisterOrdersServer(s, ordersServer{orders: o})
}

// Orders is a domain.Orders behind a connection.
type Orders struct{ pb shoppb.OrdersClient }

var _ domain.Orders = (*Orders)(nil)

// NewOrders returns the orders behind a connection from Dial.
func NewOrders(conn grpc.ClientConnInterface) *Orders {
	return &Orders{pb: shoppb.NewOrdersClient(conn)}
}

type ordersServer struct {
	shoppb.UnimplementedOrdersServer
	orders domain.Orders
}

// PlaceOrder is documented at domain.Orders.
func (c *Orders) PlaceOrder(ctx context.Context, cart domain.CartID) (domain.Order, error) {
	resp, err := invoke(ctx, c.pb.PlaceOrder, &shoppb.PlaceOrderRequest{CartId: cart[:]})
	if err != nil {
		return domain.Order{}, err
	}
	return answer(order(resp.GetOrder()))
}

func (s ordersServer) PlaceOrder(ctx context.Context, req *shoppb.PlaceOrderRequest) (*shoppb.PlaceOrderResponse, error) {
	cart, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	o, err := s.orders.PlaceOrder(ctx, cart)
	if err != nil {
		return nil, err
	}
	return &shoppb.PlaceOrderResponse{Order: pbOrder(o)}, nil
}

// Order is documented at domain.Orders.
func (c *Orders) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	resp, err := invoke(ctx, c.pb.Order, &shoppb.OrderRequest{OrderId: id[:]})
	if err != nil {
		return domain.Order{}, err
	}
	return answer(order(resp.GetOrder()))
}

func (s ordersServer) Order(ctx context.Context, req *shoppb.OrderRequest) (*shoppb.OrderResponse, error) {
	id, err := orderID(req.GetOrderId())
	if err != nil {
		return nil, err
	}
	o, err := s.orders.Order(ctx, id)
	if err != nil {
		return nil, err
	}
	return &shoppb.OrderResponse{Order: pbOrder(o)}, nil
}
