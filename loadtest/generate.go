package main

import (
	"context"
	"os"
	"runtime"

	"splitshop/loadtest/load"
)

// generate is `loadtest generate`, which the lab runs in a container of its own: see protocol.go.
type generate struct{}

// Run has the conversation over the standard streams.
func (*generate) Run(ctx context.Context, s streams) error {
	runtime.GOMAXPROCS(generatorProcs(runtime.GOMAXPROCS(0)))
	return serve(ctx, os.Stdin, s.out, load.NewClock())
}

// generatorProcs is GOMAXPROCS of a generator on so many cores: one more is for the pacer, which must not wait until a user yields.
func generatorProcs(cores int) int { return cores + 1 }
