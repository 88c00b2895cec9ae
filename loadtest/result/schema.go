package result

import _ "embed"

// schemaText is made from the types of this package by its tests: go test ./loadtest/result -update.
//
//go:embed schema.json
var schemaText string

// JSONSchema is the document's JSON Schema (draft 2020-12), as text.
func JSONSchema() string { return schemaText }
