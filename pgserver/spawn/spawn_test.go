package spawn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"splitshop/pgserver/spawn"
)

// The tests run on Linux, where everything this package promises can be seen in /proc.

func TestMain(m *testing.M) {
	if os.Getenv("SPAWN_TEST_PARENT") != "" {
		parent()
	}
	os.Exit(m.Run())
}

// parent starts a child, says its process id, and lives until it is killed. Meanwhile its threads come and go.
func parent() {
	p, err := spawn.Start(exec.Command("sleep", "60"), nil, syscall.SIGKILL)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for range 50 {
		done := make(chan struct{})
		go func() { runtime.LockOSThread(); close(done) }() // its thread ends with it
		<-done
	}
	fmt.Println(p.PID())
	select {}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: not within 10 s", what)
}

func TestChildEndsWithItsParent(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SPAWN_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(child, 0); err != nil {
		t.Fatalf("the child does not outlive the threads around it: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "the child's end", func() bool { return errors.Is(syscall.Kill(child, 0), syscall.ESRCH) })
}

func start(t *testing.T, cores []int, name string, args ...string) *spawn.Process {
	t.Helper()
	p, err := spawn.Start(exec.Command(name, args...), cores, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(ended(), syscall.SIGKILL) })
	return p
}

// ended is a context that gives no time.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestCores(t *testing.T) {
	t.Parallel()
	for core := range runtime.NumCPU() {
		t.Run(strconv.Itoa(core), func(t *testing.T) {
			before := allowed(t)
			p := start(t, []int{core}, "sleep", "60")
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", core); !strings.Contains(string(text), want) {
				t.Errorf("no %q in %s", want, text)
			}
			if after := allowed(t); !slices.Equal(after, before) {
				t.Errorf("this process may run on %v, before %v", after, before)
			}
		})
	}
	for _, core := range []int{-1, 1023, 1024} {
		if p, err := spawn.Start(exec.Command("sleep", "60"), []int{core}, syscall.SIGKILL); err == nil {
			p.End(ended(), syscall.SIGKILL)
			t.Errorf("started on core %d", core)
		}
	}
}

// allowed lists the cores of each thread of this process, without repetition.
func allowed(t *testing.T) (lists []string) {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:\t")
		list, _, _ := strings.Cut(rest, "\n")
		lists = append(lists, list)
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

func TestEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		time   time.Duration
		inTime bool
		says   string // of Err
	}{
		{"obeys", "trap 'exit 0' TERM; echo; while :; do sleep 0.01; done", 10 * time.Second, true, "<nil>"},
		{"obeys and fails", "trap 'exit 3' TERM; echo; while :; do sleep 0.01; done", 10 * time.Second, true, "exit status 3"},
		{"does not obey", "trap '' TERM; echo; while :; do sleep 0.01; done", 0, false, "signal: killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("sh", "-c", tt.script)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			p, err := spawn.Start(cmd, nil, syscall.SIGKILL)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil { // from here on the trap is set
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), tt.time)
			defer cancel()
			if inTime := p.End(ctx, syscall.SIGTERM); inTime != tt.inTime {
				t.Errorf("ended in time: %t", inTime)
			}
			if got := fmt.Sprint(p.Err()); got != tt.says {
				t.Errorf("ended with %s, want %s", got, tt.says)
			}
			if p.Running() || p.Signal(syscall.SIGTERM) != nil {
				t.Error("it has ended, and does not say so")
			}
		})
	}
}

func TestNoSuchProgram(t *testing.T) {
	t.Parallel()
	_, err := spawn.Start(exec.Command("/nowhere/program"), nil, syscall.SIGKILL)
	if err == nil || !strings.Contains(err.Error(), "/nowhere/program") {
		t.Errorf("got %v", err)
	}
}

func TestOwnProcessGroup(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "sleep", "60")
	if group, err := syscall.Getpgid(p.PID()); err != nil || group != p.PID() {
		t.Errorf("process group %d, %v, want its own, %d", group, err, p.PID())
	}
}
