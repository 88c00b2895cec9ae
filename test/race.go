//go:build race

package test

// raceDetector says whether this test was built with the race detector; then the shop's binaries are too.
const raceDetector = true
