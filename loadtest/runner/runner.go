package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"splitshop/pgserver"
)

const (
	defaultProducts = 1000
	startTimeout    = 60 * time.Second // until every part is ready
	stopTimeout     = 15 * time.Second // of one part: longer than its own grace
	cleanTimeout    = 20 * time.Second // to drop the database
)

// Options say what to start.
type Options struct {
	Design   string // one of Designs
	BinDir   string // holds the shop's binaries; Build makes them
	Products int    // in the catalogue; 0: 1,000
	Cores    Cores  // the zero value pins nothing

	// LogDir gets a file per part, appended. It is made where it is not there. Default: gone after Stop; an error of Start
	// or Stop quotes the end of the log that matters.
	LogDir string
	// Env is added to every process's environment, which is otherwise empty but for what the design needs; it may replace
	// that too. SHOP_DRAIN is 0 unless given here: nobody balances load in front of these processes.
	Env map[string]string
	// Postgres is the server to use, which stays; nil starts one for this design alone. Several designs may use one server
	// at once: each has a database of its own.
	Postgres *pgserver.Server
}

// Running is a started design. Its methods may be called from several goroutines, and those of its Parts too, except that
// nothing else may be called during and after Stop.
type Running struct {
	design   string
	url      string
	parts    []*Part          // each after those it calls; without Postgres
	pg       *pgserver.Server // nil unless it is a local one
	pgPart   *Part            // nil for a given URL
	ownsPG   bool
	database string
	dir      string // sockets, and logs that nobody asked for

	connect   func(context.Context) (*pgserver.Session, error) // to the database, as the superuser; nil for a given URL
	generator *Part                                            // what offers the load
	up        *containers                                      // nil unless the parts are containers
}

// Attach returns a Running for something that runs already: no parts, no counters but the machine's and the generator's, and
// Stop leaves it alone.
func Attach(url string) *Running { return &Running{design: "url", url: url, generator: ourselves()} }

// Start starts a design on a database of its own and returns when every part is ready. Where it fails nothing is left
// running or behind, and the error carries the end of the failing part's log.
func Start(ctx context.Context, o Options) (*Running, error) {
	specs, err := processes(o.Design)
	if err != nil {
		return nil, err
	}
	r := &Running{design: o.Design, generator: ourselves()}
	if err := r.start(ctx, o, specs); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Design, err), r.abort())
	}
	return r, nil
}

// abort undoes a start. What the processes say when they are cut off is no news.
func (r *Running) abort() error {
	var errs []error
	for _, p := range r.parts {
		if p.proc.running() {
			errs = append(errs, p.Kill())
		}
	}
	return errors.Join(append(errs, r.clean())...)
}

func (r *Running) start(ctx context.Context, o Options, specs []spec) (err error) {
	if o.LogDir != "" {
		if o.LogDir, err = filepath.Abs(o.LogDir); err != nil {
			return err
		}
		if err := os.MkdirAll(o.LogDir, 0o755); err != nil {
			return err
		}
	}
	if err := r.preparePostgres(ctx, o); err != nil {
		return err
	}
	// In the server's directory, so that it is swept with it where we are killed.
	if r.dir, err = os.MkdirTemp(r.pg.Dir(), "run-"); err != nil {
		return err
	}
	if o.LogDir == "" {
		o.LogDir = r.dir
	}
	if o.Products == 0 {
		o.Products = defaultProducts
	}
	if r.database, err = freshDatabase(ctx, r.pg, o.BinDir, o.Products); err != nil {
		return err
	}
	r.connect = func(ctx context.Context) (*pgserver.Session, error) { return r.pg.Connect(ctx, r.database) }
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, s := range specs {
		p := r.newPart(s, o)
		r.parts = append(r.parts, p)
		if err := p.launch(ctx); err != nil {
			return err
		}
	}
	for _, p := range r.parts {
		if err := p.awaitReady(ctx); err != nil {
			return err
		}
	}
	r.url = "http://" + r.parts[len(r.parts)-1].Addr
	return nil
}

func (r *Running) preparePostgres(ctx context.Context, o Options) (err error) {
	r.pg = o.Postgres
	if r.pg == nil {
		po := pgserver.Options{Cores: o.Cores.Postgres}
		if o.LogDir != "" {
			po.LogFile = filepath.Join(o.LogDir, partPostgres+".log")
		}
		if r.pg, err = pgserver.Start(ctx, po); err != nil {
			return err
		}
		r.ownsPG = true
	}
	r.pgPart = &Part{Name: partPostgres, Cores: o.Cores.Postgres, main: r.pg.PID, children: true, ended: r.postgresEnded}
	return nil
}

// newPart says how a process is started: its addresses are any free ones the first time.
func (r *Running) newPart(s spec, o Options) *Part {
	env := map[string]string{"SHOP_ADDR": "127.0.0.1:0", "SHOP_ADMIN_ADDR": "127.0.0.1:0", "SHOP_DRAIN": "0s"}
	if s.unix {
		env["SHOP_ADDR"] = "unix:" + filepath.Join(r.dir, s.name+".sock")
	}
	if s.role != "" {
		env["SHOP_DB"] = r.pg.URL(r.database, s.role, password(r.pg, s.role))
	}
	for _, name := range s.needs {
		env[addressVariable(name)] = r.Part(name).Addr
	}
	maps.Copy(env, s.env)
	maps.Copy(env, o.Env)
	p := &Part{
		Name:    s.name,
		Cores:   o.Cores.App,
		LogFile: filepath.Join(o.LogDir, s.name+".log"),
		proc:    &process{path: filepath.Join(o.BinDir, s.name), env: env},
	}
	p.main, p.ended = p.proc.pid, p.unexpectedEnd
	return p
}

// Design is the name of the design, "url" after Attach.
func (r *Running) Design() string { return r.design }

// URL is the public API's address, without a slash at the end.
func (r *Running) URL() string { return r.url }

// Postgres is the local server the design uses; nil where there is none.
func (r *Running) Postgres() *pgserver.Server { return r.pg }

// Database is the name of the design's own database.
func (r *Running) Database() string { return r.database }

// ErrNoDatabase says that the design's database is not ours to ask.
var ErrNoDatabase = errors.New("the database of a given URL is not known")

// Query runs one SQL statement on the design's database, as the superuser on a connection of its own, and returns its rows as
// text. It is for looking at what the shop did, not for while something is measured. ErrNoDatabase after Attach.
func (r *Running) Query(ctx context.Context, statement string) ([][]string, error) {
	if r.connect == nil {
		return nil, ErrNoDatabase
	}
	session, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Query(ctx, statement)
}

// Parts lists the parts, the edge first and Postgres last. Empty after Attach.
func (r *Running) Parts() []*Part {
	parts := slices.Clone(r.parts)
	slices.Reverse(parts)
	if r.pgPart != nil {
		parts = append(parts, r.pgPart)
	}
	return parts
}

// Part returns the part of that name; nil where the design has none.
func (r *Running) Part(name string) *Part {
	for _, p := range r.Parts() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Alive returns nil as long as no process has ended that nobody stopped through its Part or its Postgres server, else which
// and how.
func (r *Running) Alive() error {
	var errs []error
	for _, p := range r.Parts() {
		errs = append(errs, p.ended())
	}
	return errors.Join(errs...)
}

func (r *Running) postgresEnded() error {
	if r.pg.Ended() {
		return errors.New(partPostgres + ": it ended by itself")
	}
	return nil
}

// CheckPins asks the kernel where every thread of every part, and of a generator that is another process, may run. It returns an
// error that names those which are not kept to the plan.
func (r *Running) CheckPins() error {
	var errs []error
	for _, p := range append(r.Parts(), r.generator) {
		strays, err := p.Strays()
		errs = append(errs, err)
		for _, s := range strays {
			errs = append(errs, fmt.Errorf("%s: thread %d of process %d may run on cores %v, planned are %v",
				p.Name, s.TID, s.PID, s.Cores, p.Cores))
		}
	}
	return errors.Join(errs...)
}

// CheckQuotas compares the quotas that a sample read back from the kernel with the plan, and returns an error that names each part
// which is held to another one, to none, or to one that nobody planned.
func (r *Running) CheckQuotas(s Sample) error {
	var errs []error
	for _, p := range r.Parts() {
		var had *float64
		if i := slices.IndexFunc(s.Parts, func(o PartSample) bool { return o.Name == p.Name }); i >= 0 {
			had = s.Parts[i].Quota
		}
		if says := checkQuota(p.Quota, had); says != "" {
			errs = append(errs, fmt.Errorf("%s %s", p.Name, says))
		}
	}
	return errors.Join(errs...)
}

// quotaStep is how far a quota that was read back may be from the plan, in cores: the kernel rounds to microseconds of a period.
const quotaStep = 0.0005

// checkQuota says in words in what a quota differs from the plan; "" where it does not.
func checkQuota(planned, had *float64) string {
	switch {
	case planned == nil && had == nil:
		return ""
	case had == nil:
		return fmt.Sprintf("has no CPU quota of its own that could be read back, planned are %.2f cores", *planned)
	case planned == nil:
		return fmt.Sprintf("has a quota of %.2f cores, none is planned", *had)
	case math.Abs(*planned-*had) > quotaStep:
		return fmt.Sprintf("has a quota of %.3f cores, planned are %.3f", *had, *planned)
	}
	return ""
}

// Stats returns what each process of the shop says of itself at /stats, by part.
func (r *Running) Stats(ctx context.Context) (map[string]json.RawMessage, error) {
	stats := make(map[string]json.RawMessage)
	for _, p := range r.parts {
		status, body, err := get(ctx, p.AdminURL+"/stats")
		if err == nil && (status != http.StatusOK || !json.Valid(body)) {
			err = fmt.Errorf("status %d: %.200s", status, body)
		}
		if err != nil {
			return nil, fmt.Errorf("statistics of %s: %w", p.Name, err)
		}
		stats[p.Name] = body
	}
	return stats, nil
}

// Stop stops the processes, the edge first so that nobody's callee goes before it, and drops the database; the server too
// where Start made it. What has not stopped when ctx is done is killed. The error says which process exited with anything but
// 0, or had ended before. Nothing is left behind, whatever the error.
func (r *Running) Stop(ctx context.Context) error {
	if r.up != nil {
		return r.up.stop(ctx)
	}
	var errs []error
	for _, p := range slices.Backward(r.parts) {
		errs = append(errs, p.unexpectedEnd())
		ctx, cancel := context.WithTimeout(ctx, stopTimeout)
		errs = append(errs, p.Terminate(ctx))
		cancel()
	}
	return errors.Join(append(errs, r.clean())...)
}

func (r *Running) clean() error {
	if r.pg == nil {
		return nil
	}
	if r.ownsPG {
		return r.pg.Stop() // and with it everything
	}
	var errs []error
	if r.database != "" {
		ctx, cancel := context.WithTimeout(context.Background(), cleanTimeout)
		defer cancel()
		errs = append(errs, dropDatabase(ctx, r.pg, r.database))
	}
	if r.dir != "" {
		errs = append(errs, os.RemoveAll(r.dir))
	}
	return errors.Join(errs...)
}
