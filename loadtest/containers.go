package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"splitshop/loadtest/runner/compose"
)

// project is what every command on containers is told.
type project struct {
	Top string `default:"." help:"The top folder of the clone: compose/ and docker/ are in it."`
	Bin string `default:"bin" type:"path" help:"Where the shop's binaries are."`
}

// open finds the engine and reports progress on s until the function it returns is called.
func (c project) open(ctx context.Context, s streams) (*compose.Project, func(), error) {
	p, err := compose.Open(ctx, c.Top, c.Bin)
	if err != nil {
		return nil, nil, err
	}
	say := newProgress(s.err)
	p.Progress = func(what string) { say.stage(func() string { return what }) }
	p.Note = func(what string) { say.note("%s", what) }
	return p, say.close, nil
}

// up is `loadtest up`.
type up struct {
	project
	Design  string        `default:"mono" enum:"mono,modular,micro" help:"What to bring up: ${enum}."`
	Quotas  string        `default:"none" enum:"none,even,tuned" help:"The preset for this machine's cores with these quotas: ${enum}."`
	Preset  string        `placeholder:"FILE" help:"A preset of your own: core sets and quotas."`
	Port    int           `default:"8080" help:"Where the API is published on 127.0.0.1; 0: any free port."`
	Timeout time.Duration `default:"2m" help:"How long it may take until everything is ready, once there are images."`
}

// Run brings a design up and says what was read back of it.
func (c *up) Run(ctx context.Context, s streams) error {
	if c.Port < 0 || c.Port > math.MaxUint16 || c.Timeout <= 0 {
		return usageError{fmt.Errorf("--port is from 0 to %d, --timeout above 0", math.MaxUint16)}
	}
	p, done, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	u, err := p.Up(ctx, compose.UpOptions{Design: c.Design, Quotas: c.Quotas, Preset: c.Preset, Port: c.Port, Timeout: c.Timeout})
	done()
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; nothing of what was begun is left")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s is up and ready after %.1f s; preset %s\n\n", c.Design, u.Took.Seconds(), u.Preset.File)
	printParts(s.out, u.Parts)
	fmt.Fprintf(s.out, "\nThe API: %s\n\n"+
		"    %-19s a tour of it\n"+
		"    %-19s what the parts say\n"+
		"    %-19s remove it all; KEEP=1 keeps the data\n", u.URL, "make try"+portOf(u.URL), "make logs FOLLOW=1", "make down")
	return nil
}

// portOf is what make must be told where the port is not the usual one.
func portOf(url string) string {
	const usual = "8080"
	if port := url[strings.LastIndexByte(url, ':')+1:]; port != usual {
		return " PORT=" + port
	}
	return ""
}

// ps is `loadtest ps`.
type ps struct{ project }

// Run lists what is up.
func (c *ps) Run(ctx context.Context, s streams) error {
	p, done, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	parts, err := p.Status(ctx)
	done()
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		fmt.Fprintln(s.out, "nothing is up")
		return nil
	}
	printParts(s.out, parts)
	return nil
}

// printParts is the table of what is up and what it is held to.
func printParts(w io.Writer, parts []compose.Part) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "part\tstate\timage\tsize\tcores\tquota\tmemory limit\tread back from")
	for _, p := range parts {
		cores, quota, memory, source := "", "", "", ""
		if p.Running {
			cores, quota, memory, source = compose.FormatCores(p.Limits.Cores), "none", "none", p.Limits.Source
			if cores == "" {
				cores = "any"
			}
			if p.Limits.Quota != nil {
				quota = fmt.Sprintf("%.2f", *p.Limits.Quota)
			}
			if p.Limits.Memory != nil {
				memory = fmt.Sprintf("%d MiB", *p.Limits.Memory>>20)
			}
		}
		row := []string{p.Name, p.State, p.Image.Name, fmt.Sprintf("%.1f MB", float64(p.Image.Size)/1e6), cores, quota, memory, source}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	t.Flush()
}

// logs is `loadtest logs`.
type logs struct {
	project
	Part   string `arg:"" optional:"" help:"The part whose log to show. Default: all."`
	Lines  int    `default:"50" help:"How many of the last lines of each part."`
	Follow bool   `help:"Go on until Ctrl-C."`
}

// Run shows logs.
func (c *logs) Run(ctx context.Context, s streams) error {
	p, done, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	done()
	return p.Logs(ctx, s.out, c.Part, c.Lines, c.Follow)
}

// down is `loadtest down`.
type down struct {
	project
	Keep bool `help:"Keep the data for the next up."`
}

// Run removes everything.
func (c *down) Run(ctx context.Context, s streams) error {
	p, done, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	p.Progress("stopping and removing the containers")
	began := time.Now()
	err = p.Down(ctx, c.Keep)
	done()
	if err != nil {
		return err
	}
	what := "no container, network or volume is left"
	if c.Keep {
		what = "the data are kept, no container or network is left"
	}
	fmt.Fprintf(s.out, "down after %.1f s: %s\n", time.Since(began).Seconds(), what)
	return nil
}

// images is `loadtest images`.
type images struct {
	project
	Only []string `sep:"," placeholder:"NAME,..." help:"Only these: names of binaries, postgres."`
}

// Run makes the images that are missing or stale, and lists all.
func (c *images) Run(ctx context.Context, s streams) error {
	known := append(compose.Binaries(), "postgres")
	if c.Only == nil {
		c.Only = known
	}
	var binaries []string
	for _, name := range c.Only {
		switch {
		case !slices.Contains(known, name):
			return usageError{fmt.Errorf("there is no image %q, only %s", name, strings.Join(known, ", "))}
		case name != "postgres":
			binaries = append(binaries, name)
		}
	}
	p, done, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	names, err := makeImages(ctx, p, binaries, slices.Contains(c.Only, "postgres"))
	done()
	if err != nil {
		return err
	}
	all, err := p.Images(ctx, names...)
	if err != nil {
		return err
	}
	for _, image := range all {
		fmt.Fprintf(s.out, "%-36s %6.1f MB\n", image.Name, float64(image.Size)/1e6)
	}
	return nil
}

func makeImages(ctx context.Context, p *compose.Project, binaries []string, postgres bool) (names []string, err error) {
	if err := p.BuildImages(ctx, binaries...); err != nil {
		return nil, err
	}
	for _, binary := range binaries {
		names = append(names, compose.ImageName(binary, p.Tag))
	}
	if postgres {
		name, err := p.PostgresImage(ctx)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
