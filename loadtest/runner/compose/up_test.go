package compose

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck is the negative control of reading limits back: each one that was not applied is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "preset.env")
	text := "SHOP_CORES_POSTGRES=1\nSHOP_CORES_APP=2-3\nSHOP_CPUS_MONOLITH=1.33\nSHOP_CPUS_CART=0.13\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	preset, err := ReadPreset(file, 4)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name, cores string, quota float64) Part {
		set, err := ParseCores(cores)
		if err != nil {
			t.Fatal(err)
		}
		p := Part{Name: name, Limits: Limits{Cores: set, Source: "kernel, cgroup v2"}}
		if quota != 0 {
			p.Limits.Quota = &quota
		}
		return p
	}
	tests := []struct {
		name string
		part Part
		says string
	}{
		{"as planned", part("cart", "2-3", 0.13), ""},
		{"as planned, to what the kernel rounds", part("cart", "2-3", 0.13004), ""},
		{"no quota planned", part("gateway", "2-3", 0), ""},
		{"Postgres has cores of its own", part("postgres", "1", 0), ""},
		{"modular has the monolith's quota", part("modular", "2-3", 1.33), ""},
		{"no quota", part("cart", "2-3", 0), "cart has a quota of 0.00 cores, the preset says 0.13"},
		{"another quota", part("modular", "2-3", 0.67), "modular has a quota of 0.67 cores, the preset says 1.33"},
		{"a quota that nobody planned", part("gateway", "2-3", 1), "gateway has a quota of 1.00 cores, the preset says 0.00"},
		{"other cores", part("cart", "0-3", 0.13), "cart may run on cores 0-3, the preset says 2-3 (read back from the kernel, cgroup v2)"},
		{"the application's cores", part("postgres", "2-3", 0), "postgres may run on cores 2-3, the preset says 1"},
		{"cores not known", part("cart", "", 0.13), "cart may run on cores"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := (&Up{Preset: preset, Parts: []Part{tt.part}}).check()
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
		})
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/products" {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(status)
	}))
	if got := ask(t.Context(), s.URL); got != "" {
		t.Errorf("ready: %q", got)
	}
	status = http.StatusServiceUnavailable
	if got := ask(t.Context(), s.URL); got != "; the API answers 503 Service Unavailable" {
		t.Errorf("not ready: %q", got)
	}
	s.Close()
	if got := ask(t.Context(), s.URL); got != "; the API does not answer yet" {
		t.Errorf("nobody there: %q", got)
	}
	if got := ask(t.Context(), ""); got == "" {
		t.Error("no address is taken for an answer")
	}
}

func TestContainerStates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, status, want string
		running, oom       bool
		code               int
	}{
		{name: "running", status: "running", running: true, want: "running"},
		{name: "not started yet", status: "created", want: "created"},
		{name: "over", status: "exited", want: "done"},
		{name: "failed", status: "exited", code: 3, want: "exited with 3"},
		{name: "out of memory", status: "exited", code: 137, oom: true, want: "killed: out of memory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c container
			c.State.Status, c.State.Running, c.State.OOMKilled, c.State.ExitCode = tt.status, tt.running, tt.oom, tt.code
			if got := c.state(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			c.Config.Labels = map[string]string{serviceLabel: partMigrate}
			if got := migrated([]container{c}); got != (tt.name == "over") {
				t.Errorf("migrated: %v", got)
			}
		})
	}
}
