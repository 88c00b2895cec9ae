// Package workload is what the virtual users do in the shop: browse, use a cart, check out.
//
// It owns the mixes, the preparation a run needs (the catalogue's cursors, the leased carts) and the checks of every
// answer. It sees the shop as any client of the public API does, with its own few JSON names; it knows nothing of the
// shop's packages, of when an iteration is due, or of what its latency means.
package workload
