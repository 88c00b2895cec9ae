package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"splitshop/loadtest/runner/compose"
	"splitshop/pgserver/spawn"
)

// Part is one of the things a design consists of: a process of the shop, or Postgres with all its processes; or a container.
type Part struct {
	Name     string
	Cores    []int    // planned; empty: any
	Quota    *float64 // planned, in cores; nil: none, as of every local process
	Addr     string   // where it serves: host:port or unix:/path; "" for Postgres
	AdminURL string   // of /readyz, /stats, ...; "" for Postgres
	LogFile  string

	Image *compose.Image // what a container was made of; nil for a process of this machine

	main     func() int   // the process, or the parent of the part's others; 0 where it cannot be seen
	children bool         // there are others
	ended    func() error // how it ended, where nobody wanted it to
	proc     *process     // nil but for a process that was started here
}

// PIDs returns the part's processes: one, or the postmaster first and then its children. None where they cannot be seen.
func (p *Part) PIDs() ([]int, error) {
	pid := p.main()
	switch {
	case pid == 0:
		return nil, nil
	case p.children:
		return family(pid)
	}
	return []int{pid}, nil
}

// Strays returns the part's threads that the kernel lets run elsewhere than planned. None where nothing was planned.
func (p *Part) Strays() ([]Stray, error) {
	if len(p.Cores) == 0 {
		return nil, nil
	}
	pids, err := p.PIDs()
	if err != nil {
		return nil, err
	}
	var all []Stray
	for _, pid := range pids {
		stray, err := strayThreads(pid, p.Cores)
		if err != nil && !isGone(err) {
			return nil, fmt.Errorf("cores of %s: %w", p.Name, err)
		}
		all = append(all, stray...)
	}
	return all, nil
}

// CoresNow returns the cores that some thread of the part may use, as the kernel says.
func (p *Part) CoresNow() ([]int, error) {
	pids, err := p.PIDs()
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, pid := range pids {
		stray, err := strayThreads(pid, nil)
		if err != nil && !isGone(err) {
			return nil, fmt.Errorf("cores of %s: %w", p.Name, err)
		}
		for _, t := range stray {
			for _, c := range t.Cores {
				seen[c] = true
			}
		}
	}
	var cores []int
	for c := range seen {
		cores = append(cores, c)
	}
	slices.Sort(cores)
	return cores, nil
}

// errNotOurs is returned where a process of the shop is asked for and the part is Postgres, or a container.
var errNotOurs = errors.New("the part is no process of the shop that was started here")

// Signal sends a signal to the part's process, whose end is expected from then on.
func (p *Part) Signal(sig syscall.Signal) error {
	if p.proc == nil {
		return errNotOurs
	}
	return p.proc.expectEnd().Signal(sig)
}

// Wait waits until the part's process ends or ctx is done, and returns nil where it exited with status 0.
func (p *Part) Wait(ctx context.Context) error {
	if p.proc == nil {
		return errNotOurs
	}
	child := p.proc.current()
	select {
	case <-child.Done():
		return child.Err()
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of %s: %w", p.Name, context.Cause(ctx))
	}
}

// Kill ends the part's process at once and returns when it is gone.
func (p *Part) Kill() error {
	if p.proc == nil {
		return errNotOurs
	}
	child := p.proc.expectEnd()
	if err := child.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-child.Done()
	return nil
}

// Terminate asks the part's process to stop, waits until ctx is done and then kills it. An error where it had to be killed
// or did not exit with status 0. One that had ended before is no error.
func (p *Part) Terminate(ctx context.Context) error {
	if p.proc == nil {
		return errNotOurs
	}
	if !p.proc.running() {
		return nil
	}
	child := p.proc.expectEnd()
	inTime := child.End(ctx, syscall.SIGTERM)
	switch err := child.Err(); {
	case !inTime:
		return p.fail(errors.New("it did not stop in time and was killed"))
	case err != nil:
		return p.fail(err)
	}
	return nil
}

// Start starts the part's process again, after it ended, on the same addresses, and returns when it is ready.
func (p *Part) Start(ctx context.Context) error {
	if err := p.Launch(ctx); err != nil {
		return err
	}
	return p.awaitReady(ctx)
}

// Launch is Start that returns as soon as the process listens, for one that has to wait for what it needs.
func (p *Part) Launch(ctx context.Context) error {
	if p.proc == nil {
		return errNotOurs
	}
	if p.proc.running() {
		return fmt.Errorf("%s runs already", p.Name)
	}
	return p.launch(ctx)
}

// unexpectedEnd returns nil unless the process has ended and nobody wanted it to.
func (p *Part) unexpectedEnd() error {
	child, wanted := p.proc.state()
	if child == nil || wanted || child.Running() {
		return nil
	}
	return p.fail(fmt.Errorf("it ended by itself: %w", exit(child)))
}

// launch starts the process and returns when it says where it listens.
func (p *Part) launch(ctx context.Context) error {
	log, err := os.OpenFile(p.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.proc.path)
	cmd.Env = variables(p.proc.env)
	cmd.Stdout, cmd.Stderr = log, log
	child, err := spawn.Start(cmd, p.Cores, syscall.SIGKILL)
	if err != nil {
		return err
	}
	p.proc.set(child)
	return p.whileRunning(ctx, "say where it listens", func() (bool, error) { return p.readAddresses(begin) })
}

// readAddresses looks for the two listeners in the log after an offset.
func (p *Part) readAddresses(begin int64) (found bool, err error) {
	f, err := os.Open(p.LogFile)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Seek(begin, io.SeekStart); err != nil {
		return false, err
	}
	public, admin := listeners(f)
	if public == "" || admin == "" {
		return false, nil
	}
	if p.Addr == "" {
		p.Addr, p.AdminURL = public, "http://"+admin
		p.proc.env["SHOP_ADDR"], p.proc.env["SHOP_ADMIN_ADDR"] = public, admin // where it is started again
	}
	return true, nil
}

// listeners finds in a log where a process listens; lines of other kinds, or half written, are passed over.
func listeners(log io.Reader) (public, admin string) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Msg, Listener, Addr string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		switch line.Listener {
		case "public":
			public = line.Addr
		case "admin":
			admin = line.Addr
		}
	}
	return public, admin
}

// awaitReady waits until the process says that it can serve.
func (p *Part) awaitReady(ctx context.Context) error {
	last := "no answer"
	err := p.whileRunning(ctx, "become ready", func() (bool, error) {
		status, body, err := get(ctx, p.AdminURL+"/readyz")
		if err == nil {
			last = strings.TrimSpace(string(body))
		}
		return err == nil && status == http.StatusOK, nil
	})
	if err != nil {
		return fmt.Errorf("%w\n(/readyz: %s)", err, last)
	}
	return nil
}

// whileRunning polls until done, and fails as soon as the process ends or ctx is done.
func (p *Part) whileRunning(ctx context.Context, what string, done func() (bool, error)) error {
	child := p.proc.current()
	err := poll(ctx, 5*time.Millisecond, func() (bool, error) {
		running := child.Running() // asked first: what it did just before its end counts
		ok, err := done()
		if !ok && err == nil && !running {
			return false, fmt.Errorf("it ended: %w", exit(child))
		}
		return ok, err
	})
	if err != nil {
		return p.fail(fmt.Errorf("it did not %s: %w", what, err))
	}
	return nil
}

// fail says what went wrong with a part, with the end of its log.
func (p *Part) fail(err error) error {
	log, readErr := os.ReadFile(p.LogFile)
	if readErr != nil {
		log = []byte(readErr.Error())
	}
	return fmt.Errorf("%s: %w\nthe end of its log:\n%s", p.Name, err, lastLines(log))
}

func lastLines(log []byte) []byte {
	const enough = 20
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-enough):], []byte("\n"))
}

// get fetches an admin page.
func get(ctx context.Context, url string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, body, err
}
