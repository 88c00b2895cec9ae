// Package load offers work to a server on a schedule fixed before the run, and records what became of it.
//
// It owns the plan of arrivals (a pure function of mix, schedule and seed), the pacer, the virtual users, the HTTP client
// that sends their requests (HTTP1, of our own; HTTP, over net/http, beside it), the recording of latency from the due
// instant and from the send instant, and the counting of what could not start and what failed. It does not know what the
// server sells (package workload does), which processes it consists of (package runner does), nor whether a figure is good
// or bad (package stats does).
package load
