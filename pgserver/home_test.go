package pgserver

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old := time.Now().Add(-2 * infancy)
	dirNamed := func(name string, marker []byte, age time.Time) string {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if marker != nil {
			if err := os.WriteFile(filepath.Join(dir, markerName), marker, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, age, age); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	living, err := newHome(parent, true)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir string
		stays     bool
	}{
		{"owner lives", living.dir, true},
		{"owner is gone", dirNamed("splitshop-pg-1", []byte("123\n"), time.Now()), false},
		{"just made, not marked yet", dirNamed("splitshop-pg-2", nil, time.Now()), true},
		{"just made, not locked yet", dirNamed("splitshop-pg-3", []byte{}, time.Now()), true},
		{"never marked", dirNamed("splitshop-pg-4", nil, old), false},
		{"never locked", dirNamed("splitshop-pg-5", []byte{}, old), false},
		{"somebody else's", dirNamed("splitshop-other", []byte("123\n"), old), true},
	}
	listed := Leftovers(parent)
	if err := Sweep(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if slices.ContainsFunc(listed, func(l Leftover) bool { return l.Dir == tt.dir }) == tt.stays {
				t.Errorf("it should stay: %t, but listed are %+v", tt.stays, listed)
			}
			if _, err := os.Stat(tt.dir); (err == nil) != tt.stays {
				t.Errorf("it should stay: %t, but: %v", tt.stays, err)
			}
		})
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	if err := living.remove(); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// TestSweepEndsServers is for systems where a server does not end with its owner: here the owner only gives up its lock.
func TestSweepEndsServers(t *testing.T) {
	t.Parallel()
	parent, err := os.MkdirTemp("", "pgserver-test-") // where no other program sweeps
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), Options{Dir: parent, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.home.marker.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(Leftovers(parent)[0].Processes); n == 0 {
		t.Error("none of its processes is listed")
	}
	if err := Sweep(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.engine.ended():
	case <-time.After(10 * time.Second):
		t.Error("it still runs")
		syscall.Kill(s.PID(), syscall.SIGKILL)
	}
	if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
		t.Errorf("its directory: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("Stop after it: %v", err)
	}
}

func TestDefaultParent(t *testing.T) {
	t.Setenv("TMPDIR", "/somewhere")
	for _, fast := range []bool{false, true} {
		if got := defaultParent(fast); got != "/somewhere" {
			t.Errorf("fast %t: %s, though TMPDIR says /somewhere", fast, got)
		}
	}
	t.Setenv("TMPDIR", "")
	if got := defaultParent(true); got != "/tmp" {
		t.Errorf("fast: %s", got)
	}
	if got := defaultParent(false); inMemory(got) {
		t.Errorf("%s is in memory", got)
	}
}
