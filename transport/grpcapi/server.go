package grpcapi

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"splitshop/domain"
)

// The limits of a server. maxMessage holds for both ends; the largest legal message (100 lines with names of 200 code
// points) is about a third of it.
const (
	maxMessage       = 256 << 10 // bytes
	maxStreams       = 256       // calls at once on one connection; a client's others wait
	handshakeTimeout = 5 * time.Second
	minPingEvery     = 10 * time.Second // a client that pings more often is cut off; ours keeps to pingEvery
)

// contractsPrefix tells the contracts' methods from those of health: "/shop.Catalog/Products".
const contractsPrefix = "/shop."

// ServerOptions is what a server needs besides its contracts.
type ServerOptions struct {
	Log *slog.Logger // required; gets each internal error with its cause, a panic with its stack

	// Ready says whether the server can do its work; its error is not sent. nil: always.
	Ready func(context.Context) error

	// Observe hears of each call of a contract once it is answered: method as in "Catalog/Products", kind "ok" or a
	// domain.Kind, d as it took here. nil: nobody does.
	Observe func(method string, kind string, d time.Duration)
}

// NewServer returns a server for the Register functions, which answers grpc.health.v1.Health/Check. The caller serves and
// stops it.
func NewServer(o ServerOptions) *grpc.Server {
	s := grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPingEvery, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(o.intercept),
	)
	healthpb.RegisterHealthServer(s, healthServer{ready: o.Ready, has: func(contract string) bool {
		_, ok := s.GetServiceInfo()[contract]
		return ok
	}})
	return s
}

// intercept is what happens around each call: it turns the error into a status, logs it where it is ours, and observes.
func (o ServerOptions) intercept(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	method, contract := strings.CutPrefix(info.FullMethod, contractsPrefix)
	start, kind := time.Now(), "ok"
	resp, err := recovered(ctx, req, handler)
	if err != nil {
		e := domain.Describe(err)
		kind = string(e.Kind)
		if e.Kind == domain.Internal {
			o.Log.ErrorContext(ctx, "internal error", "method", method, "error", e.Err)
		}
		resp, err = nil, toStatus(e)
	}
	if contract && o.Observe != nil {
		o.Observe(method, kind, time.Since(start))
	}
	return resp, err
}

// recovered makes a panic an internal error, so that it ends one call and not the process.
func recovered(ctx context.Context, req any, handler grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = domain.Wrap(domain.Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return handler(ctx, req)
}

// healthServer answers Check only: readiness is asked, not watched.
type healthServer struct {
	healthpb.UnimplementedHealthServer
	ready func(context.Context) error
	has   func(contract string) bool
}

// Check answers for the server, or for one of its contracts. Whoever asks for a contract that is not here is told in the
// answer, as Watch does it: an error would look like a fault of ours.
func (h healthServer) Check(ctx context.Context, req *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	state := healthpb.HealthCheckResponse_SERVING
	switch contract := req.GetService(); {
	case contract != "" && !h.has(contract):
		state = healthpb.HealthCheckResponse_SERVICE_UNKNOWN
	case h.ready != nil && h.ready(ctx) != nil:
		state = healthpb.HealthCheckResponse_NOT_SERVING
	}
	return &healthpb.HealthCheckResponse{Status: state}, nil
}
