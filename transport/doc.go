// Package transport groups the ways a call leaves the process: grpcapi between the services, httpapi for the public. It
// holds no code of its own.
//
// There is no package for calls inside a process, on purpose: a value that implements a contract of package domain is
// passed to whoever needs it, and calling it is the transport. That is how the monolith works, and what the other ways are
// measured against.
//
// A transport knows the contracts and nothing of what is behind them; the domain and the stores know no transport. To add
// one, make a package beside these with
//
//   - both ends of each contract it carries, side by side in one file: a server adapter over a domain.Catalog, domain.Carts
//     or domain.Orders, and a client that is one, pinned with var _ domain.Catalog = (*Catalog)(nil);
//   - one file of converters, so that its own types (messages, field names) never leave the package;
//   - one two-way table from domain.Kind to what it has for errors. Detail and Field cross, causes do not; "nothing was
//     done" (domain.Unavailable) is claimed only where the request certainly never left;
//   - a deadline on every call, limits on every message, and no retry of anything that may have been executed;
//   - a test that runs the suite of package domaintest through real sockets, and one that proves the error table there.
//
// Then let the mains choose it.
package transport
