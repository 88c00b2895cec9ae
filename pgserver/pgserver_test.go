package pgserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"splitshop/pgserver"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("PGSERVER_TEST_DIR"); dir != "" {
		if err := startInChild(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startInChild is another program: it starts a server, says where it is, and lives until its input ends or it is killed.
func startInChild(dir string) error {
	s, err := pgserver.Start(context.Background(), pgserver.Options{Dir: dir, Fast: true})
	if err != nil {
		return err
	}
	fmt.Println(s.PID(), s.Dir())
	io.Copy(io.Discard, os.Stdin)
	return s.Stop()
}

// child starts this test binary as another program with a server, as another user where one is given.
func child(t *testing.T, dir string, as *syscall.Credential) (cmd *exec.Cmd, pid int, home string, input io.Closer) {
	t.Helper()
	program := filepath.Join(dir, "program")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil { // the original is where others cannot reach it
		t.Fatal(err)
	}
	servers := filepath.Join(dir, "servers")
	if err := os.Mkdir(servers, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(servers, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PGSERVER_TEST_DIR="+servers)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, &pid, &home); err != nil {
		rest, _ := io.ReadAll(out)
		t.Fatalf("%v, %s", err, rest)
	}
	return cmd, pid, home, in
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	dir := reachable(t)
	cmd, pid, home, _ := child(t, dir, nil)
	if err := pgserver.Sweep(t.Context(), filepath.Dir(home)); err != nil {
		t.Fatal(err)
	}
	if gone(pid) {
		t.Fatal("swept away a server whose owner lives")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := pgserver.Sweep(t.Context(), filepath.Dir(home)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("its directory: %v", err)
	}
	// Dead already, though perhaps nobody has waited for it yet.
	deadline := time.Now().Add(10 * time.Second)
	for !gone(pid) && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if !gone(pid) {
		t.Errorf("postmaster %d is still there", pid)
	}
}

// TestOtherUser runs the server from a program that is not root. Where the tests are not root themselves, all of them do.
func TestOtherUser(t *testing.T) {
	t.Parallel()
	var nobody *syscall.Credential
	if os.Geteuid() == 0 {
		nobody = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	cmd, pid, home, input := child(t, reachable(t), nobody)
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid == 0 || (nobody != nil && uid != nobody.Uid) {
		t.Errorf("the postmaster runs as user %d", uid)
	}
	input.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home); !gone(pid) || !os.IsNotExist(err) {
		t.Errorf("after Stop: postmaster gone: %t, directory: %v", gone(pid), err)
	}
}

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
	servers, errs := make([]*pgserver.Server, 3), make([]error, 3)
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() { servers[i], errs[i] = pgserver.Start(t.Context(), pgserver.Options{Fast: true}) })
	}
	wg.Wait()
	seen := map[int]bool{}
	for i, s := range servers {
		if errs[i] != nil {
			t.Error(errs[i])
			continue
		}
		if _, err := s.Query(t.Context(), "postgres", "SELECT 1"); err != nil || seen[s.Port()] || seen[s.PID()] {
			t.Errorf("server %d of %v: %v", s.PID(), seen, err)
		}
		seen[s.Port()], seen[s.PID()] = true, true
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
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
	if !gone(pid) {
		t.Errorf("postmaster %d is still there", pid)
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
