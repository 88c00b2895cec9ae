package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"splitshop/loadtest/runner/cgroup"
)

// The groups of this kernel, where it lets us make one; the recorded files above are the test where it does not.
func TestHoldOnThisKernel(t *testing.T) {
	t.Parallel()
	pid, why := throttledProcess(t, 0.2)
	if pid == 0 {
		t.Logf("only the recorded files were read: %s", why)
		return
	}
	tree, err := cgroup.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	var first, last PartSample
	eventuallyHeld := func(enough func(PartSample) bool) PartSample {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			parts := []PartSample{{Name: "busy", PID: pid}, {Name: partGenerator, PID: os.Getpid()}}
			hold(tree, parts)
			if parts[0].Throttling != nil && enough(parts[0]) {
				return parts[0]
			}
			if time.Now().After(deadline) {
				t.Fatalf("held to nothing, or never throttled: %+v", parts[0])
			}
		}
	}
	first = eventuallyHeld(func(PartSample) bool { return true })
	last = eventuallyHeld(func(p PartSample) bool { return p.Throttling.Throttled >= first.Throttling.Throttled+2 })
	used := partBetween(first, last, time.Second)
	if used.Quota == nil || *used.Quota != 0.2 || used.Throttling == nil {
		t.Fatalf("%+v", used)
	}
	if d := *used.Throttling; d.Throttled < 2 || d.Periods < d.Throttled || d.Time <= 0 {
		t.Errorf("throttling %+v", d)
	}
	t.Logf("on this kernel: %+v", *used.Throttling)
}

// throttledProcess starts a process that never rests in a control group of its own with a quota, until the test ends. Where none
// can be made pid is 0, and it says why.
func throttledProcess(t *testing.T, cores float64) (pid int, why string) {
	t.Helper()
	name := fmt.Sprintf("splitshop-test-%d", os.Getpid())
	quota := strconv.Itoa(int(cores * 100_000))
	for _, try := range []struct{ dir, file, text string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", quota},
		{"/sys/fs/cgroup", "cpu.max", quota + " 100000"},
	} {
		dir := filepath.Join(try.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			why += err.Error() + "; "
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, try.file)); err != nil {
			why += err.Error() + "; "
			removeGroup(t, dir)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, try.file), []byte(try.text), 0); err != nil {
			why += err.Error() + "; "
			removeGroup(t, dir)
			continue
		}
		cmd := exec.Command("sh", "-c", fmt.Sprintf("while kill -0 %d; do :; done", os.Getpid())) // it ends with this process
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
			removeGroup(t, dir)
		})
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(cmd.Process.Pid)), 0); err != nil {
			return 0, why + err.Error()
		}
		return cmd.Process.Pid, ""
	}
	return 0, why
}

// removeGroup removes a group as soon as the kernel has let go of its processes.
func removeGroup(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Rmdir(dir)
		if err == nil || errors.Is(err, syscall.ENOENT) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s is left: %v", dir, err)
			return
		}
	}
}
