//go:build !linux

package pgserver

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func locale() string { return "en_US.UTF-8" }

func inMemory(string) bool { return false }

// processesOf returns the postmaster of a data directory, where it runs. Its children end by themselves after it.
func processesOf(data string) []int {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(first))
	if err != nil {
		return nil
	}
	args, err := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(string(args), data) {
		return nil // ended, or its number is somebody else's by now
	}
	return []int{pid}
}
