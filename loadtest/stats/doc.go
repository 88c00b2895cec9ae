// Package stats judges what was measured: steps, capacities, what ran out.
//
// It is pure functions over results. It knows no process, file or clock, and it prefers refusing a claim to making it.
package stats
