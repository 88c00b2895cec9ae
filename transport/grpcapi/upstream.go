package grpcapi

import (
	"context"

	"google.golang.org/grpc"
)

// Host is what a process offers to those it depends on: it asks whether they are ready, and closes them at its end.
type Host interface {
	Needs(name string, ready func(context.Context) error, closeIt func())
}

// Upstream is Dial for a process that needs the server at addr: it is not ready while that server is not, and closes the
// connection at its end.
func Upstream(h Host, name, addr string) (*grpc.ClientConn, error) {
	conn, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	h.Needs(name,
		func(ctx context.Context) error { return Ready(ctx, conn) },
		func() { conn.Close() },
	)
	return conn, nil
}
