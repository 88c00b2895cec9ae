package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"splitshop/transport/grpcapi/shoppb"
)

// Host is what a process offers to those it depends on: it asks whether they are ready, and closes them at its end.
type Host interface {
	Needs(name string, ready func(context.Context) error, closeIt func())
}

// contracts are the services' names and what each serves.
var contracts = map[string]string{
	"catalog": shoppb.Catalog_ServiceDesc.ServiceName,
	"cart":    shoppb.Carts_ServiceDesc.ServiceName,
	"orders":  shoppb.Orders_ServiceDesc.ServiceName,
}

// Upstream is Dial for a process that needs the server at addr: it is not ready while that server is not or is none of the
// service of that name, and closes the connection at its end.
func Upstream(h Host, name, addr string) (*grpc.ClientConn, error) {
	conn, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	h.Needs(name,
		func(ctx context.Context) error { return readyFor(ctx, conn, contracts[name]) },
		func() { conn.Close() },
	)
	return conn, nil
}
