package containers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner/compose"
)

// measuring is the lab's command that measures in containers. These tests are not run beside others: the lab would notice.
type measuring struct {
	*lab
	boxes *lab // what the command itself brings up, and takes down
	out   string
	env   []string
}

func newMeasuring(t *testing.T, name string) *measuring {
	t.Helper()
	l := newLab(t, name)
	m := &measuring{lab: l, boxes: &lab{w: l.w, name: l.name + "-lab", env: l.env}, out: t.TempDir()}
	m.env = append(slices.Clone(l.env), "TMPDIR="+t.TempDir()) // the lock is there: another lab is none of our business
	return m
}

// measure runs the command; when it says a text, then is done. It returns what it said, and its exit code.
func (m *measuring) measure(t *testing.T, when string, then func(*exec.Cmd), args ...string) (said string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(m.w.project.Top, "bin/loadtest"),
		append(args, "--in", "containers", "--scale", "quick", "--warmup", "500ms", "--out", m.out)...)
	cmd.Dir, cmd.Env = m.w.project.Top, append(os.Environ(), m.env...)
	var out, told bytes.Buffer // filled by two goroutines
	cmd.Stdout = &out
	progress, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	done := false
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		fmt.Fprintln(&told, lines.Text())
		if !done && when != "" && strings.Contains(lines.Text(), when) {
			done = true
			then(cmd)
		}
	}
	err = cmd.Wait()
	if when != "" && !done {
		t.Errorf("it never said %q", when)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return told.String() + out.String(), cmd.ProcessState.ExitCode()
}

func (m *measuring) result(t *testing.T) result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(m.out, "result.json"))
	must(t, err)
	return r
}

// preset is the one for this machine.
func (m *measuring) preset(t *testing.T, quotas string) *compose.Preset {
	t.Helper()
	p, err := m.project().Preset(compose.UpOptions{Design: compose.Mono, Quotas: quotas})
	must(t, err)
	return p
}

// TestMeasure measures the monolith in containers for a moment, and looks at what the result says of where it ran.
func TestMeasure(t *testing.T) {
	m := newMeasuring(t, "measure")
	said, code := m.measure(t, "", nil, "closed", "--design", "mono", "--quotas", "even", "--duration", "2s", "--repeats", "1")
	r := m.result(t)
	if len(r.Designs) != 1 || len(r.Designs[0].Steps) != 1 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	must(t, m.boxes.gone())
	d := r.Designs[0]
	s := d.Steps[0]
	if s.Succeeded == 0 || s.Failed > 0 || s.FromSend == nil || s.FromSend.Count != s.Requests {
		t.Errorf("%d succeeded, %d failed: %+v", s.Succeeded, s.Failed, s.Failures)
	}
	// A machine with other work may have none of its cores free for the generator: that is the only excuse.
	for _, why := range s.Verdict.Reasons {
		if s.Verdict.Outcome == result.Invalid && !strings.HasPrefix(why, "the generator") {
			t.Errorf("INVALID: %s", why)
		}
	}
	if code != 0 && code != 3 {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	preset := m.preset(t, compose.QuotasEven)
	if d.Generator == nil {
		t.Fatal("nothing is said of the generator")
	}
	var names []string
	for _, p := range append(slices.Clone(d.Parts), *d.Generator) {
		names = append(names, p.Name)
		want := preset.Cores(p.Name)
		if !slices.Equal(p.Planned, want) || !slices.Equal(p.Actual, want) || p.Processes == 0 {
			t.Errorf("%s: %+v; the preset says cores %v", p.Name, p, want)
		}
		if quota := preset.Quota(p.Name); (p.Quota == nil) != (quota == 0) || quota > 0 && math.Abs(*p.Quota-quota) > 0.0005 {
			t.Errorf("quota of %s: %+v; the preset says %v", p.Name, p.Quota, quota)
		}
		if p.Image == nil || p.Image.Size < 5e6 || !strings.HasPrefix(p.Image.ID, "sha256:") || p.Image.Name == "" {
			t.Errorf("image of %s: %+v", p.Name, p.Image)
		}
		if !strings.Contains(said, p.Name) {
			t.Errorf("the report does not name %s", p.Name)
		}
	}
	if diff := cmp.Diff([]string{"monolith", "postgres", "generator"}, names); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	var used []string
	for _, u := range s.Parts {
		if used = append(used, u.Name); u.Cores == nil || *u.Cores <= 0 || u.RSS == nil {
			t.Errorf("usage of %s: %+v", u.Name, u)
		}
	}
	if diff := cmp.Diff(names, used); diff != "" {
		t.Errorf("parts whose use was counted (-want +got):\n%s", diff)
	}
	if r.Where != "containers" || s.Postgres == nil || s.Postgres.WAL == 0 || len(s.Pools) == 0 || d.Preflight == nil {
		t.Errorf("where %q; Postgres %+v; pools %+v; preflight %+v", r.Where, s.Postgres, s.Pools, d.Preflight)
	}
}

// TestMeasureInvalid is the negative control: something is not as planned any more while it is measured. Then there is no
// capacity, and nothing is left all the same.
func TestMeasureInvalid(t *testing.T) {
	tests := []struct {
		name, part string
		engine     []string // the engine's command; G stands for the generator's cores
		code       int
		want       string
	}{
		{"a part is killed", "monolith", []string{"kill"}, 3, "monolith: exited with 137"},
		{"a part is moved off its cores", "monolith", []string{"update", "--cpuset-cpus", "G"}, 3, "may run on cores"},
		{"a part gets a quota", "monolith", []string{"update", "--cpus", "0.5"}, 3, "has a quota of 0.50"},
		{"the generator is killed", "generator", []string{"kill"}, 4, "the generator ended before"},
		{"the lab is interrupted", "", nil, 3, "interrupted"},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMeasuring(t, fmt.Sprintf("invalid%d", i))
			generator := compose.FormatCores(m.preset(t, compose.QuotasNone).Cores("generator"))
			said, code := m.measure(t, "ramp, step 1", func(cmd *exec.Cmd) {
				if test.engine == nil {
					must(t, cmd.Process.Signal(os.Interrupt))
					return
				}
				args := append(slices.Clone(test.engine), m.container(t, test.part))
				for i := range args {
					if args[i] == "G" {
						args[i] = generator
					}
				}
				if said, err := exec.CommandContext(t.Context(), "docker", args...).CombinedOutput(); err != nil {
					t.Errorf("%v: %v: %s", args, err, said)
				}
			}, "ramp", "--design", "mono", "--base", "100", "--steps", "2", "--step", "3s")
			if code != test.code || !strings.Contains(said, test.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, test.code, test.want, said)
			}
			must(t, m.boxes.gone())
			for _, d := range m.result(t).Designs {
				if d.Capacity != nil && (d.Capacity.Status != result.NotValid || d.Capacity.High != nil && d.Steps[0].Verdict.Outcome != result.Invalid) {
					t.Errorf("capacity %+v", d.Capacity)
				}
			}
		})
	}
}

// TestMeasureKilled kills the lab, which then can remove nothing; the doctor sees what is left, and removes it.
func TestMeasureKilled(t *testing.T) {
	m := newMeasuring(t, "killed")
	m.measure(t, "ramp, step 1", func(cmd *exec.Cmd) { must(t, cmd.Process.Kill()) },
		"ramp", "--design", "mono", "--base", "100", "--steps", "2", "--step", "3s")
	if m.boxes.gone() == nil {
		t.Fatal("nothing is left: this tests nothing")
	}
	m.lab.env = m.env
	const left = "left in containers"
	if said, _ := m.run("doctor", "--watch", "10ms"); !strings.Contains(said, left) || !strings.Contains(said, m.boxes.name) {
		t.Errorf("the doctor does not say what is left:\n%s", said)
	}
	if said, _ := m.run("doctor", "--watch", "10ms", "--clean"); strings.Contains(said, left) {
		t.Errorf("the doctor left something:\n%s", said)
	}
	must(t, m.boxes.gone())
}

// container is the id of what the command has up of a part.
func (m *measuring) container(t *testing.T, part string) string {
	t.Helper()
	parts, err := m.boxes.project().Status(t.Context())
	must(t, err)
	for _, p := range parts {
		if p.Name == part {
			return p.Container
		}
	}
	t.Fatalf("there is no %s among %d containers", part, len(parts))
	return ""
}
