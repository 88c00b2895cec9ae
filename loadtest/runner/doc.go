// Package runner starts a design of the shop, says which processes it consists of and where they may run, reads their
// counters, stops them and leaves nothing behind.
//
// It owns the designs as sets of local processes, the core plan, the affinity of every process and its proof, and the
// counters of /proc. It does not know the shop's packages: the binaries are told by SHOP_ environment variables and answer by
// their log ("listening") and their admin pages. It measures nothing and decides nothing.
//
// Choosing cores and reading counters need Linux. Elsewhere designs start all the same, and the counters say so.
package runner
