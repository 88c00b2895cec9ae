package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"splitshop/domain/domaintest"
	"splitshop/loadtest/runner/compose"
	"splitshop/sql"
	"splitshop/sql/sqltest"
	"splitshop/transport/httpapi"
	"splitshop/transport/httpapi/httpapitest"
)

// lab is the lab's command on a compose project of its own.
type lab struct {
	w    *world
	name string
	env  []string
}

// newLab removes what is left of the project when the test ends; the test fails if there was anything.
func newLab(t *testing.T, name string) *lab {
	t.Helper()
	w := theWorld(t)
	l := &lab{w: w, name: projectName(name)}
	l.env = []string{"COMPOSE_PROJECT_NAME=" + l.name, "SHOP_TAG=" + tag, "POSTGRES_IMAGE=" + w.postgres}
	t.Cleanup(func() {
		if err := l.gone(); err != nil {
			t.Error(err)
		}
		if said, code := l.run("down"); code != 0 {
			t.Errorf("down: exit code %d: %s", code, said)
		}
	})
	return l
}

// run runs the lab's command and returns what it printed and its exit code; -1: it did not run.
func (l *lab) run(args ...string) (said string, code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // not the test's: it cleans up too
	defer cancel()
	said, err := l.w.output(ctx, l.env, filepath.Join(l.w.project.Top, "bin/loadtest"), args...)
	if exit := (*exec.ExitError)(nil); err != nil && errors.As(err, &exit) {
		return said, exit.ExitCode()
	} else if err != nil {
		return said + err.Error(), -1
	}
	return said, 0
}

// gone is an error that names what is there of the project.
func (l *lab) gone() error {
	found, err := l.w.things(context.Background())
	if err != nil {
		return err
	}
	var left []string
	for _, f := range found {
		if f.project == l.name {
			left = append(left, f.name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("of the project %s there is left: %s", l.name, strings.Join(left, ", "))
	}
	return nil
}

// project is what the lab's own code sees of the project.
func (l *lab) project() *compose.Project {
	p := *l.w.project
	p.Name = l.name
	return &p
}

// TestUp brings up every design with every preset for this machine, each in place of the one before, and takes it down.
func TestUp(t *testing.T) {
	t.Parallel()
	for _, quotas := range []string{compose.QuotasNone, compose.QuotasEven, compose.QuotasTuned} {
		t.Run("quotas="+quotas, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, quotas)
			for _, design := range compose.Designs() {
				t.Run("design="+design, func(t *testing.T) { l.up(t, design, quotas) })
			}
			if said, code := l.run("down"); code != 0 {
				t.Errorf("down: exit code %d: %s", code, said)
			}
			must(t, l.gone())
		})
	}
}

func (l *lab) up(t *testing.T, design, quotas string) {
	said, code := l.run("up", "--design", design, "--quotas", quotas, "--port", "0")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	parts, err := l.project().Status(t.Context())
	must(t, err)
	running := slices.DeleteFunc(slices.Clone(parts), func(p compose.Part) bool { return !p.Running })
	var names []string
	for _, p := range running {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff(compose.Parts(design), names); diff != "" {
		t.Fatalf("what runs (-want +got):\n%s", diff)
	}
	file, err := compose.PresetFor(filepath.Join(composeDir, "presets"), l.w.project.Cores, quotas)
	must(t, err)
	preset, err := compose.ReadPreset(file, l.w.project.Cores)
	must(t, err)
	for _, p := range running {
		l.asPlanned(t, p, preset)
	}
	url := running[0].URL
	for _, told := range []string{url, "make try", "make logs", "make down", filepath.Base(file)} {
		if !strings.Contains(said, told) {
			t.Errorf("up does not say %q:\n%s", told, said)
		}
	}
	l.smoke(t, url, running[len(running)-1])
	l.keepsPasswords(t, parts)
}

// asPlanned checks what the kernel holds a container to, and that up's report says the same.
func (l *lab) asPlanned(t *testing.T, p compose.Part, preset *compose.Preset) {
	t.Helper()
	quota := 0.0
	if p.Limits.Quota != nil {
		quota = *p.Limits.Quota
	}
	if got, want := compose.FormatCores(p.Limits.Cores), compose.FormatCores(preset.Cores(p.Name)); got != want {
		t.Errorf("%s may run on cores %s, the preset says %s", p.Name, got, want)
	}
	if want := preset.Quota(p.Name); math.Abs(quota-want) > 0.0005 {
		t.Errorf("%s has a quota of %v, the preset says %v", p.Name, quota, want)
	}
	if p.Limits.Memory == nil || *p.Limits.Memory > 1<<30 || !strings.HasPrefix(p.Limits.Source, "kernel") {
		t.Errorf("limits of %s: %+v", p.Name, p.Limits)
	}
	powerless(t, p.Name, p.PID, "65532", true)
	// The engine makes places for its mounts; nothing else may differ from the image.
	diff, err := l.w.engine.ContainerDiff(t.Context(), p.Container, client.ContainerDiffOptions{})
	must(t, err)
	for _, change := range diff.Changes {
		if change.Path != "/run" && !strings.HasPrefix(change.Path, "/run/secrets") {
			t.Errorf("%s changed %s", p.Name, change.Path)
		}
	}
}

// smoke runs some of the conformance suite through the published port.
func (l *lab) smoke(t *testing.T, url string, postgres compose.Part) {
	t.Helper()
	inspected, err := l.w.engine.ContainerInspect(t.Context(), postgres.Container, client.ContainerInspectOptions{})
	must(t, err)
	// Postgres has no published port. This machine reaches the network of its containers all the same.
	network := slices.Collect(maps.Values(inspected.Container.NetworkSettings.Networks))[0]
	password, err := os.ReadFile(filepath.Join(composeDir, ".secrets/catalog"))
	must(t, err)
	pool, err := sql.Open(t.Context(), sql.Config{MaxConns: 2, URL: fmt.Sprintf("postgres://%s:%s@%s:5432/shop?sslmode=disable",
		sql.RoleCatalog, strings.TrimSpace(string(password)), network.IPAddress)})
	must(t, err)
	defer pool.Close()
	must(t, sqltest.AwaitReady(t.Context(), pool, startsWithin))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	hc := &http.Client{Transport: httpapitest.Validator(t, transport)}
	domaintest.Run(t, domaintest.Fixture{Shop: httpapi.NewClient(url, hc), Admin: sql.NewCatalog(pool)}, "carts", "quantities", "totals", "orders")
}

// keepsPasswords is case 34: no password is in a log, in what the engine tells of a container, or in the merged file.
func (l *lab) keepsPasswords(t *testing.T, parts []compose.Part) {
	t.Helper()
	texts := make(map[string]string)
	said, code := l.run("logs", "--lines", "100000")
	if texts["the logs"] = said; code != 0 || !strings.Contains(said, `"msg":"listening"`) {
		t.Errorf("logs: exit code %d:\n%s", code, said)
	}
	for _, p := range parts {
		inspected, err := l.w.engine.ContainerInspect(t.Context(), p.Container, client.ContainerInspectOptions{})
		must(t, err)
		all, err := json.Marshal(inspected.Container)
		must(t, err)
		texts["docker inspect of "+p.Name] = string(all)
	}
	args := slices.Concat(l.w.project.Compose[1:], []string{"--file", "compose/compose.yaml"})
	for _, design := range compose.Designs() {
		args = append(args, "--profile", design)
	}
	merged, err := l.w.output(t.Context(), l.env, l.w.project.Compose[0], append(args, "config")...)
	if texts["config"] = merged; err != nil || !strings.Contains(merged, "SHOP_DB_PASSWORD_FILE") {
		t.Errorf("config: %v\n%s", err, merged)
	}
	files, err := filepath.Glob(filepath.Join(composeDir, ".secrets/*"))
	must(t, err)
	if len(files) < 5 {
		t.Errorf("these passwords only: %v", files)
	}
	for _, file := range files {
		password, err := os.ReadFile(file)
		must(t, err)
		for what, text := range texts {
			if strings.Contains(text, strings.TrimSpace(string(password))) {
				t.Errorf("%s shows the password of %s", what, filepath.Base(file))
			}
		}
	}
}
