package pgserver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// ImageVariable names the environment variable that says which image a container server is made of.
const (
	ImageVariable = "POSTGRES_IMAGE"
	defaultImage  = "postgres:18"
)

// findContainerEngine returns the first engine whose daemon answers; "" where none does.
func findContainerEngine(ctx context.Context) string {
	for _, cli := range []string{"docker", "podman"} {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := exec.CommandContext(ctx, cli, "info").Run()
		cancel()
		if err == nil {
			return cli
		}
	}
	return ""
}

// container is a server in a container. Its data live in the container's anonymous volume.
type container struct {
	setup
	cli  string
	name string
	done chan struct{} // closed when what start started has ended; nil before the first start
	main atomic.Int64  // the server's process on this host; 0 until it is known: asking takes the engine long
}

func newContainer(cli string, s setup) *container {
	return &container{setup: s, cli: cli, name: filepath.Base(s.home)}
}

func (c *container) start(ctx context.Context) error {
	if c.done == nil {
		if err := c.create(ctx); err != nil {
			return err
		}
	}
	if _, err := c.run(ctx, "start", c.name); err != nil {
		return err
	}
	done := make(chan struct{})
	c.done = done
	c.main.Store(0)
	go func() {
		defer close(done)
		_, _ = c.run(context.Background(), "wait", c.name) // whatever ends the wait ends our knowledge that it runs
	}()
	return nil
}

// create makes the container. Its name is written down first, so that a Sweep finds it whatever happens to us.
func (c *container) create(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(c.home, cidName), []byte(c.cli+" "+c.name+"\n"), 0o600); err != nil {
		return err
	}
	args := []string{"create", "--name", c.name, "--label", "splitshop.pgserver=" + c.name,
		"--stop-signal", "SIGINT", "--publish", "127.0.0.1:" + strconv.Itoa(c.port) + ":5432", "--shm-size", "256m",
		"--env", "POSTGRES_PASSWORD", "--env", "POSTGRES_USER=" + Superuser, "--env", "POSTGRES_INITDB_ARGS=--encoding=UTF8"}
	if len(c.Cores) > 0 {
		args = append(args, "--cpuset-cpus", coreList(c.Cores))
	}
	args = append(append(args, image(), "postgres"), c.arguments(nil)...)
	_, err := c.run(ctx, args...)
	return err
}

// image is what a container server is made of.
func image() string {
	if named := os.Getenv(ImageVariable); named != "" {
		return named
	}
	return defaultImage
}

func coreList(cores []int) string {
	var texts []string
	for _, core := range cores {
		texts = append(texts, strconv.Itoa(core))
	}
	return strings.Join(texts, ",")
}

// run runs the engine's command. The password reaches it by environment, since a command line is for everybody to read.
func (c *container) run(ctx context.Context, args ...string) (string, error) {
	return runEngine(ctx, c.cli, []string{"POSTGRES_PASSWORD=" + c.password}, args...)
}

func runEngine(ctx context.Context, cli string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, cli, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", cli, args[0], err, strings.TrimSpace(errOut.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

func (c *container) ended() <-chan struct{} { return c.done }

func (c *container) running() bool {
	if c.done == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

func (c *container) halt(ctx context.Context) error {
	if !c.running() {
		return nil
	}
	if err := c.keepLog(ctx); err != nil {
		return err
	}
	// The grace is the engine's to count; ours ends a moment later.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	_, err := c.run(ctx, "stop", "--time", "8", c.name)
	return err
}

func (c *container) kill() error {
	if !c.running() {
		return nil
	}
	_, err := c.run(context.Background(), "kill", c.name)
	<-c.done
	return err
}

// keepLog copies the server's log to where the caller wanted it.
func (c *container) keepLog(ctx context.Context) error {
	if c.LogFile == "" {
		return nil
	}
	f, err := os.OpenFile(c.LogFile, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.cli, "logs", c.name)
	cmd.Stdout, cmd.Stderr = f, f
	if err := cmd.Run(); err != nil {
		f.Close()
		return fmt.Errorf("%s logs: %w", c.cli, err)
	}
	return f.Close()
}

func (c *container) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return removeContainer(ctx, c.cli, c.name)
}

// removeContainer removes a container and its data; one that is not there is no error.
func removeContainer(ctx context.Context, cli, name string) error {
	_, err := runEngine(ctx, cli, nil, "rm", "--force", "--volumes", name)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return nil
	}
	return err
}

// pid is the server's process on this host; 0 where the engine runs in a virtual machine.
func (c *container) pid() int {
	if known := c.main.Load(); known != 0 {
		return int(known)
	}
	text, err := c.run(context.Background(), "inspect", "--format", "{{.State.Pid}}", c.name)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err != nil || strings.TrimSpace(string(comm)) != "postgres" {
		return 0
	}
	c.main.Store(int64(pid))
	return pid
}

func (c *container) logTail() string {
	cmd := exec.Command(c.cli, "logs", "--tail", "30", c.name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}
