//go:build container

// These tests need a container engine and an image of Postgres: POSTGRES_IMAGE=postgres:18 go test -tags container ./pgserver

package pgserver

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestContainer(t *testing.T) {
	cli := findContainerEngine(t.Context())
	if cli == "" {
		t.Fatal("neither docker nor podman answers")
	}
	log := filepath.Join(t.TempDir(), "log")
	o := Options{Cores: []int{0}, Settings: map[string]string{"max_connections": "17"}, LogFile: log}
	s, err := startOnce(t.Context(), o, func(s setup) (engine, error) { return newContainer(cli, s), nil })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	is := func(statement, want string) {
		t.Helper()
		rows, err := s.Query(t.Context(), "postgres", statement)
		if err != nil || rows[0][0] != want {
			t.Errorf("%s: %v, %v, want %s", statement, rows, err, want)
		}
	}
	is("SHOW max_connections", "17")
	is("SHOW fsync", "on")
	is("CREATE TABLE kept AS SELECT 42; SELECT count(*) FROM kept", "1")
	pid := s.PID()
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); err != nil || !strings.Contains(string(text), "Cpus_allowed_list:\t0\n") {
		t.Errorf("process %d: %v\n%s", pid, err, text)
	}
	if env, err := runEngine(t.Context(), cli, nil, "inspect", "--format", "{{.Path}} {{.Args}}", filepath.Base(s.Dir())); err != nil ||
		strings.Contains(env, s.password) {
		t.Errorf("the password is on the command line, or: %v", err)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	is("SELECT count(*) FROM kept", "1")
	if err := s.Halt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	is("SELECT count(*) FROM kept", "1")
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	noContainer(t, cli, filepath.Base(s.Dir()))
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "database system is shut down") {
		t.Errorf("the server's log: %v\n%s", err, text)
	}
}

func TestContainerSwept(t *testing.T) {
	cli := findContainerEngine(t.Context())
	s, err := startOnce(t.Context(), Options{Fast: true}, func(s setup) (engine, error) { return newContainer(cli, s), nil })
	if err != nil {
		t.Fatal(err)
	}
	s.home.marker.Close() // as if this program had been killed
	if err := Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	noContainer(t, cli, filepath.Base(s.Dir()))
}

func TestContainerFails(t *testing.T) {
	cli := findContainerEngine(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	o := Options{Settings: map[string]string{"shared_buffers": "a lot"}}
	s, err := startOnce(ctx, o, func(s setup) (engine, error) { return newContainer(cli, s), nil })
	if err == nil || !strings.Contains(err.Error(), `"a lot"`) {
		t.Errorf("%v, %v, want the server's own words", s, err)
	}
}

func noContainer(t *testing.T, cli, name string) {
	t.Helper()
	list, err := runEngine(t.Context(), cli, nil, "ps", "--all", "--quiet", "--filter", "name="+name)
	if err != nil || list != "" {
		t.Errorf("containers left: %q, %v", list, err)
	}
	volumes, err := runEngine(t.Context(), cli, nil, "volume", "ls", "--quiet")
	if err != nil || volumes != "" {
		t.Logf("volumes of anybody: %q, %v", volumes, err)
	}
}
