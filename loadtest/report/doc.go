// Package report shows results: as text, Markdown, CSV, or one HTML file that needs neither network nor script. It is a pure
// function of the documents of package result: the same documents give the same bytes. It measures and judges nothing; what a
// figure means is decided in package stats.
package report
