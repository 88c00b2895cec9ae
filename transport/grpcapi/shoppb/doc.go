// Package shoppb is the code generated from shop.proto by `make generate`, and nothing else. It knows no rule of the shop;
// only package grpcapi imports it.
package shoppb
