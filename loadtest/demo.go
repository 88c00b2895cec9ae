package main

import (
	"context"
	"time"

	"splitshop/loadtest/runner"
)

// demo is `loadtest demo`.
type demo struct {
	Out  string `default:"out/demo" placeholder:"DIR" help:"Where the result, the report and the logs go."`
	Bin  string `default:"bin" type:"path" help:"Where the shop's binaries are."`
	Seed uint32 `default:"1" help:"The run's randomness."`
	JSON bool   `name:"json" help:"Print the result as JSON on standard output instead of the table."`
}

// demoRamp is how long one design's ramp may take, so that everything together stays under three minutes.
const demoRamp = 50 * time.Second

// Run ramps the monolith and the services with the same plan: the monolith's closed-loop rate is the base.
func (c *demo) Run(ctx context.Context, s streams, code *int) error {
	r := ramp{Steps: 10, Arrivals: "uniform", budget: demoRamp, flags: flags{
		Design: []string{runner.Mono, runner.Micro}, Mix: "mix", Seed: c.Seed, Products: 1000,
		Warmup: 5 * time.Second, SLOP99: 50 * time.Millisecond, SLOFailures: 0.001, SLODropped: 0.001, Scale: "quick",
		Client: "own", Out: c.Out, JSON: c.JSON, Bin: c.Bin}}
	return r.run(ctx, s, code, "demo")
}
