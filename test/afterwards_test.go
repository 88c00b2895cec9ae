package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearchOfLogs is the negative control of what TestMain does at the end.
func TestSearchOfLogs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, log, finds string }{
		{"nothing", `{"db":"postgres://shop_cart:xxxxx@127.0.0.1/shop"}`, ""},
		{"a password in a line", "first\n" + `{"db":"postgres://shop_cart:planted@127.0.0.1/shop"}`, "cart.log holds a password, at byte 34"},
		{"the second of the passwords", "password 'other'", "cart.log holds a password"},
		{"a race", "==================\nWARNING: DATA RACE\nWrite at 0x1", "cart.log reports a data race:\nWrite at 0x1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "run"), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, "run", "cart.log"), []byte(tt.log), 0o600))
			err := searchLogs(dir, []string{"planted", "other"})
			if (err == nil) != (tt.finds == "") || (err != nil && !strings.Contains(err.Error(), tt.finds)) {
				t.Errorf("found %v, want %q", err, tt.finds)
			}
		})
	}
	if err := searchLogs(t.TempDir(), nil); err == nil {
		t.Error("where there are no logs nothing is wrong")
	}
}

// TestChildrenAreSeen is the negative control of the other thing.
func TestChildrenAreSeen(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	must(t, cmd.Start())
	if err := nothingRuns(); err == nil || !strings.Contains(err.Error(), "(sleep) is left") {
		t.Errorf("the child is not seen: %v", err)
	}
	must(t, cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	if err := nothingRuns(); err != nil && strings.Contains(err.Error(), "(sleep)") {
		t.Errorf("the dead child is seen: %v", err)
	}
}
