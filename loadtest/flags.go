package main

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/report"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
	"splitshop/loadtest/workload"
)

// flags are those every measuring command has.
type flags struct {
	Design      designs       `placeholder:"NAME" help:"Designs to start and measure, in this order: ${designs}. Default: mono; to compare, mono and micro."`
	URL         target        `name:"url" help:"Measure the shop at this address (http://host:port or unix:/path) instead of starting one."`
	In          string        `default:"local" enum:"local,containers" help:"Where designs are started: ${enum}. In containers the generator is one too."`
	Quotas      string        `placeholder:"NAME" help:"With --in containers: the preset for this machine's cores with these CPU quotas (none, even, tuned), or a file of your own. Default: none."`
	Mix         string        `default:"mix" enum:"${mixes}" help:"What the users do: ${enum}."`
	Users       int           `placeholder:"N" help:"Virtual users: exactly (closed: 16), or at most (all others: 1024)."`
	Warmup      time.Duration `default:"5s" help:"Closed loop before each measurement, discarded and recorded."`
	Client      string        `default:"own" enum:"own,net/http" help:"HTTP client of the generator: ${enum}. The second costs more CPU."`
	Seed        uint32        `default:"1" help:"The run's randomness. Equal seeds offer equal work."`
	Products    int           `default:"1000" help:"Products in the catalogue of a started design."`
	SLOP99      time.Duration `name:"slo-p99" default:"50ms" help:"The SLO: p99 from due, below this."`
	SLOFailures float64       `name:"slo-failures" default:"0.001" help:"The SLO: share of requests that fail, below this."`
	SLODropped  float64       `name:"slo-dropped" default:"0.001" help:"The SLO: share of arrivals dropped, below this."`
	Scale       string        `default:"standard" enum:"quick,standard,full" help:"Durations and repeats: ${enum}."`
	Require     float64       `placeholder:"RATE" help:"Exit with 1 unless each design carries so many iterations/s inside the SLO."`
	Out         string        `placeholder:"DIR" help:"Where the result, the report and the logs go. Default: out/COMMAND."`
	JSON        bool          `name:"json" help:"Print the result as JSON on standard output instead of the table."`
	Bin         string        `default:"bin" type:"path" help:"Where the shop's binaries are."`
	Top         string        `default:"." help:"With --in containers: the top folder of the clone."`
}

// vars are the words that the flags' help texts use.
func vars() map[string]string {
	return map[string]string{
		"designs": strings.Join(runner.Designs(), ", "),
		"mixes":   strings.Join(workload.MixNames(), ","),
		"formats": strings.Join(report.Formats(), ","),
	}
}

// designs are names from runner.Designs; given, they are at least one: an empty text is a variable that nobody set.
type designs []string

// UnmarshalText adds the names of a list with commas.
func (d *designs) UnmarshalText(text []byte) error {
	for name := range strings.SplitSeq(string(text), ",") {
		if !slices.Contains(runner.Designs(), name) {
			return fmt.Errorf("there is no design %q, only %s", name, strings.Join(runner.Designs(), ", "))
		}
		*d = append(*d, name)
	}
	return nil
}

// target is where a shop runs already. Given, it is not empty, for the same reason.
type target string

// UnmarshalText refuses what is no address. What more a URL can have would not be sent, and its password would be printed.
func (t *target) UnmarshalText(text []byte) error {
	*t = target(text)
	if path, ok := strings.CutPrefix(string(text), "unix:"); ok && path != "" {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" || u.Host == "" || u.User != nil || u.ForceQuery || u.RawQuery+u.Fragment != "" {
		return errors.New("an address is http://host:port or unix:/path and nothing more")
	}
	return nil
}

func isShare(x float64) bool { return x > 0 && x <= 1 } // false for what is no number

func isRate(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// scale is what --scale sets.
type scale struct {
	closed    time.Duration
	repeats   int
	step      time.Duration
	sustained time.Duration // a fixed rate, and the run that confirms what a search found
	searches  int
	preflight time.Duration
}

var scales = map[string]scale{
	"quick": {closed: 5 * time.Second, repeats: 2, step: 3 * time.Second, sustained: 15 * time.Second, searches: 1,
		preflight: 3 * time.Second},
	"standard": {closed: 15 * time.Second, repeats: 6, step: 8 * time.Second, sustained: 60 * time.Second, searches: 4,
		preflight: 10 * time.Second},
	"full": {closed: 30 * time.Second, repeats: 6, step: 20 * time.Second, sustained: 90 * time.Second, searches: 4,
		preflight: 10 * time.Second},
}

// longest is by how much a step may be lengthened to offer the arrivals that its claim needs.
const longest = 8

// lasting is the length of a step at a rate: the usual one, or longer, within reason, where the SLO's claim needs more arrivals to
// bear so many failures.
func (f *flags) lasting(usual time.Duration, rate float64, failures int64) time.Duration {
	need := float64(stats.Needed(min(f.SLOFailures, f.SLODropped), failures)) / rate * float64(time.Second)
	return max(usual, time.Duration(min(need, float64(longest*usual))).Truncate(time.Millisecond)+time.Millisecond)
}

// check completes the flags of a command and says what is wrong with them.
func (f *flags) check(command string, users int) (load.Mix, error) {
	if f.Users == 0 {
		f.Users = users
	}
	if f.Out == "" {
		f.Out = filepath.Join("out", command)
	}
	if f.URL != "" && len(f.Design) > 0 {
		return load.Mix{}, usageError{fmt.Errorf("--url measures what runs already, --design starts it: give one of them")}
	}
	if f.URL == "" && len(f.Design) == 0 {
		f.Design = []string{runner.Mono}
	}
	if f.Users < 1 || f.Warmup <= 0 || f.SLOP99 <= 0 || f.Products < 1 {
		return load.Mix{}, usageError{errors.New("--users, --products, --warmup and the SLO are above 0")}
	}
	if !isShare(f.SLOFailures) || !isShare(f.SLODropped) {
		return load.Mix{}, usageError{errors.New("--slo-failures and --slo-dropped are above 0 and at most 1")}
	}
	if !isRate(f.Require) {
		return load.Mix{}, usageError{errors.New("--require is a number and not negative")}
	}
	if err := f.checkPlace(); err != nil {
		return load.Mix{}, usageError{err}
	}
	mix, err := workload.MixOf(f.Mix)
	if err != nil {
		return load.Mix{}, usageError{err}
	}
	return mix, nil
}

// names are the designs to measure, in order; a given URL stands as one under its own name.
func (f *flags) names() []string {
	if f.URL != "" {
		return []string{string(f.URL)}
	}
	return f.Design
}

func (f *flags) slo() result.SLO {
	return result.SLO{P99Ms: float64(f.SLOP99) / float64(time.Millisecond), Failures: f.SLOFailures, Dropped: f.SLODropped}
}
