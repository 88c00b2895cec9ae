// Package containers holds the shop to its promises as it runs in containers: images, networks, limits, the compose file, and
// what becomes of requests while containers stop, die and come late. It is a module of its own, so that nobody who uses the
// shop inherits what these tests need.
//
// It owns the containers that it starts. It knows the shop by its images, its public API and its commands; what a shop does is
// domaintest's and httpapitest's to say.
//
// `make test-containers` runs the tests. They need a container engine: in CI (CI=true) its absence is a failure.
package containers
