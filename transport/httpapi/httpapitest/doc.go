// Package httpapitest checks anything that serves the shop's public API: [Transcript] writes down a fixed conversation with
// it, to be compared byte for byte with the golden one, and [Validator] holds every exchange against openapi.yaml.
//
// It speaks HTTP only. It does not know how the server is built, nor what else its shop holds.
package httpapitest
