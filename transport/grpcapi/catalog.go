package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/transport/grpcapi/shoppb"
)

// RegisterCatalog makes a server from NewServer answer for a catalog.
func RegisterCatalog(s *grpc.Server, c domain.Catalog) {
	shoppb.RegisterCatalogServer(s, catalogServer{catalog: c})
}

// Catalog is a domain.Catalog behind a connection.
type Catalog struct{ pb shoppb.CatalogClient }

var _ domain.Catalog = (*Catalog)(nil)

// NewCatalog returns the catalog behind a connection from Dial.
func NewCatalog(conn grpc.ClientConnInterface) *Catalog {
	return &Catalog{pb: shoppb.NewCatalogClient(conn)}
}

type catalogServer struct {
	shoppb.UnimplementedCatalogServer
	catalog domain.Catalog
}

// Products is documented at domain.Catalog.
func (c *Catalog) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	resp, err := invoke(ctx, c.pb.Products, &shoppb.ProductsRequest{After: int64(after), Limit: int64(limit)})
	if err != nil {
		return domain.Page{}, err
	}
	return answer(page(resp))
}

func (s catalogServer) Products(ctx context.Context, req *shoppb.ProductsRequest) (*shoppb.ProductsResponse, error) {
	limit, err := number("limit", req.GetLimit())
	if err != nil {
		return nil, err
	}
	p, err := s.catalog.Products(ctx, domain.ProductID(req.GetAfter()), limit)
	if err != nil {
		return nil, err
	}
	return pbPage(p), nil
}

// Product is documented at domain.Catalog.
func (c *Catalog) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	resp, err := invoke(ctx, c.pb.Product, &shoppb.ProductRequest{Id: int64(id)})
	if err != nil {
		return domain.Product{}, err
	}
	return answer(product(resp.GetProduct()))
}

func (s catalogServer) Product(ctx context.Context, req *shoppb.ProductRequest) (*shoppb.ProductResponse, error) {
	p, err := s.catalog.Product(ctx, domain.ProductID(req.GetId()))
	if err != nil {
		return nil, err
	}
	return &shoppb.ProductResponse{Product: pbProduct(p)}, nil
}

// Lookup is documented at domain.Catalog.
func (c *Catalog) Lookup(ctx context.Context, ids []domain.ProductID) ([]domain.Product, error) {
	resp, err := invoke(ctx, c.pb.Lookup, &shoppb.LookupRequest{Ids: each(ids, pbProductID)})
	if err != nil {
		return nil, err
	}
	return answer(tryEach(resp.GetProducts(), product))
}

func (s catalogServer) Lookup(ctx context.Context, req *shoppb.LookupRequest) (*shoppb.LookupResponse, error) {
	products, err := s.catalog.Lookup(ctx, each(req.GetIds(), productID))
	if err != nil {
		return nil, err
	}
	return &shoppb.LookupResponse{Products: pbProducts(products)}, nil
}
