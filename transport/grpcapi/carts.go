package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/transport/grpcapi/shoppb"
)

// RegisterCarts makes a server from NewServer answer for carts.
func RegisterCarts(s *grpc.Server, c domain.Carts) {
	shoppb.RegisterCartsServer(s, cartsServer{carts: c})
}

// Carts is a domain.Carts behind a connection.
type Carts struct{ pb shoppb.CartsClient }

var _ domain.Carts = (*Carts)(nil)

// NewCarts returns the carts behind a connection from Dial.
func NewCarts(conn grpc.ClientConnInterface) *Carts {
	return &Carts{pb: shoppb.NewCartsClient(conn)}
}

type cartsServer struct {
	shoppb.UnimplementedCartsServer
	carts domain.Carts
}

// CreateCart is documented at domain.Carts.
func (c *Carts) CreateCart(ctx context.Context) (domain.CartID, error) {
	resp, err := invoke(ctx, c.pb.CreateCart, &shoppb.CreateCartRequest{})
	if err != nil {
		return domain.CartID{}, err
	}
	return answer(cartID(resp.GetCartId()))
}

func (s cartsServer) CreateCart(ctx context.Context, _ *shoppb.CreateCartRequest) (*shoppb.CreateCartResponse, error) {
	id, err := s.carts.CreateCart(ctx)
	if err != nil {
		return nil, err
	}
	return &shoppb.CreateCartResponse{CartId: id[:]}, nil
}

// Items is documented at domain.Carts.
func (c *Carts) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	resp, err := invoke(ctx, c.pb.Items, &shoppb.ItemsRequest{CartId: id[:]})
	if err != nil {
		return nil, err
	}
	return answer(tryEach(resp.GetItems(), item))
}

func (s cartsServer) Items(ctx context.Context, req *shoppb.ItemsRequest) (*shoppb.ItemsResponse, error) {
	id, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	items, err := s.carts.Items(ctx, id)
	if err != nil {
		return nil, err
	}
	return &shoppb.ItemsResponse{Items: each(items, pbItem)}, nil
}

// AddItem is documented at domain.Carts.
func (c *Carts) AddItem(ctx context.Context, id domain.CartID, i domain.Item) (int, error) {
	resp, err := invoke(ctx, c.pb.AddItem, &shoppb.AddItemRequest{CartId: id[:], Item: pbItem(i)})
	if err != nil {
		return 0, err
	}
	return answer(number("quantity", resp.GetQuantity()))
}

func (s cartsServer) AddItem(ctx context.Context, req *shoppb.AddItemRequest) (*shoppb.AddItemResponse, error) {
	id, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	i, err := item(req.GetItem())
	if err != nil {
		return nil, err
	}
	quantity, err := s.carts.AddItem(ctx, id, i)
	if err != nil {
		return nil, err
	}
	return &shoppb.AddItemResponse{Quantity: int64(quantity)}, nil
}

// SetItem is documented at domain.Carts.
func (c *Carts) SetItem(ctx context.Context, id domain.CartID, i domain.Item) error {
	_, err := invoke(ctx, c.pb.SetItem, &shoppb.SetItemRequest{CartId: id[:], Item: pbItem(i)})
	return err
}

func (s cartsServer) SetItem(ctx context.Context, req *shoppb.SetItemRequest) (*shoppb.SetItemResponse, error) {
	id, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	i, err := item(req.GetItem())
	if err != nil {
		return nil, err
	}
	if err := s.carts.SetItem(ctx, id, i); err != nil {
		return nil, err
	}
	return &shoppb.SetItemResponse{}, nil
}

// RemoveItem is documented at domain.Carts.
func (c *Carts) RemoveItem(ctx context.Context, id domain.CartID, product domain.ProductID) error {
	_, err := invoke(ctx, c.pb.RemoveItem, &shoppb.RemoveItemRequest{CartId: id[:], ProductId: int64(product)})
	return err
}

func (s cartsServer) RemoveItem(ctx context.Context, req *shoppb.RemoveItemRequest) (*shoppb.RemoveItemResponse, error) {
	id, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	if err := s.carts.RemoveItem(ctx, id, domain.ProductID(req.GetProductId())); err != nil {
		return nil, err
	}
	return &shoppb.RemoveItemResponse{}, nil
}

// Take is documented at domain.Carts.
func (c *Carts) Take(ctx context.Context, id domain.CartID, ordered []domain.Item) error {
	_, err := invoke(ctx, c.pb.Take, &shoppb.TakeRequest{CartId: id[:], Ordered: each(ordered, pbItem)})
	return err
}

func (s cartsServer) Take(ctx context.Context, req *shoppb.TakeRequest) (*shoppb.TakeResponse, error) {
	id, err := cartID(req.GetCartId())
	if err != nil {
		return nil, err
	}
	ordered, err := tryEach(req.GetOrdered(), item)
	if err != nil {
		return nil, err
	}
	if err := s.carts.Take(ctx, id, ordered); err != nil {
		return nil, err
	}
	return &shoppb.TakeResponse{}, nil
}
