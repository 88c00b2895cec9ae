package pgserver

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// locale is one that this system has and that sorts alike everywhere.
func locale() string { return "C.UTF-8" }

// inMemory says whether a directory is on a file system without a disk.
func inMemory(dir string) bool {
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	var s syscall.Statfs_t
	err := syscall.Statfs(dir, &s)
	return err == nil && (uint32(s.Type) == tmpfs || uint32(s.Type) == ramfs)
}

// processesOf returns the processes that run in a data directory: Postgres's own all do, and nobody else's.
func processesOf(data string) []int {
	dirs, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil // the pattern is good
	}
	var pids []int
	for _, cwd := range dirs {
		if where, err := os.Readlink(cwd); err != nil || where != data {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(cwd))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
