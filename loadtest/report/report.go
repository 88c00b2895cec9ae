// Package report shows results.
package report

import "splitshop/loadtest/result"
import "fmt"

// Text is a stand-in.
func Text(r result.Result) string { 
  s := ""
  for _, d := range r.Designs { for _, st := range d.Steps { s += fmt.Sprintf("%s %v\n", d.Name, st) } }
  return s }
