// Package report shows results. It is a pure function of the documents of package result: the same document gives the same
// text byte for byte. It measures and judges nothing; what a figure means is decided in package stats.
package report
