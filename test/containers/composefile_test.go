package containers

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/runner/compose"
)

const (
	composeDir = "../../compose"
	// grace is a server's --grace where it is told nothing: the longest it takes to stop, the drain time included.
	grace = 10 * time.Second
)

// TestComposeFile loads the file by the reference loader, for every profile and every preset that there is.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	presets, err := filepath.Glob(filepath.Join(composeDir, "presets", "*.env"))
	must(t, err)
	if len(presets) < 9 {
		t.Errorf("only these presets: %v", presets)
	}
	for _, file := range presets {
		preset, err := compose.ReadPreset(file, math.MaxInt32)
		must(t, err)
		for _, design := range compose.Designs() {
			t.Run(filepath.Base(file)+"/profile="+design, func(t *testing.T) {
				t.Parallel()
				project := load(t, file, design)
				services := slices.Sorted(maps.Keys(project.Services))
				want := slices.Sorted(slices.Values(append(compose.Parts(design), "migrate")))
				if diff := cmp.Diff(want, services); diff != "" {
					t.Errorf("services (-want +got):\n%s", diff)
				}
				for _, service := range project.Services {
					hardened(t, service)
					planned(t, service, preset)
				}
			})
		}
	}
}

// load merges the compose file, a preset and what `loadtest up` adds.
func load(t *testing.T, preset, profile string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(composeDir, "compose.yaml")},
		cli.WithName("splitshop"), cli.WithProfiles([]string{profile}),
		cli.WithEnvFiles(preset), cli.WithDotEnv, cli.WithInterpolation(true), cli.WithConsistency(true))
	must(t, err)
	project, err := options.LoadProject(t.Context())
	must(t, err)
	return project
}

// hardened checks what every service has, whatever it does.
func hardened(t *testing.T, s types.ServiceConfig) {
	t.Helper()
	uid, _, _ := strings.Cut(s.User, ":")
	for _, tt := range []struct {
		name string
		ok   bool
		got  any
	}{
		{"read_only", s.ReadOnly, s.ReadOnly},
		{"cap_drop", slices.Equal(s.CapDrop, []string{"ALL"}), s.CapDrop},
		{"cap_add", len(s.CapAdd) == 0, s.CapAdd},
		{"security_opt", slices.Contains(s.SecurityOpt, "no-new-privileges:true"), s.SecurityOpt},
		{"privileged", !s.Privileged, s.Privileged},
		{"network_mode", s.NetworkMode == "", s.NetworkMode},
		{"devices", len(s.Devices) == 0, s.Devices},
		{"pids_limit", s.PidsLimit > 0 && s.PidsLimit <= 1024, s.PidsLimit},
		{"mem_limit", s.MemLimit > 0 && s.MemLimit <= 1<<30, s.MemLimit},
		{"user", uid != "" && uid != "0" && uid != "root", s.User},
		{"restart", s.Restart == "no", s.Restart},
		{"stop_grace_period", s.StopGracePeriod != nil && time.Duration(*s.StopGracePeriod) > grace, s.StopGracePeriod},
	} {
		if !tt.ok {
			t.Errorf("%s of %s is %v", tt.name, s.Name, tt.got)
		}
	}
	for _, port := range s.Ports {
		if port.HostIP != "127.0.0.1" {
			t.Errorf("port %d of %s is published on %q", port.Target, s.Name, port.HostIP)
		}
	}
	published := slices.Contains([]string{"monolith", "modular", "gateway"}, s.Name)
	if _, edge := s.Networks["edge"]; published != (len(s.Ports) == 1) || published != edge {
		t.Errorf("%s publishes %v, and is on the network edge: %v", s.Name, s.Ports, edge)
	}
	for name, value := range s.Environment {
		if secret := strings.HasSuffix(name, "PASSWORD"); secret && value != nil {
			t.Errorf("%s has a password in its environment, in %s", s.Name, name)
		}
	}
}

// planned checks that a service gets the preset's cores and quota.
func planned(t *testing.T, s types.ServiceConfig, preset *compose.Preset) {
	t.Helper()
	if want := compose.FormatCores(preset.Cores(s.Name)); s.CPUSet != want || want == "" {
		t.Errorf("%s has the cores %q, the preset says %q", s.Name, s.CPUSet, want)
	}
	if want := preset.Quota(s.Name); s.CPUS != float32(want) {
		t.Errorf("%s has a quota of %v, the preset says %v", s.Name, s.CPUS, want)
	}
}

// TestComposeFileForOldCompose holds the file to what docker-compose 1.29 would refuse and the reference loader accepts.
func TestComposeFileForOldCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(composeDir, "compose.yaml"))
	must(t, err)
	keys := regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	var got []string
	for _, match := range keys.FindAllStringSubmatch(string(text), -1) {
		if !strings.HasPrefix(match[1], "x-") {
			got = append(got, match[1])
		}
	}
	slices.Sort(got)
	if want := []string{"networks", "secrets", "services", "volumes"}; !slices.Equal(got, want) {
		t.Errorf("top-level keys are %s, want %s: neither a version nor a name", fmt.Sprint(got), want)
	}
}
