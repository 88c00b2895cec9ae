// Package test runs the shop as its users would meet it: the real binaries as processes, over a real Postgres server, in
// every topology, and through the trouble that such systems get into.
//
// It owns what only whole processes can show: that all topologies are the same shop, how many calls a request makes, and
// what the public API says while a part starts, stops, hangs, is killed or loses its database. What one package promises by
// itself is tested there. It starts everything through loadtest/runner, and leaves no process and no database server behind.
package test
