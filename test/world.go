package test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
)

// products is how many the catalogue of each topology begins with; their ids are 1 to products.
const products = 50

// world is what the tests of this process share: the binaries, a Postgres server, and a folder for the log of everything
// that runs.
type world struct {
	dir string // bin/ and logs/ are in it
	pg  *pgserver.Server

	mu        sync.Mutex
	runs      int
	passwords []string // every one that anything here was given
}

// worlds makes the world with its first call, and knows whether there was one.
type worlds struct {
	made bool
	get  func() (*world, error)
}

// shared is this test process's one world.
var shared = newWorlds()

func newWorlds() *worlds {
	w := &worlds{}
	w.get = sync.OnceValues(func() (*world, error) {
		w.made = true
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		return newWorld(ctx)
	})
	return w
}

func theWorld(t *testing.T) *world {
	t.Helper()
	w, err := shared.get()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newWorld(ctx context.Context) (*world, error) {
	dir, err := os.MkdirTemp("", "splitshop-test-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir}
	if err := errors.Join(os.Mkdir(w.bin(), 0o755), os.Mkdir(w.logs(), 0o755)); err != nil {
		return w, err
	}
	if w.pg, err = w.startServer(ctx); err != nil {
		return w, err
	}
	return w, runner.Build(ctx, w.bin(), raceDetector)
}

func (w *world) bin() string  { return filepath.Join(w.dir, "bin") }
func (w *world) logs() string { return filepath.Join(w.dir, "logs") }

// logFolder is a new folder for the logs of a run.
func (w *world) logFolder(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs++
	return filepath.Join(w.logs(), fmt.Sprintf("%02d-%s", w.runs, name))
}

// startServer starts a Postgres server that logs every statement, and remembers the passwords that will be used there.
func (w *world) startServer(ctx context.Context) (*pgserver.Server, error) {
	dir := w.logFolder("postgres")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	pg, err := pgserver.Start(ctx, pgserver.Options{
		Fast: true, // nothing here is about the speed or the crash of a machine
		Settings: map[string]string{
			"max_connections": "500", "log_statement": "all", "log_connections": "on",
			"synchronous_commit": "on", // what was answered outlives the killing of the server
		},
		LogFile: filepath.Join(dir, "postgres.log"),
	})
	if err != nil {
		return nil, err
	}
	owner, err := url.Parse(pg.SuperuserURL(""))
	if err != nil {
		return nil, errors.Join(err, pg.Stop())
	}
	password, _ := owner.User.Password()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passwords = append(w.passwords, password)
	for _, password := range runner.Passwords(pg) {
		w.passwords = append(w.passwords, password)
	}
	return pg, nil
}

// ownServer is a Postgres server for one test, which may stop it.
func ownServer(t *testing.T) *pgserver.Server {
	t.Helper()
	pg, err := theWorld(t).startServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Stop(); err != nil {
			t.Error(err)
		}
	})
	return pg
}

// end stops the server, looks at what was left behind and said, and removes the world; the logs stay where keepLogs says so.
func (w *world) end(keepLogs bool) error {
	var errs []error
	if w.pg != nil {
		errs = append(errs, w.pg.Stop())
	}
	errs = append(errs, nothingRuns(), searchLogs(w.logs(), w.passwords))
	if keepLogs || errors.Join(errs...) != nil {
		errs = append(errs, os.RemoveAll(w.bin()), fmt.Errorf("the logs of everything that ran are in %s", w.logs()))
	} else {
		errs = append(errs, os.RemoveAll(w.dir))
	}
	return errors.Join(errs...)
}
