package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/runner/compose"
	"splitshop/loadtest/workload"
	"splitshop/pgserver"
)

// Where designs run, as results name it.
const (
	atURL        = "url"        // somebody else has started it
	inProcesses  = "local"      // processes of this machine, beside a throw-away Postgres
	inContainers = "containers" // of the compose file, with the generator in one of its own
)

// place starts designs somewhere, one at a time, each on a fresh database, and generators for them.
type place interface {
	// start starts a design on the planned cores. label begins what is said of the progress.
	start(ctx context.Context, label, name string) (*runner.Running, error)

	// generator makes the one that offers loads to a started design. The caller closes it.
	generator(ctx context.Context, running *runner.Running, p preparation, watch watching) (generator, error)

	// preset is the file that the plan of cores is from; "" where it was made here.
	preset() string

	// close removes what was there for all designs.
	close() error
}

// openPlace makes the place that the flags name, and plans the cores: none for a given URL.
func openPlace(ctx context.Context, l *lab) (place, runner.Cores, error) {
	switch l.flags.where() {
	case atURL:
		return givenURL{l}, runner.Cores{}, nil
	case inContainers:
		return openContainers(ctx, l)
	}
	cores, err := runner.PlanHere()
	if err == nil {
		err = pin(cores)
	}
	if err != nil {
		return nil, cores, err
	}
	l.say.stage(func() string { return "starting Postgres" })
	logs := filepath.Join(l.flags.Out, "logs")
	pg, err := pgserver.Start(ctx, pgserver.Options{Cores: cores.Postgres, LogFile: filepath.Join(logs, "postgres.log")})
	if err != nil {
		return nil, cores, err
	}
	return &processes{lab: l, pg: pg, logs: logs, cores: cores}, cores, nil
}

// pin keeps this process on the generator's cores, if any: also where the generator is another process, so that the lab's own
// work is not done on the shop's.
func pin(cores runner.Cores) error {
	if len(cores.Generator) == 0 {
		return nil
	}
	err := runner.PinSelf(cores.Generator)
	runtime.GOMAXPROCS(generatorProcs(len(cores.Generator)))
	return err
}

// givenURL is a shop that runs already.
type givenURL struct{ lab *lab }

func (g givenURL) start(context.Context, string, string) (*runner.Running, error) {
	return runner.Attach(string(g.lab.flags.URL)), nil
}

func (g givenURL) generator(ctx context.Context, _ *runner.Running, p preparation, watch watching) (generator, error) {
	return g.lab.inProcess(ctx, p, watch)
}

func (givenURL) preset() string { return "" }

func (givenURL) close() error { return nil }

// processes are designs as processes of this machine, and one Postgres server for all.
type processes struct {
	lab   *lab
	pg    *pgserver.Server
	logs  string
	cores runner.Cores
}

func (p *processes) start(ctx context.Context, _, name string) (*runner.Running, error) {
	return runner.Start(ctx, runner.Options{Design: name, BinDir: p.lab.flags.Bin, Products: p.lab.flags.Products,
		Cores: p.cores, LogDir: filepath.Join(p.logs, name), Postgres: p.pg})
}

func (p *processes) generator(ctx context.Context, _ *runner.Running, prep preparation, watch watching) (generator, error) {
	return p.lab.inProcess(ctx, prep, watch)
}

func (*processes) preset() string { return "" }

func (p *processes) close() error {
	p.lab.say.stage(func() string { return "stopping Postgres" })
	return p.pg.Stop()
}

// inProcess is the generator that is this process.
func (l *lab) inProcess(ctx context.Context, p preparation, watch watching) (generator, error) {
	users, err := p.prepare(ctx, l.clock, watch)
	if err != nil { // a nil *ourUsers would be a generator
		return nil, err
	}
	return users, nil
}

// boxes are designs in containers.
type boxes struct {
	lab     *lab
	project *compose.Project
	options compose.UpOptions
	cores   runner.Cores
	file    string // the preset
}

const boxesTimeout = 2 * time.Minute // until everything is ready, once there are images

// labProject finds the engine, for a compose project beside that of a person, who may have the shop up.
func labProject(ctx context.Context, top, bin string) (*compose.Project, error) {
	p, err := compose.Open(ctx, top, bin)
	if err == nil {
		p.Name += "-lab"
	}
	return p, err
}

// openContainers finds the engine and the preset, and makes what images are missing.
func openContainers(ctx context.Context, l *lab) (place, runner.Cores, error) {
	l.say.stage(func() string { return "asking the container engine" })
	p, err := labProject(ctx, l.flags.Top, l.flags.Bin)
	if err != nil {
		return nil, runner.Cores{}, err
	}
	p.Note = func(what string) { l.say.note("%s", what) }
	b := &boxes{lab: l, project: p, options: compose.UpOptions{Products: l.flags.Products, Timeout: boxesTimeout}}
	b.options.Quotas, b.options.Preset = l.flags.quotas()
	preset, err := p.Preset(compose.UpOptions{Design: l.flags.Design[0], Quotas: b.options.Quotas, Preset: b.options.Preset})
	if err != nil {
		return nil, runner.Cores{}, err
	}
	b.cores = runner.Cores{Generator: preset.Cores("generator"), Postgres: preset.Cores("postgres"), App: preset.Cores(l.flags.Design[0])}
	b.file = preset.File
	p.Progress = func(what string) { l.say.stage(func() string { return what }) }
	if err := p.BuildImages(ctx, compose.GeneratorBinary); err != nil {
		return nil, b.cores, err
	}
	return b, b.cores, pin(b.cores)
}

func (b *boxes) start(ctx context.Context, label, name string) (*runner.Running, error) {
	b.project.Progress = func(what string) { b.lab.say.stage(func() string { return label + ": " + what }) }
	o := b.options
	o.Design = name
	return runner.StartContainers(ctx, b.project, o)
}

// generator starts one in a container, and says so to what samples the counters.
func (b *boxes) generator(ctx context.Context, running *runner.Running, p preparation, watch watching) (generator, error) {
	box, err := b.project.StartGenerator(ctx, b.cores.Generator, "generate")
	if err != nil {
		return nil, err
	}
	running.SetGenerator(box.Part, b.cores.Generator)
	users, err := converse(ctx, box.In, box.Out, b.lab.clock, p, watch)
	if err != nil {
		err = boxed{box: box}.why(err)
		return nil, errors.Join(err, box.Close())
	}
	return boxed{farUsers: users, box: box}, nil
}

func (b *boxes) preset() string { return b.file }

func (b *boxes) close() error { return nil } // each design took everything with it

// boxed is a generator in a container.
type boxed struct {
	*farUsers
	box *compose.Generator
}

func (b boxed) offer(ctx context.Context, users int, o offering, live *load.Progress, boundary func(int)) (load.Record, error) {
	rec, err := b.farUsers.offer(ctx, users, o, live, boundary)
	if err != nil {
		err = b.why(err)
	}
	return rec, err
}

func (b boxed) audit(ctx context.Context, watch watching) (workload.Books, error) {
	books, err := b.farUsers.audit(ctx, watch)
	if err != nil {
		err = b.why(err)
	}
	return books, err
}

func (b boxed) close() []string {
	warnings := b.farUsers.close()
	if err := b.box.Close(); err != nil {
		warnings = append(warnings, "the generator's container: "+firstLineOf(err))
	}
	return warnings
}

// endSeen is how long it may take until the end of a container is known, after the end of its output.
const endSeen = 5 * time.Second

// why adds to an error what is known of the container's end, where that is the reason.
func (b boxed) why(err error) error {
	if !errors.Is(err, errNoRecord) {
		return err
	}
	b.box.Wait(endSeen)
	if ended := b.box.Ended(); ended != nil {
		return fmt.Errorf("%w: %w", errNoRecord, ended)
	}
	return err
}

// quotas are the flag's two meanings: the name of a division, or a preset's file.
func (f *flags) quotas() (name, file string) {
	switch {
	case f.Quotas == "":
		return compose.QuotasNone, ""
	case slices.Contains(quotaNames, f.Quotas):
		return f.Quotas, ""
	}
	return "", f.Quotas
}

var quotaNames = []string{compose.QuotasNone, compose.QuotasEven, compose.QuotasTuned}

// where is where the designs run.
func (f *flags) where() string {
	switch {
	case f.URL != "":
		return atURL
	case f.In == inContainers:
		return inContainers
	}
	return inProcesses
}

// checkPlace says what of the flags does not go together.
func (f *flags) checkPlace() error {
	switch {
	case f.URL != "" && f.In == inContainers:
		return errors.New("--url measures what runs already, --in containers starts it: give one of them")
	case f.where() != inContainers && f.Quotas != "":
		return errors.New("--quotas is for containers: give --in containers with it")
	case f.where() != inContainers:
		return nil
	}
	for _, name := range f.Design {
		if !slices.Contains(compose.Designs(), name) {
			return fmt.Errorf("there is no design %q in containers, only %s", name, strings.Join(compose.Designs(), ", "))
		}
	}
	return nil
}
