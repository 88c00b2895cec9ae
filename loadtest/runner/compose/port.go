package compose

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// checkPort returns an error that says who has a port of 127.0.0.1, where somebody has.
func checkPort(ctx context.Context, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		return l.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d cannot be used: %w", port, err)
	}
	return fmt.Errorf("port %d of 127.0.0.1 is in use%s: end that, or take another port with --port (make: PORT=%d)",
		port, kernel{"/"}.whoHas(ctx, port), port+1)
}

// whoHas says in words which container or process listens on a port, as far as this process may know.
func (k kernel) whoHas(ctx context.Context, port int) string {
	name, err := output(ctx, nil, "docker", "ps", "--filter", fmt.Sprintf("publish=%d", port), "--format", "{{.Names}}")
	if err == nil && name != "" {
		return " by the container " + name
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := k.read("proc/net", table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			if socket, listens := listener(line, port); listens {
				if pid, ok := k.holder(socket); ok {
					comm, _ := k.read("proc", pid, "comm") // it may have ended: then it has no name
					return fmt.Sprintf(" by process %s (%s)", pid, comm)
				}
			}
		}
	}
	return ""
}

// listener finds the socket of a line of /proc/net/tcp that listens on the port.
func listener(line string, port int) (socket string, ok bool) {
	const listening = "0A"
	fields := strings.Fields(line)
	if len(fields) < 10 || fields[3] != listening || !strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
		return "", false
	}
	return "socket:[" + fields[9] + "]", true
}

// holder finds the process that has a socket open.
func (k kernel) holder(socket string) (pid string, ok bool) {
	links, err := filepath.Glob(filepath.Join(k.root, "proc/[0-9]*/fd/*"))
	if err != nil {
		return "", false
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == socket {
			return filepath.Base(filepath.Dir(filepath.Dir(link))), true
		}
	}
	return "", false
}
