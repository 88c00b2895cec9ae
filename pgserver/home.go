package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	for _, parent := range append(dirs, os.TempDir(), defaultParent(false)) {
		found, err := filepath.Glob(filepath.Join(parent, homePattern))
		errs = append(errs, err)
		for _, dir := range found {
			errs = append(errs, sweepHome(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

func sweepHome(ctx context.Context, dir string) error {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !ours(info) {
		return nil // gone by now, or another user's, who sweeps it
	}
	marker, err := os.Open(filepath.Join(dir, markerName))
	if err != nil {
		return removeAged(dir, info)
	}
	defer marker.Close()
	if syscall.Flock(int(marker.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // its owner lives
	}
	if m, err := marker.Stat(); err != nil || m.Size() == 0 {
		return removeAged(dir, info)
	}
	if err := endLeftovers(ctx, dir); err != nil {
		return fmt.Errorf("what a killed program left in %s: %w", dir, err)
	}
	return os.RemoveAll(dir)
}

func removeAged(dir string, info fs.FileInfo) error {
	if time.Since(info.ModTime()) < infancy {
		return nil
	}
	return os.RemoveAll(dir)
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
