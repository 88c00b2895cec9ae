// Package domain is the shop: its nouns, its rules and its contracts.
//
// It owns every rule and every limit, so that each transport refuses the same things with the same words. It does not
// know how a call reaches it (transport/...), where anything is kept (sql) or which process it runs in. It imports the
// standard library only.
//
// The three contracts [Catalog], [Carts] and [Orders] are what the services offer each other; [Shop] is what the public
// API offers. [Composed] makes a Shop of the three contracts, and [Checkout] makes Orders of an order store and the other
// two: in the gateway and the orders service over the network, in the modular monolith over local stores.
package domain
