package grpcapi

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"

	"splitshop/domain"
)

// CallTimeout is the longest a call between services may take; what remains of the caller's own deadline, if that is less.
const CallTimeout = 2 * time.Second

// pingEvery is how often a client asks a silent server whether it is still there; pingTimeout is how long it waits.
const (
	pingEvery   = 30 * time.Second
	pingTimeout = 5 * time.Second
)

// The wait after a failed connection attempt grows from firstRetry to lastRetry, give or take a fifth.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 800 * time.Millisecond
)

// passthrough hands an address to the dialer as it is, which looks its name up for each new connection: a service that comes
// back at another address is found. gRPC's own resolver keeps what it found for up to half a minute.
const passthrough = "passthrough:///"

// Dial returns a connection to a server at "host:port" or "unix:/path". It connects with the first call, not now, and again
// whenever the connection was lost. The error says what is wrong with the address.
func Dial(addr string) (*grpc.ClientConn, error) {
	target := addr
	if addr == "unix:" {
		return nil, fmt.Errorf(`%q has no path: "unix:/path"`, addr)
	}
	if !strings.HasPrefix(addr, "unix:") {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return nil, fmt.Errorf(`%q is neither "host:port" nor "unix:/path": %w`, addr, err)
		}
		target = passthrough + addr
	}
	return grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(), // but for requests that no server looked at
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingEvery, Timeout: pingTimeout, PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: firstRetry, Multiplier: 2, Jitter: 0.2, MaxDelay: lastRetry},
			MinConnectTimeout: CallTimeout,
		}),
	)
}

// Ready asks the server behind conn whether it can do its work. Errors: Unavailable (not reached, or it says it cannot),
// Deadline, MayHaveExecuted, Internal.
func Ready(ctx context.Context, conn *grpc.ClientConn) error { return readyFor(ctx, conn, "") }

// readyFor is Ready of a server that must have the given contract; "": any.
func readyFor(ctx context.Context, conn *grpc.ClientConn, contract string) error {
	addr := strings.TrimPrefix(conn.Target(), passthrough)
	resp, err := invoke(ctx, healthpb.NewHealthClient(conn).Check, &healthpb.HealthCheckRequest{Service: contract})
	if err != nil {
		return fmt.Errorf("asking %s whether it is ready: %w", addr, err)
	}
	switch resp.GetStatus() {
	case healthpb.HealthCheckResponse_SERVING:
		return nil
	case healthpb.HealthCheckResponse_SERVICE_UNKNOWN:
		return domain.Wrap(domain.Unavailable, fmt.Errorf("%s is another server: it has no %s", addr, contract))
	default:
		return domain.Wrap(domain.Unavailable, fmt.Errorf("%s says it is %s", addr, resp.GetStatus()))
	}
}

// invoke makes one call: its deadline, the call, and what its error means.
func invoke[Req, Resp any](
	ctx context.Context, method func(context.Context, *Req, ...grpc.CallOption) (*Resp, error), req *Req,
) (*Resp, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	var server peer.Peer // stays empty where no stream was opened
	resp, err := method(ctx, req, grpc.Peer(&server))
	if err != nil {
		return nil, fromStatus(err, server.Addr != nil)
	}
	return resp, nil
}
