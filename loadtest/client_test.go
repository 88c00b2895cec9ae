package main

import (
	"net/http"
	"strings"
	"testing"
)

// Each client measures the same shop, here one that ends its connections. Only our own knows that it had to reconnect.
func TestClients(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // the lock is there
	url := serveShop(t, func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			shop.ServeHTTP(w, r)
		})
	})
	for _, test := range []struct {
		name   string
		args   []string
		counts bool
	}{
		{"default", nil, true},
		{"own", []string{"--client", "own"}, true},
		{"net/http", []string{"--client", "net/http"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			code, _, stderr := runLab(t.Context(), append([]string{"closed", "--url", url, "--mix", "browse", "--users", "2",
				"--warmup", "100ms", "--duration", "200ms", "--repeats", "1", "--out", dir}, test.args...)...)
			if code == exitUsage || code == exitCouldNotRun {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			d := readResult(t, dir).Designs[0]
			if s := d.Steps[0]; s.Succeeded == 0 || s.Failed > 0 {
				t.Errorf("%d succeeded, %d failed: %+v", s.Succeeded, s.Failed, s.Failures)
			}
			if got := strings.Contains(strings.Join(d.Warnings, "\n"), "times a connection had ended"); got != test.counts {
				t.Errorf("the warnings are %q", d.Warnings)
			}
		})
	}
}
