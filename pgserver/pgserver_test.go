package pgserver_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"splitshop/pgserver"
)

// start starts a server for a test, in a directory of the test's own whose remains the test can look at.
func start(t *testing.T, o pgserver.Options) *pgserver.Server {
	t.Helper()
	s, err := pgserver.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// reachable makes a directory that the server's user can reach, which t.TempDir is not for root.
func reachable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgserver-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func one(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var text string
	if err := conn.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Options{Settings: map[string]string{"max_connections": "17", "application_name": "it's; a \"test\""}})
	tests := []struct{ name, want string }{
		{"fsync", "on"},
		{"synchronous_commit", "on"},
		{"autovacuum", "on"},
		{"shared_buffers", "256MB"},
		{"max_connections", "17"},
		{"application_name", "it's; a \"test\""},
		{"server_encoding", "UTF8"},
		{"listen_addresses", "127.0.0.1"},
		{"password_encryption", "scram-sha-256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := one(t, s.SuperuserURL("postgres"), "SHOW "+tt.name); got != tt.want {
				t.Errorf("SHOW %s = %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

func TestLoginNeedsThePassword(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Options{Fast: true})
	for _, password := range []string{"", "wrong"} {
		if _, err := pgx.Connect(t.Context(), s.URL("postgres", pgserver.Superuser, password)); err == nil {
			t.Errorf("password %q was let in", password)
		}
	}
}

func TestParallelServers(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	ports := map[int]bool{}
	for range 2 {
		wg.Go(func() {
			s := start(t, pgserver.Options{Fast: true})
			mu.Lock()
			defer mu.Unlock()
			ports[s.Port()] = true
		})
	}
	wg.Wait()
	if len(ports) != 2 {
		t.Errorf("two servers listen on %v", ports)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := reachable(t)
	s := start(t, pgserver.Options{Dir: dir})
	conn, err := pgx.Connect(t.Context(), s.SuperuserURL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	pid := s.PID()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("postmaster %d after Stop: %v", pid, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

func TestCrashKeepsCommitted(t *testing.T) {
	t.Parallel()
	s := start(t, pgserver.Options{})
	for _, stop := range []struct {
		name string
		do   func() error
	}{
		{"kill", s.Kill},
		{"halt", func() error { return s.Halt(t.Context()) }},
		{"kill again", s.Kill},
	} {
		table := "after_" + strings.ReplaceAll(stop.name, " ", "_")
		if _, err := s.Query(t.Context(), "postgres", "CREATE TABLE "+table+" AS SELECT 42 AS n"); err != nil {
			t.Fatal(err)
		}
		before := s.PID()
		if err := stop.do(); err != nil {
			t.Fatalf("%s: %v", stop.name, err)
		}
		if _, err := s.Query(t.Context(), "postgres", "SELECT 1"); err == nil {
			t.Fatalf("%s: still answers", stop.name)
		}
		if err := s.Resume(t.Context()); err != nil {
			t.Fatalf("%s: %v", stop.name, err)
		}
		if s.PID() == before {
			t.Errorf("%s: the same process", stop.name)
		}
		if got := one(t, s.SuperuserURL("postgres"), "SELECT n::text FROM "+table); got != "42" {
			t.Errorf("%s: committed 42, found %s", stop.name, got)
		}
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	dir := reachable(t)
	_, err := pgserver.Start(t.Context(), pgserver.Options{Dir: dir, Settings: map[string]string{"shared_buffers": "a lot"}})
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "shared_buffers": "a lot"`) {
		t.Errorf("got %v, want the server's own words", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := pgserver.Start(ctx, pgserver.Options{Dir: dir}); err == nil {
		t.Error("started within no time")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPasswordIsNowhere(t *testing.T) {
	t.Parallel()
	dir := reachable(t)
	log := filepath.Join(dir, "server.log")
	s := start(t, pgserver.Options{Dir: dir, LogFile: log, Settings: map[string]string{"log_statement": "all", "log_connections": "on"}})
	_, rest, _ := strings.Cut(s.SuperuserURL(""), ":")
	_, rest, _ = strings.Cut(rest, ":")
	password, _, _ := strings.Cut(rest, "@")
	files := []string{log}
	args, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, args...) {
		text, err := os.ReadFile(file)
		if file == log && (err != nil || len(text) == 0) {
			t.Fatalf("the server's log: %d bytes, %v", len(text), err)
		}
		if bytes.Contains(text, []byte(password)) {
			t.Errorf("%s holds the password", file)
		}
	}
}
