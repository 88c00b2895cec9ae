package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Lock makes sure that nobody else on this machine measures at the same time: two measurements at once are none. The error
// names the holder. The lock is released by release, or when this process ends in whatever way.
func Lock() (release func(), err error) {
	return lockFile(filepath.Join(os.TempDir(), "splitshop-lab.lock"))
}

func lockFile(path string) (release func(), err error) {
	// Another user's file may be opened, but neither made nor written; reading is enough to lock it.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if errors.Is(err, os.ErrPermission) {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the machine for measuring: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		defer f.Close()
		return nil, fmt.Errorf("another lab measures on this machine (%s): wait for its end", holder(f))
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock the machine for measuring: %w", err)
	}
	// Who holds it is a courtesy: where it cannot be written the lock holds all the same. The file stays, for removing it
	// would let two hold two files of one name.
	if f.Truncate(0) == nil {
		fmt.Fprintf(f, "pid %d\n", os.Getpid())
	}
	return func() {
		_ = f.Truncate(0)
		f.Close()
	}, nil
}

func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil || len(text) == 0 {
		return "its process id is not known"
	}
	return strings.TrimSpace(string(text))
}
