package process

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// healthcheck runs the command line of a health check.
func healthcheck(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out lockedBuffer
	app := App{Name: "demo", AdminAddr: "127.0.0.1:1"}
	code = run(t.Context(), app, &Commands[demo]{}, append([]string{"healthcheck"}, args...), &out, &out)
	return code, out.String()
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	var isReady atomic.Bool
	check := func(context.Context) error {
		if isReady.Load() {
			return nil
		}
		return errors.New("no database")
	}
	socket := "unix:" + filepath.Join(t.TempDir(), "admin.sock")
	overTCP := start(t, http.NotFoundHandler(), check)
	overUnix := start(t, http.NotFoundHandler(), check, "--admin-addr", socket)
	for _, addr := range []string{overTCP.admin, overUnix.admin} {
		isReady.Store(false)
		if code, said := healthcheck(t, "--admin-addr", addr); code != 1 || !strings.Contains(said, "no database") {
			t.Errorf("%s, not ready: exit code %d, %s", addr, code, said)
		}
		isReady.Store(true)
		if code, said := healthcheck(t, "--admin-addr", addr); code != 0 || said != "" {
			t.Errorf("%s, ready: exit code %d, %s", addr, code, said)
		}
	}
	_, port, err := net.SplitHostPort(overTCP.admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, anywhere := range []string{":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if code, said := healthcheck(t, "--admin-addr", anywhere); code != 0 {
			t.Errorf("%s: exit code %d, %s", anywhere, code, said)
		}
	}
	if code, said := healthcheck(t); code != 1 || !strings.Contains(said, "no answer at 127.0.0.1:1") {
		t.Errorf("nobody there: exit code %d, %s", code, said)
	}
	if code, _ := healthcheck(t, "--admin-addr", "nonsense"); code != 1 {
		t.Errorf("no address: exit code %d", code)
	}
}

// TestHealthcheckVariable is not parallel: it sets the environment, as a container does.
func TestHealthcheckVariable(t *testing.T) {
	r := start(t, http.NotFoundHandler(), func(context.Context) error { return nil })
	t.Setenv("SHOP_ADMIN_ADDR", r.admin)
	if code, said := healthcheck(t); code != 0 {
		t.Errorf("exit code %d, %s", code, said)
	}
}

// TestServeIsTheDefault holds what every command line without a command relies on.
func TestServeIsTheDefault(t *testing.T) {
	t.Parallel()
	var out lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	command := &Commands[demo]{Serve: demo{
		handler: http.NotFoundHandler(), check: func(context.Context) error { return nil }, undone: new([]string),
	}}
	code := make(chan int)
	go func() {
		code <- run(ctx, App{Name: "demo", Pool: 1}, command, []string{
			"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--db", "postgres://h/d", "--drain", "0s",
		}, &out, &out)
	}()
	poll(t, "it serves", func() bool { return out.find("ready") != nil })
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d: %s", c, &out)
	}
}
