package compose

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	err = checkPort(t.Context(), port)
	for _, want := range []string{fmt.Sprintf("port %d ", port), fmt.Sprintf("by process %d (", os.Getpid()), "--port"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, without %q", err, want)
		}
	}
	l.Close()
	if err := checkPort(t.Context(), port); err != nil {
		t.Errorf("the port is free: %v", err)
	}
}
