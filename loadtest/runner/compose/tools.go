package compose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const askTimeout = 20 * time.Second // an engine that takes longer for a simple question does not answer

// Tools are the container engine and the compose command of this machine.
type Tools struct {
	Compose        []string // the command and its first arguments: docker compose, or docker-compose
	ComposeVersion string
	EngineVersion  string
	Cores          int // of the machine that the engine runs on
}

// FindTools looks for an engine that answers and for a compose command. Its errors say what to do.
func FindTools(ctx context.Context) (*Tools, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, errors.New("there is no docker command here: install Docker Engine, or run the shop as local processes (make demo)")
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	text, err := output(ctx, nil, "docker", "info", "--format", "{{.NCPU}} {{.ServerVersion}}")
	cores, version, ok := strings.Cut(text, " ")
	n, convErr := strconv.Atoi(cores)
	if err != nil || !ok || convErr != nil || n < 1 {
		return nil, fmt.Errorf("the container engine does not answer (%v).\n"+
			"Start it (sudo systemctl start docker), and see that you may use it (be root, or in the group docker)", cmpErr(err, text))
	}
	t := &Tools{EngineVersion: version, Cores: n}
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		version, err := output(ctx, nil, append(command, "version", "--short")...)
		if err == nil {
			t.Compose, t.ComposeVersion = command, strings.TrimPrefix(version, "v")
			return t, nil
		}
	}
	return nil, errors.New("there is neither `docker compose` nor docker-compose here: " +
		"install the package docker-compose-plugin or docker-compose")
}

func cmpErr(err error, text string) error {
	if err == nil {
		return fmt.Errorf("it said %q", text)
	}
	return err
}

// output runs a command and returns what it printed, trimmed. Its error quotes the end of what the command complained of.
func output(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := command(ctx, env, args...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("%s: %w: %s", commandName(args), err, lastLines(complaint.String(), 12))
	}
	return strings.TrimSpace(out.String()), nil
}

// command is one that is asked to stop, rather than killed, when ctx ends: what it has begun it can then undo.
func command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// commandName is what a message calls a command: its words up to the first flag, two at most.
func commandName(args []string) string {
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		return args[0] + " " + args[1]
	}
	return args[0]
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
