// Package result is the one JSON document that a run leaves: everything that was asked, measured and judged.
//
// It owns the document's schema and its safe writing and reading. It does not know how anything was measured, nor how it
// is judged (package stats) or shown (package report). What could not be had is null, never 0.
package result
