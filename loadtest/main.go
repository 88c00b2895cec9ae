// Command loadtest is the load lab: it drives the shop with traffic planned before the run, and says with evidence what each
// design can carry and what the split costs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// The exit codes.
const (
	exitMeasured    = 0
	exitRequired    = 1 // a required SLO failed
	exitUsage       = 2
	exitInvalid     = 3 // something was not measured as it was meant to be, or the run was interrupted
	exitCouldNotRun = 4
)

// commands are the sub-commands; each one's Run is called with what run binds.
type commands struct {
	Demo    demo    `cmd:"" help:"Ramp the monolith, then the services with the same plan, in under three minutes."`
	Ramp    ramp    `cmd:"" help:"Offer rising rates, each for a while, and find the highest that keeps the SLO."`
	Search  search  `cmd:"" help:"Look for the highest rate that keeps the SLO: climb, halve the bracket, confirm by a longer run."`
	Fixed   fixed   `cmd:"" help:"Offer one rate to all designs, for their latency at equal load."`
	Closed  closed  `cmd:"" help:"Let some users work without think time: the highest rate there is."`
	Compare compare `cmd:"" help:"Run closed loops of designs in turn, by default mono and micro, and say whether one is ahead; or compare results."`
	Report  render  `cmd:"" name:"report" help:"Show results as text, Markdown, CSV or one HTML page."`

	Doctor doctor `cmd:"" help:"Say what this machine can and cannot measure, and what killed labs left."`
	Schema schema `cmd:"" help:"Print the JSON Schema of result files."`

	Up     up     `cmd:"" help:"Bring the shop up in containers, on planned cores, and say what was read back."`
	PS     ps     `cmd:"" name:"ps" help:"List the shop's containers and what they are held to."`
	Logs   logs   `cmd:"" help:"Show the containers' logs."`
	Down   down   `cmd:"" help:"Remove the shop's containers, networks and data."`
	Images images `cmd:"" help:"Make the images that are missing or stale."`

	Generate generate `cmd:"" hidden:"" help:"What the lab runs in the generator's container: tasks come in on standard input."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal finds the default behaviour: it ends the process
	debug.SetGCPercent(800)      // the generator holds little and its pauses matter: a collection every few seconds
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// streams are where a command writes: results to out, progress and errors to err.
type streams struct{ out, err io.Writer }

// usageError is the caller's mistake on the command line.
type usageError struct{ error }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("loadtest"),
		kong.Description("The shop's load lab. Exit codes: 0 measured, 1 a required SLO failed, 2 usage, 3 INVALID, 4 could not run."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.Vars(vars()))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	command, err := parser.Parse(args)
	if helped {
		return exitMeasured
	}
	if err != nil {
		fmt.Fprintf(stderr, "loadtest: %v (see --help)\n", err)
		return exitUsage
	}
	code := exitMeasured
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(streams{stdout, stderr}, &code)
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "loadtest: %v (see --help)\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(stderr, "loadtest: %v\n", err)
		return exitCouldNotRun
	}
	return code
}
