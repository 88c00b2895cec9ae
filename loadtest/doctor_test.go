package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"splitshop/loadtest/load"
)

const labVariable = "LOADTEST_TEST_LAB" // where a child of the tests, which is a lab, puts its logs

func TestMain(m *testing.M) {
	if out := os.Getenv(labVariable); out != "" {
		os.Exit(labThatHangs(out))
	}
	os.Exit(m.Run())
}

// labThatHangs is a lab that has just begun: it says where its Postgres is and waits for its end.
func labThatHangs(out string) int {
	l, err := openLab(context.Background(), &flags{Out: out}, load.Mix{}, newProgress(io.Discard))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	pg := l.place.(*processes).pg
	fmt.Printf("%s %d\n", pg.Dir(), pg.PID())
	select {}
}

// diagnose runs the doctor and returns its findings by what they are about.
func diagnose(t *testing.T, wantCode int, more ...string) map[string]finding {
	t.Helper()
	code, out, said := runLab(t.Context(), append([]string{"doctor", "--json", "--watch", "50ms", "--top", ".."}, more...)...)
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v: %s%s", err, out, said)
	}
	if code != wantCode || d.CanMeasure != (code == exitMeasured) {
		t.Errorf("exit code %d, want %d: %s", code, wantCode, out)
	}
	findings := map[string]finding{}
	for _, f := range d.Findings {
		findings[f.What] = f
	}
	return findings
}

// TestDoctorCleansUpAfterTheDead has a lab that lives, which the doctor leaves alone, and then is killed.
func TestDoctorCleansUpAfterTheDead(t *testing.T) {
	tmp, err := os.MkdirTemp("", "doctor-test-") // of its own: nobody else measures or sweeps there
	if err == nil {
		err = os.Chmod(tmp, 0o755) // Postgres may run as another user
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	t.Setenv("TMPDIR", tmp)
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	lab := exec.CommandContext(t.Context(), os.Args[0])
	lab.Env = append(os.Environ(), labVariable+"="+out)
	said, err := lab.StdoutPipe()
	if err == nil {
		err = lab.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(said).ReadString('\n')
	dir, pidText, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, err := strconv.Atoi(pidText)
	if err != nil {
		t.Fatalf("the lab says %q", line)
	}

	found := diagnose(t, exitCouldNotRun, "--clean")
	if f := found["lab's lock"]; f.State != prevents || !strings.Contains(f.Found, fmt.Sprintf("pid %d", lab.Process.Pid)) {
		t.Errorf("while a lab measures: %+v", f)
	}
	if f := found["noise"]; f.State != unknown {
		t.Errorf("noise was watched, which is that lab: %+v", f)
	}
	if f := found["left behind"]; f.State != fine || syscall.Kill(pid, 0) != nil || !isThere(dir) {
		t.Fatalf("a living lab was not left alone: %+v", f)
	}

	lab.Process.Kill()
	_ = lab.Wait() // killed
	if f := diagnose(t, exitMeasured)["left behind"]; f.State != limits || !strings.Contains(f.Found, dir) || !isThere(dir) {
		t.Errorf("after it was killed: %+v, and %s is there: %t", f, dir, isThere(dir))
	}
	if f := diagnose(t, exitMeasured, "--clean")["left behind"]; f.State != fine || isThere(dir) {
		t.Errorf("cleaned: %+v, and %s is there: %t", f, dir, isThere(dir))
	}
	for deadline := time.Now().Add(10 * time.Second); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestDoctorPrintsEveryFinding(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := diagnosis{CanMeasure: true, Findings: []finding{
		{"cores", fine, "as many as you like", ""},
		{"noise", limits, "much of both", "stop it\nmove elsewhere"},
	}}
	if err := d.print(&out, false); err != nil {
		t.Fatal(err)
	}
	const want = `cores  ok     as many as you like
noise  limit  much of both
              -> stop it
              -> move elsewhere

This machine can measure. What is limited above stands in every result.
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	out.Reset()
	if err := (diagnosis{}).print(&out, false); err != nil || !strings.Contains(out.String(), "cannot measure here") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestDoctorRefuses(t *testing.T) {
	t.Parallel()
	if code, _, said := runLab(t.Context(), "doctor", "--watch", "0s"); code != exitUsage || !strings.Contains(said, "--watch") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
