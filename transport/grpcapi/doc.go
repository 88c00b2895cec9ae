// Package grpcapi carries the contracts of package domain between processes as gRPC calls: server adapters and clients of
// Catalog, Carts and Orders side by side, the converters, the table of errors, and the settings of both ends.
//
// It owns everything that is gRPC or Protocol Buffers; no such type leaves it. It does not know what is behind a contract,
// who calls it, or any rule of the shop.
//
// A client holds one connection for each upstream. A call has at most [CallTimeout], is never repeated once a server may
// have seen it, and fails at once where there is no connection. A lost connection is made again by itself.
package grpcapi
