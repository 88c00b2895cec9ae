// Package sql is the shop in Postgres.
//
// It owns every SQL string of the project: one file per owning service (catalog.go, carts.go, orders.go), the statements
// that only a monolith can have (monolith.go), the schema (migrations/), the login roles (roles.go) and the seeded
// catalogue (seed.go). It decides what a database error means to the shop (errors.go). It does not know how a call
// reaches it, nor the shop's rules: adding up and refusing is package domain's, and the CHECK constraints only repeat its
// limits.
//
// How concurrent writers of one cart stay out of each other's way: a statement that touches more than one line locks the
// cart's row first and then lines in the order of product ids; a statement that adds to one line holds that line alone
// and needs the cart's row, last, only where the line is new. So no two of them can wait for each other.
package sql
