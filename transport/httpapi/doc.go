// Package httpapi is the shop's public HTTP/JSON API: [Public] serves any domain.Shop, [Client] is a domain.Shop over the
// API, and openapi.yaml (served at /openapi.yaml) is its description.
//
// It owns the routes, every JSON field name, the cursor's text, the reading of request bodies and the problem documents
// (RFC 9457). It does not know what the shop is built from, it holds no rule of the shop (domain refuses, this package
// says so in HTTP), and it sets no server timeouts: those belong to package process. No forwarded header is read, and
// nothing answered depends on the Host header.
package httpapi
