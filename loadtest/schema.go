package main

import (
	"io"

	"splitshop/loadtest/result"
)

// schema is `loadtest schema`.
type schema struct{}

// Run prints the JSON Schema of result files.
func (*schema) Run(s streams) error {
	_, err := io.WriteString(s.out, result.JSONSchema())
	return err
}
