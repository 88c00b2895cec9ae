package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	homePattern = "splitshop-pg-*"
	markerName  = "owner"     // holds the owner's process id, and is locked as long as the owner lives
	cidName     = "container" // holds the engine and the container's name, where the server is one
	infancy     = time.Minute // a directory younger than this may not have its marker yet
)

// home is a server's directory and the lock that says that its owner lives. The kernel drops the lock when the owner ends,
// however that happens, and unlike a process id a lock is never given to somebody else.
type home struct {
	dir    string
	marker *os.File
}

func newHome(parent string, fast bool) (*home, error) {
	if parent == "" {
		parent = defaultParent(fast)
	}
	dir, err := os.MkdirTemp(parent, homePattern)
	if err != nil {
		return nil, fmt.Errorf("directory of the Postgres server: %w", err)
	}
	// The path is compared with what the kernel says of processes, so it has no symbolic links in it.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	marker, err := os.OpenFile(filepath.Join(dir, markerName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	h := &home{dir: dir, marker: marker}
	err = syscall.Flock(int(marker.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = fmt.Fprintln(marker, os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mark %s as ours: %w", dir, err), h.remove())
	}
	return h, nil
}

// defaultParent is the system's temporary directory, or one on disk where that is in memory and commits are to be real.
func defaultParent(fast bool) string {
	const onDisk = "/var/tmp"
	if tmp := os.TempDir(); fast || os.Getenv("TMPDIR") != "" || !inMemory(tmp) {
		return tmp
	}
	if _, err := os.Stat(onDisk); err != nil {
		return os.TempDir()
	}
	return onDisk
}

func (h *home) remove() error {
	return errors.Join(os.RemoveAll(h.dir), ignoreClosed(h.marker.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// Sweep ends the servers of this package whose owners are gone and removes their directories. Start does it first; call
// it where nothing is to be started. It looks in the temporary directories, and in the given ones (Options.Dir).
func Sweep(ctx context.Context, dirs ...string) error {
	var errs []error
	for _, dir := range homes(dirs) {
		errs = append(errs, sweepHome(ctx, dir))
	}
	return errors.Join(errs...)
}

// Leftover is what a killed program left of a server.
type Leftover struct {
	Dir       string // with all its data
	Processes []int  // of the server, where they still run
	Container string // engine and name, where the server is one; "" else
}

// Leftovers lists what Sweep, given the same directories, would remove.
func Leftovers(dirs ...string) []Leftover {
	var all []Leftover
	for _, dir := range homes(dirs) {
		unlock, left := abandoned(dir)
		if !left {
			continue
		}
		l := Leftover{Dir: dir, Processes: processesOf(filepath.Join(dir, "data"))}
		if text, err := os.ReadFile(filepath.Join(dir, cidName)); err == nil {
			l.Container = strings.TrimSpace(string(text))
		}
		unlock()
		all = append(all, l)
	}
	return all
}

// homes lists the servers' directories in the given directories and the temporary ones.
func homes(parents []string) []string {
	var all []string
	for _, parent := range append(slices.Clone(parents), os.TempDir(), defaultParent(false)) {
		entries, _ := os.ReadDir(parent) // where nothing can be read there is nothing to sweep
		for _, e := range entries {
			if ok, _ := filepath.Match(homePattern, e.Name()); ok { // the pattern is good
				all = append(all, filepath.Join(parent, e.Name()))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func sweepHome(ctx context.Context, dir string) error {
	unlock, left := abandoned(dir)
	if !left {
		return nil
	}
	defer unlock()
	if err := endLeftovers(ctx, dir); err != nil {
		return fmt.Errorf("what a killed program left in %s: %w", dir, err)
	}
	return os.RemoveAll(dir)
}

// abandoned says whether a directory's owner is gone, and then holds the lock in his place. It never is where the directory
// is gone by now, or is another user's, who sweeps it.
func abandoned(dir string) (unlock func(), left bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !ours(info) {
		return nil, false
	}
	infant := time.Since(info.ModTime()) < infancy
	marker, err := os.Open(filepath.Join(dir, markerName))
	if err != nil {
		return func() {}, !infant
	}
	// Not locked before it is written: its owner does that, and must find it free.
	m, err := marker.Stat()
	if (err != nil || m.Size() == 0) && infant || syscall.Flock(int(marker.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		marker.Close()
		return nil, false
	}
	return func() { marker.Close() }, true
}

// ours says whether we may sweep what this describes.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (os.Geteuid() == 0 || int(stat.Uid) == os.Geteuid())
}

// endLeftovers ends the server of a directory whose owner is gone.
func endLeftovers(ctx context.Context, dir string) error {
	if text, err := os.ReadFile(filepath.Join(dir, cidName)); err == nil {
		cli, name, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		return removeContainer(ctx, cli, name)
	}
	data := filepath.Join(dir, "data")
	sig := syscall.SIGQUIT
	deadline := time.Now().Add(5 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := processesOf(data)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			sig = syscall.SIGKILL
		}
		for _, pid := range left {
			syscall.Kill(pid, sig) // it may have ended in this instant
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %s still runs: %w", strconv.Itoa(left[0]), context.Cause(ctx))
		case <-tick.C:
		}
	}
}
