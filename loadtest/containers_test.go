package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/runner/compose"
)

func TestPrintParts(t *testing.T) {
	t.Parallel()
	quota, memory := 0.27, int64(256<<20)
	var out bytes.Buffer
	printParts(&out, []compose.Part{
		{Name: "gateway", State: "running", Running: true, Image: compose.Image{Name: "splitshop/gateway:latest", Size: 14_960_000},
			Limits: compose.Limits{Cores: []int{5, 6, 7}, Quota: &quota, Memory: &memory, Source: "kernel, cgroup v2"}},
		{Name: "postgres", State: "running", Running: true, Image: compose.Image{Name: "postgres:18", Size: 430_000_000},
			Limits: compose.Limits{Source: "engine"}},
		{Name: "migrate", State: "done", Image: compose.Image{Name: "splitshop/monolith:latest", Size: 17_600_000}},
	})
	want := `
part      state    image                      size      cores  quota  memory limit  read back from
gateway   running  splitshop/gateway:latest   15.0 MB   5-7    0.27   256 MiB       kernel, cgroup v2
postgres  running  postgres:18                430.0 MB  any    none   none          engine
migrate   done     splitshop/monolith:latest  17.6 MB
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestContainerCommandsRefuse needs no engine: all of these are wrong before one is asked.
func TestContainerCommandsRefuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args string
		code int
		says string
	}{
		{"no such design", "up --design nano", exitUsage, "mono"},
		{"no such quotas", "up --quotas some", exitUsage, "tuned"},
		{"no such port", "up --port 70000", exitUsage, "--port is from 0 to 65535"},
		{"no time", "up --timeout 0s", exitUsage, "--timeout above 0"},
		{"no such image", "images --only monolith,nope", exitUsage, `no image "nope"`},
		{"another folder", "ps --top /nowhere", exitCouldNotRun, "run this in the top folder of the clone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, _, said := runLab(t.Context(), strings.Fields(tt.args)...)
			if code != tt.code || !strings.Contains(said, tt.says) {
				t.Errorf("exit code %d, want %d; it says %s", code, tt.code, said)
			}
		})
	}
}

func TestPortOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{"http://127.0.0.1:8080": "", "http://127.0.0.1:8181": " PORT=8181"} {
		if got := portOf(url); got != want {
			t.Errorf("%s: %q", url, got)
		}
	}
}
