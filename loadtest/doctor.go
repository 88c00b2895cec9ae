package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/runner/compose"
	"splitshop/pgserver"
)

// doctor is `loadtest doctor`.
type doctor struct {
	project
	Clean bool          `help:"Remove what killed labs left behind. What a living one uses stays."`
	Watch time.Duration `default:"5s" help:"How long to watch what else this machine does."`
	JSON  bool          `name:"json" help:"Print JSON on standard output instead of the table."`
}

// diagnosis is what the doctor says, and its form in JSON.
type diagnosis struct {
	CanMeasure bool      `json:"can_measure"`
	Findings   []finding `json:"findings"`
}

// Run examines this machine. It holds the lab's lock meanwhile, so that no measurement begins beside it. The exit code is
// exitCouldNotRun where the lab cannot measure here now.
func (c *doctor) Run(ctx context.Context, s streams, code *int) error {
	if c.Watch <= 0 {
		return usageError{errors.New("--watch is above 0")}
	}
	say := newProgress(s.err)
	unlock, lockErr := runner.Lock()
	if lockErr == nil {
		defer unlock()
	}
	say.stage(func() string { return "asking the kernel and the container engine" })
	d := diagnosis{CanMeasure: true, Findings: c.examine(ctx)}
	d.Findings = append(d.Findings, ofLock(lockErr))
	noise := finding{What: "noise", State: unknown, Found: "not watched while another lab measures"}
	if lockErr == nil {
		noise = ofNoise(watch(ctx, say, "watching what else this machine does", runner.Attach(""), runner.SoftIRQUnknown, c.Watch))
	}
	d.Findings = append(d.Findings, noise)
	left := pgserver.Leftovers()
	var cleanErr error
	if c.Clean && len(left) > 0 {
		say.stage(func() string { return "removing what killed labs left" })
		cleanErr = pgserver.Sweep(ctx)
		left = pgserver.Leftovers()
	}
	d.Findings = append(d.Findings, ofLeftovers(left, cleanErr)...)
	d.Findings = append(d.Findings, c.leftInContainers(ctx, say, lockErr == nil)...)
	say.close()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	if slices.ContainsFunc(d.Findings, func(f finding) bool { return f.State == prevents }) {
		d.CanMeasure, *code = false, exitCouldNotRun
	}
	return d.print(s.out, c.JSON)
}

// examine is everything but noise, the lock and leftovers.
func (c *doctor) examine(ctx context.Context) []finding {
	cores, coresErr := runner.PlanHere()
	quota, quotaErr := compose.Own()
	tools, toolsErr := compose.FindTools(ctx)
	postgres, postgresErr := pgserver.Source(ctx)
	scheduling, release := load.NewClock().Claim()
	release()
	m := machine()
	softIRQ := runner.FindSoftIRQ()
	sample, sampleErr := runner.Attach("").Sample()
	return []finding{
		ofCores(cores, coresErr),
		ofQuotas(quota, quotaErr),
		ofScheduling(scheduling, len(cores.Generator)),
		ofSoftIRQ(softIRQ, sample.Cores, sampleErr),
		ofClock(firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"), clockStep()),
		ofGovernor(m.Governor),
		ofFiles(openFiles()),
		ofPostgres(postgres, postgresErr),
		ofEngine(tools, toolsErr),
		c.containersUp(ctx, toolsErr),
	}
}

// containersUp says whether the shop is up in containers, which was brought up on purpose but takes CPU from what is measured.
func (c *doctor) containersUp(ctx context.Context, toolsErr error) finding {
	if toolsErr != nil {
		return ofContainers(nil, toolsErr)
	}
	p, err := compose.Open(ctx, c.Top, c.Bin)
	if err != nil {
		return ofContainers(nil, err)
	}
	return ofContainers(p.Status(ctx))
}

// leftInContainers is what a killed lab left of its own project, which is removed where that was asked for; nothing is found while
// another lab lives, whose it may be, and where there is no engine.
func (c *doctor) leftInContainers(ctx context.Context, say *progress, alone bool) []finding {
	if !alone {
		return nil
	}
	p, err := labProject(ctx, c.Top, c.Bin)
	if err != nil {
		return nil
	}
	left, err := p.Left(ctx)
	if err == nil && left != "" && c.Clean {
		say.stage(func() string { return "removing the containers that killed labs left" })
		if err = p.Down(ctx, false); err == nil {
			left = ""
		}
	}
	return ofContainersLeft(p.Name, left, err)
}

// clockStep is the smallest step that the clock was seen to make.
func clockStep() time.Duration {
	least := time.Hour
	for range 1000 {
		var step time.Duration
		for began := time.Now(); step <= 0; {
			step = time.Since(began)
		}
		least = min(least, step)
	}
	return least
}

// openFiles is how many files this process may have open at once; the Go runtime has raised it as far as it goes.
func openFiles() (uint64, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return limit.Cur, err
}

func (d diagnosis) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(d)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range d.Findings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.What, f.State, f.Found)
		if f.Fix != "" {
			for line := range strings.SplitSeq(f.Fix, "\n") {
				fmt.Fprintf(t, "\t\t-> %s\n", line)
			}
		}
	}
	end := "This machine can measure. What is limited above stands in every result."
	if !d.CanMeasure {
		end = "The lab cannot measure here now: see the lines marked " + string(prevents) + "."
	}
	fmt.Fprintf(t, "\n%s\n", end)
	return t.Flush()
}
