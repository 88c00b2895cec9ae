package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Flags is what every server binary can be told; a command embeds it.
type Flags struct {
	Addr      string        `default:"${addr}" help:"Address to serve on: host:port, or unix:/path."`
	AdminAddr string        `default:"${admin_addr}" help:"Address of /livez, /readyz, /metrics and /stats."`
	Drain     time.Duration `default:"1s" help:"How long to go on serving after readiness turned false at shutdown."`
	Grace     time.Duration `default:"10s" help:"How long a shutdown may take in all, the drain time included."`
	LogLevel  slog.Level    `default:"INFO" help:"Least level of the log: DEBUG, INFO, WARN or ERROR."`
	Pprof     bool          `help:"Offer profiles at /debug/pprof on the admin address."`
}

// Database is what a binary with tables of its own can be told; a command embeds it.
type Database struct {
	DB             string       `required:"" secret:"" placeholder:"URL" help:"Postgres URL; its password is never logged."`
	DBPasswordFile PasswordFile `placeholder:"FILE" help:"File with the password of --db, where the URL has none."`
	Pool           int          `default:"${pool}" help:"Connections in the pool, opened at start."`
}

// URL is the database's address, password included. Errors as those of [PasswordFile.In].
func (d Database) URL() (string, error) { return d.DBPasswordFile.In(d.DB) }

// Process is a running server binary. Its methods, Serve apart, are for wiring and are called before Serve, in order.
type Process struct {
	Log *slog.Logger

	app      App
	flags    Flags
	checks   []check
	stops    []stop
	stats    []stat
	registry *prometheus.Registry
	begun    time.Time
	phase    atomic.Int32
	lastOnce sync.Once
}

type check struct {
	name string
	do   func(context.Context) error
}

type stop struct {
	name string
	do   func()
}

type stat struct {
	name string
	get  func() any
}

// The phases of a process, as /readyz sees them.
const (
	starting int32 = iota // some check has never passed yet
	started
	draining
)

// New logs the effective configuration and returns a process that serves nothing yet. Usage error where flags contradict
// each other.
func New(env *Env, flags Flags) (*Process, error) {
	if flags.Drain < 0 || flags.Drain >= flags.Grace {
		return nil, Usage(fmt.Errorf("--drain is %v and must be from 0 to less than --grace, %v", flags.Drain, flags.Grace))
	}
	env.level.Set(flags.LogLevel)
	p := &Process{
		Log:      env.Log,
		app:      env.App,
		flags:    flags,
		registry: prometheus.NewRegistry(),
		begun:    time.Now(),
	}
	p.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	p.Log.LogAttrs(context.Background(), slog.LevelInfo, "configuration", append(env.settings,
		slog.String("version", Version()), slog.String("go", runtime.Version()),
		slog.Int("gomaxprocs", runtime.GOMAXPROCS(0)), slog.Int("pid", os.Getpid()))...)
	return p, nil
}

// Ready makes readiness depend on check, which is asked with a deadline whenever /readyz is.
func (p *Process) Ready(name string, do func(context.Context) error) {
	p.checks = append(p.checks, check{name, do})
}

// OnStop has do called when the process stops, after everything in flight has ended and before what was named earlier.
func (p *Process) OnStop(name string, do func()) { p.stops = append(p.stops, stop{name, do}) }

// Needs names something the process depends on, a pool or an upstream: Ready and OnStop in one.
func (p *Process) Needs(name string, ready func(context.Context) error, closeIt func()) {
	p.Ready(name, ready)
	p.OnStop(name, closeIt)
}

// Stats shows what get returns under name at /stats, and in the log line at shutdown.
func (p *Process) Stats(name string, get func() any) { p.stats = append(p.stats, stat{name, get}) }

// Started reports whether every readiness check has passed since the start. It stays true: what breaks later is the
// business of the request that meets it.
func (p *Process) Started() bool { return p.phase.Load() != starting }

// CheckReady asks every check once. It returns nil, or the first failure.
func (p *Process) CheckReady(ctx context.Context) error {
	if p.phase.Load() == draining {
		return errors.New("shutting down")
	}
	for _, c := range p.checks {
		if err := c.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// Observe returns a function that counts operations and their durations in the histogram shop_<what>_seconds, by
// operation and outcome.
func (p *Process) Observe(what string) func(op, outcome string, d time.Duration) {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "shop_" + what + "_seconds",
		Help:    "Duration of " + what + " operations by operation and outcome.",
		Buckets: []float64{.0005, .001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"op", "outcome"})
	p.registry.MustRegister(h)
	return func(op, outcome string, d time.Duration) { h.WithLabelValues(op, outcome).Observe(d.Seconds()) }
}

// Serve serves s at --addr and the admin pages at --admin-addr until ctx ends, then shuts down in order. It returns nil
// after a complete shutdown, and an error where a listener failed or the grace period was too short.
func (p *Process) Serve(ctx context.Context, s Server) error {
	defer p.undo()
	public, err := Listen(p.flags.Addr)
	if err != nil {
		return err
	}
	defer public.Close()
	admin, err := Listen(p.flags.AdminAddr)
	if err != nil {
		return err
	}
	adminServer := HTTP(p.adminHandler())

	failed := make(chan error, 2)
	go func() { failed <- serveOn(adminServer, admin, "admin") }()
	go func() { failed <- serveOn(s, public, "public") }()
	p.Log.Info("listening", "listener", "admin", "addr", Addr(admin))
	p.Log.Info("listening", "listener", "public", "addr", Addr(public))

	startCtx, stopStarting := context.WithCancel(ctx)
	defer stopStarting()
	go p.awaitStart(startCtx)

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	err = p.shutDown(s)
	p.undo()
	return errors.Join(err, adminServer.Shutdown(context.WithoutCancel(ctx)))
}

func serveOn(s Server, l net.Listener, name string) error {
	if err := s.Serve(l); err != nil {
		return fmt.Errorf("%s listener %s: %w", name, Addr(l), err)
	}
	return nil
}

// awaitStart asks the checks until they all pass once.
func (p *Process) awaitStart(ctx context.Context) {
	said := ""
	for ctx.Err() == nil {
		attempt, cancel := context.WithTimeout(ctx, checkTimeout)
		err := p.CheckReady(attempt)
		cancel()
		if err == nil {
			p.phase.CompareAndSwap(starting, started)
			p.Log.Info("ready", "after_ms", time.Since(p.begun).Milliseconds())
			return
		}
		if why := mask(err.Error()); why != said && ctx.Err() == nil {
			p.Log.Warn("not ready yet", "why", why)
			said = why
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (p *Process) shutDown(s Server) error {
	begun := time.Now()
	p.phase.Store(draining)
	p.Log.Info("draining", "for_ms", p.flags.Drain.Milliseconds())
	s.Drain()
	time.Sleep(p.flags.Drain)
	ctx, cancel := context.WithDeadline(context.Background(), begun.Add(p.flags.Grace))
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return fmt.Errorf("requests were still in flight after the grace period of %v: %w", p.flags.Grace, err)
	}
	return nil
}

// undo logs the statistics and calls what OnStop named, last first; once.
func (p *Process) undo() {
	p.lastOnce.Do(func() {
		p.Log.Info("statistics", "uptime_ms", time.Since(p.begun).Milliseconds(), "stats", p.collect())
		for i := len(p.stops) - 1; i >= 0; i-- {
			p.stops[i].do()
			p.Log.Debug("closed", "what", p.stops[i].name)
		}
		p.Log.Info("stopped")
	})
}

func (p *Process) collect() map[string]any {
	all := make(map[string]any, len(p.stats))
	for _, s := range p.stats {
		all[s.name] = s.get()
	}
	return all
}

// Version is the revision this binary was built from, "unknown" where the build did not record it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return revision + dirty
}
