// Package spawn starts child processes that cannot outlive their parent and that run on given cores from their first
// instruction.
//
// It owns the one subtle point of both: on Linux the death signal follows the thread that started the child, not the
// process, so that thread is kept until the child has ended; and a child's cores are those its starting thread had at that
// moment. It does not know what the child does, nor how it wants to be stopped.
//
// Elsewhere than on Linux there are neither death signals nor affinity: a killed parent leaves its children behind, and
// asking for cores is an error.
package spawn

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is a child that was started.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // of Wait; read after done is closed
}

// Start starts cmd in a process group of its own, so that a terminal's Ctrl-C reaches the parent alone. The child may use
// only the given cores (nil: those of the caller), and gets the signal onDeath when this process ends in whatever way.
// Start takes over cmd: call neither its Start nor its Wait.
func Start(cmd *exec.Cmd, cores []int, onDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setDeathSignal(cmd.SysProcAttr, onDeath)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Never unlocked: the thread must live as long as the child, and should end with it.
		runtime.LockOSThread()
		err := onCores(cores, cmd.Start)
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID is the child's process id, and its process group's.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and was waited for.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running says whether the child has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Err waits for the child and returns nil where it exited with status 0, else an *exec.ExitError.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Signal sends a signal to the child alone. A child that has ended is no error.
func (p *Process) Signal(sig syscall.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.cmd.Process.Signal(sig); err != nil && p.Running() {
		return fmt.Errorf("signal %s to %s: %w", sig, p.cmd.Path, err)
	}
	return nil
}

// End sends a signal, waits for the child's end until ctx is done, and then kills the child's whole process group. It
// returns whether the child ended without being killed.
func (p *Process) End(ctx context.Context, sig syscall.Signal) bool {
	if p.Signal(sig) == nil {
		select {
		case <-p.done:
			return true
		case <-ctx.Done():
		}
	}
	if p.Running() {
		syscall.Kill(-p.PID(), syscall.SIGKILL) // fails only where it ended in this instant
	}
	<-p.done
	return false
}
