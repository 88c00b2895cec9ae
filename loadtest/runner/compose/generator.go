package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// GeneratorBinary is the one that the generator's image is made of.
const GeneratorBinary = "loadtest"

// roleLabel marks the generator's container: compose did not make it, and knows nothing of it.
const roleLabel = "splitshop.role"

const (
	generatorStarts = 20 * time.Second // until its process runs
	generatorEnds   = 10 * time.Second // after its input ended
)

// Generator is the container that offers the load: of the lab's own image, on the network and under the name of the project,
// with the standard streams in this process's hands. It can do nothing but talk to that network: its file system cannot be
// written, and its one capability is to ask for better scheduling. The engine gives capabilities to root only, so it is root
// inside, and nothing else than that.
type Generator struct {
	Part // as it was when it had started

	In  io.WriteCloser // its standard input; closing it asks it to end
	Out io.Reader      // its standard output, until it ends

	project *Project
	cmd     *exec.Cmd
	said    *tail // on standard error
	ended   chan struct{}
	once    sync.Once
	err     error
}

// StartGenerator makes the container, pinned to cores (none: any), and starts it with arguments for the binary. It needs the
// project to be up. Close ends and removes it.
func (p *Project) StartGenerator(ctx context.Context, cores []int, args ...string) (*Generator, error) {
	g := &Generator{project: p, said: &tail{lines: generatorLines}, ended: make(chan struct{})}
	if err := g.start(ctx, cores, args); err != nil {
		return nil, errors.Join(fmt.Errorf("the generator's container: %w", err), g.Close())
	}
	return g, nil
}

// generatorLines is how many of its last lines are kept to be quoted.
const generatorLines = 12

func (g *Generator) start(ctx context.Context, cores []int, args []string) error {
	p := g.project
	network, err := output(ctx, nil, "docker", "network", "ls", "--quiet", "--filter", "label="+projectLabel+"="+p.Name,
		"--filter", "name=_"+networkInside+"$")
	if err != nil {
		return err
	}
	if network == "" {
		return errors.New("the shop's network is not there: is the shop up?")
	}
	create := []string{"docker", "create", "--interactive", "--label", projectLabel + "=" + p.Name,
		"--label", serviceLabel + "=" + partGenerator, "--label", roleLabel + "=" + partGenerator, "--network", network,
		"--user", "0:0", "--cap-drop", "ALL", "--cap-add", "SYS_NICE", "--read-only", "--security-opt", "no-new-privileges",
		"--pids-limit", "256", "--memory", "1g", "--log-driver", "none", "--restart", "no"}
	if len(cores) > 0 {
		create = append(create, "--cpuset-cpus", FormatCores(cores))
	}
	id, err := output(ctx, nil, append(append(create, ImageName(GeneratorBinary, p.Tag)), args...)...)
	if err != nil {
		return err
	}
	g.Container = id
	if err := g.attach(); err != nil {
		return err
	}
	return g.await(ctx)
}

// attach starts the container with its streams connected. The command is not this process's to be interrupted with: Ctrl-C ends
// the load in order, over the streams.
func (g *Generator) attach() (err error) {
	g.cmd = exec.Command("docker", "start", "--attach", "--interactive", g.Container)
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	g.cmd.Stderr = g.said
	if g.In, err = g.cmd.StdinPipe(); err != nil {
		return err
	}
	out, w := io.Pipe()
	g.Out, g.cmd.Stdout = out, w
	if err := g.cmd.Start(); err != nil {
		g.cmd = nil
		return err
	}
	go func() {
		g.err = g.cmd.Wait()
		w.Close()
		close(g.ended)
	}()
	return nil
}

// await returns when the container's process runs, and has read back what it is held to.
func (g *Generator) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, generatorStarts)
	defer cancel()
	for {
		found, err := g.project.Status(ctx)
		if err != nil {
			return err
		}
		for _, part := range found {
			if part.Container == g.Container && part.Running {
				g.Part = part
				return nil
			}
		}
		select {
		case <-g.ended:
			return g.Ended()
		case <-ctx.Done():
			return fmt.Errorf("its process does not run: %w", context.Cause(ctx))
		case <-time.After(wait / 4):
		}
	}
}

// Ended is an error that says how the generator ended, with its last lines; nil while it runs.
func (g *Generator) Ended() error {
	select {
	case <-g.ended:
	default:
		return nil
	}
	how := "exited with 0"
	if g.err != nil {
		how = g.err.Error()
		if g.cmd.ProcessState != nil && g.cmd.ProcessState.ExitCode() >= 0 {
			how = fmt.Sprintf("exited with %d", g.cmd.ProcessState.ExitCode())
		}
	}
	if lines := g.said.String(); lines != "" {
		return fmt.Errorf("the generator's container %s; its last lines:\n%s", how, lines)
	}
	return fmt.Errorf("the generator's container %s and said nothing", how)
}

// Wait returns when the generator has ended, or after a while.
func (g *Generator) Wait(limit time.Duration) {
	select {
	case <-g.ended:
	case <-time.After(limit):
	}
}

// Close asks the generator to end, waits a little, and removes the container whatever became of it.
func (g *Generator) Close() (err error) {
	g.once.Do(func() {
		if g.cmd != nil {
			g.In.Close()
			go io.Copy(io.Discard, g.Out) //nolint:errcheck // nobody reads it any more, and its writer must not wait
			g.Wait(generatorEnds)
		}
		if g.Container == "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		_, err = output(ctx, nil, "docker", "rm", "--force", "--volumes", g.Container)
		if g.cmd != nil {
			g.Wait(generatorEnds) // the command ends with its container
		}
	})
	return err
}

// removeGenerators removes containers that compose would stumble over: it has not made them.
func (p *Project) removeGenerators(ctx context.Context) error {
	ids, err := output(ctx, nil, "docker", "ps", "--all", "--quiet", "--filter", "label="+projectLabel+"="+p.Name,
		"--filter", "label="+roleLabel+"="+partGenerator)
	if err != nil || ids == "" {
		return err
	}
	_, err = output(ctx, nil, append([]string{"docker", "rm", "--force", "--volumes"}, strings.Fields(ids)...)...)
	return err
}
