package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"splitshop/pgserver/spawn"
)

// setup is what an engine needs to know to make its server.
type setup struct {
	Options
	home     string // the server's directory
	port     int
	password string // the superuser's
}

// arguments are the server's settings as command-line arguments, in a stable order.
func (s setup) arguments(more map[string]string) []string {
	all := DefaultSettings()
	if s.Fast {
		maps.Copy(all, map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
	}
	maps.Copy(all, s.Settings)
	maps.Copy(all, more)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

// local is a server made of the installed binaries.
type local struct {
	setup
	bin  string
	user *syscall.Credential           // whom it runs as; nil: as we do
	proc atomic.Pointer[spawn.Process] // nil before the first start
}

func newLocal(ctx context.Context, bin string, s setup) (*local, error) {
	l := &local{setup: s, bin: bin}
	if os.Geteuid() == 0 {
		var err error
		if l.user, err = unprivileged(); err != nil {
			return nil, err
		}
	}
	if l.LogFile == "" {
		l.LogFile = filepath.Join(s.home, "log")
	}
	return l, l.initdb(ctx)
}

// unprivileged is the user a root program runs Postgres as, since Postgres refuses to be root.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.ParseUint(u.Uid, 10, 32)
		gid, errG := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errU, errG); err != nil {
			return nil, fmt.Errorf("ids of user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("postgres does not run as root, and there is neither a user postgres nor nobody to run it as")
}

// initdb makes the cluster. The password goes through a file: a command line is for everybody to read.
func (l *local) initdb(ctx context.Context) error {
	pwfile := filepath.Join(l.home, "password")
	if err := os.WriteFile(pwfile, []byte(l.password+"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(pwfile)
	if l.user != nil {
		for _, path := range []string{l.home, pwfile} {
			if err := os.Chown(path, int(l.user.Uid), int(l.user.Gid)); err != nil {
				return err
			}
		}
	}
	cmd := l.command("initdb", "--pgdata="+l.data(), "--username="+Superuser, "--pwfile="+pwfile,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale="+locale(), "--no-sync")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := spawn.Start(cmd, l.Cores, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.End(ctx, syscall.SIGKILL)
		return fmt.Errorf("initdb: %w", context.Cause(ctx))
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("initdb in %s failed (its user must be able to reach that directory): %w\n%s", l.home, err, out.Bytes())
	}
	return nil
}

// command runs one of the server's binaries as its user, out of reach of our PG... variables and our language.
func (l *local) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(l.bin, name), args...)
	cmd.Dir = l.home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: l.user}
	return cmd
}

func (l *local) data() string { return filepath.Join(l.home, "data") }

func (l *local) start(ctx context.Context) error {
	log, err := os.OpenFile(l.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := l.command("postgres", append([]string{"-D", l.data()}, l.arguments(map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(l.port),
		"unix_socket_directories": l.home,
		"log_line_prefix":         "%m [%p] %q%u@%d ",
	})...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := l.waitForOrphans(ctx); err != nil {
		return err
	}
	// SIGQUIT is Postgres's immediate shutdown: its children go too, which they would not at once after a SIGKILL.
	p, err := spawn.Start(cmd, l.Cores, syscall.SIGQUIT)
	if err == nil {
		l.proc.Store(p)
	}
	return err
}

// waitForOrphans waits until the backends of a killed postmaster have noticed and ended: they hold the cluster's shared
// memory, and a new server would refuse it.
func (l *local) waitForOrphans(ctx context.Context) error {
	if l.proc.Load() == nil {
		return nil
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(processesOf(l.data())) > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("backends of the server before still run: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

func (l *local) ended() <-chan struct{} { return l.proc.Load().Done() }

func (l *local) halt(ctx context.Context) error {
	if l.proc.Load() == nil {
		return nil
	}
	fast, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	l.signalUntil(fast, syscall.SIGINT)
	l.signalUntil(ctx, syscall.SIGQUIT)
	return l.kill()
}

// signalUntil asks the postmaster to shut down and waits for it until ctx is done.
func (l *local) signalUntil(ctx context.Context, how syscall.Signal) {
	p := l.proc.Load()
	if p.Signal(how) != nil {
		return // what comes next is harder
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
}

func (l *local) kill() error {
	p := l.proc.Load()
	if p == nil {
		return nil
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	if p.Running() {
		p.End(now, syscall.SIGKILL)
	}
	for _, pid := range processesOf(l.data()) {
		syscall.Kill(pid, syscall.SIGKILL) // a backend left alone; it may have ended in this instant
	}
	return nil
}

func (l *local) remove() error { return nil }

func (l *local) pid() int {
	if p := l.proc.Load(); p != nil {
		return p.PID()
	}
	return 0
}

func (l *local) logTail() string { return tail(l.LogFile) }

func isPortTaken(log string) bool { return strings.Contains(log, "Address already in use") }

// tail returns the last lines of a file, or why it cannot.
func tail(path string) string {
	const enough = 4 << 10 // bytes
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > enough {
		if _, err := f.Seek(-enough, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
