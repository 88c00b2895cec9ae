// The tests read /proc and choose cores.
//go:build linux

package runner_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
)

// world is what the tests share: the binaries and a Postgres server.
type world struct {
	bin string
	pg  *pgserver.Server
}

var (
	made   atomic.Bool
	shared = sync.OnceValues(func() (w world, err error) {
		made.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		w.pg, err = pgserver.Start(ctx, pgserver.Options{Fast: true, Settings: map[string]string{"max_connections": "400"}})
		if err != nil {
			return w, err
		}
		if w.bin, err = os.MkdirTemp("", "runner-test-"); err != nil {
			return w, err
		}
		return w, runner.Build(ctx, w.bin, false)
	})
)

func TestMain(m *testing.M) {
	if task := os.Getenv("RUNNER_TEST_TASK"); task != "" {
		os.Exit(child(task))
	}
	code := m.Run()
	if made.Load() {
		w, err := shared()
		if w.pg != nil {
			err = errors.Join(w.pg.Stop(), os.RemoveAll(w.bin))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// child is this test binary as another process, for what a test cannot do to its own.
func child(task string) int {
	var err error
	switch task {
	case "pin":
		err = pinAndMakeThreads()
	case "lab":
		err = startAndHang(os.Getenv("RUNNER_TEST_BIN"))
	default:
		err = fmt.Errorf("no task %q", task)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func childCommand(t *testing.T, task string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), "RUNNER_TEST_TASK="+task), env...)
	return cmd
}

func sharedWorld(t *testing.T) world {
	t.Helper()
	w, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// options are those of a small shop on the shared server.
func options(t *testing.T, design string) runner.Options {
	t.Helper()
	w := sharedWorld(t)
	return runner.Options{Design: design, BinDir: w.bin, Postgres: w.pg, Products: 50, LogDir: t.TempDir()}
}

func start(t *testing.T, o runner.Options) *runner.Running {
	t.Helper()
	r, err := runner.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// startForTest starts a design and stops it at the end of the test.
func startForTest(t *testing.T, o runner.Options) *runner.Running {
	t.Helper()
	r := start(t, o)
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// products asks for a page of products.
func products(r *runner.Running) error {
	resp, err := http.Get(r.URL() + "/products?limit=2")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "products") {
		return fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return nil
}

// eventually waits, with a deadline, until done.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: not within 20 s", what)
}

// pids returns every process of a running design.
func pids(t *testing.T, parts ...*runner.Part) []int {
	t.Helper()
	var all []int
	for _, p := range parts {
		some, err := p.PIDs()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// readUntil returns the lines before a given one.
func readUntil(t *testing.T, r io.Reader, last string) (lines []string) {
	t.Helper()
	for s := bufio.NewScanner(r); s.Scan(); {
		if s.Text() == last {
			return lines
		}
		lines = append(lines, s.Text())
	}
	t.Fatalf("no %q after %q", last, lines)
	return nil
}
