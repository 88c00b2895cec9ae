package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// demo is a binary with one check that fails until told otherwise.
type demo struct {
	Flags
	Database

	handler http.Handler
	check   func(context.Context) error
	undone  *[]string
}

func (d *demo) Run(ctx context.Context, env *Env) error {
	p, err := New(env, d.Flags)
	if err != nil {
		return err
	}
	p.Needs("first", d.check, func() { *d.undone = append(*d.undone, "first") })
	p.OnStop("second", func() { *d.undone = append(*d.undone, "second") })
	p.Stats("answer", func() any { return map[string]int{"value": 42} })
	return p.Serve(ctx, HTTP(d.handler))
}

// running is a demo binary that was started.
type running struct {
	t      *testing.T
	log    *lockedBuffer
	stop   context.CancelFunc
	code   chan int
	public string
	admin  string
	undone []string
}

func start(t *testing.T, handler http.Handler, check func(context.Context) error, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, log: new(lockedBuffer), stop: cancel, code: make(chan int, 1)}
	d := &demo{handler: handler, check: check, undone: &r.undone}
	args = append([]string{
		"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
		"--db", "postgres://someone:hunter2@127.0.0.1:1/shop?sslpassword=hunter2", "--drain", "0s",
	}, args...)
	go func() { r.code <- run(ctx, App{Name: "demo", Pool: 7}, d, args, r.log, r.log) }()
	t.Cleanup(func() { cancel(); r.exit() })
	r.public, r.admin = r.await("public"), r.await("admin")
	return r
}

// await returns the address at which a listener says it listens.
func (r *running) await(listener string) string {
	r.t.Helper()
	var addr string
	poll(r.t, "listener "+listener, func() bool {
		for _, line := range r.log.lines() {
			if line["msg"] == "listening" && line["listener"] == listener {
				addr, _ = line["addr"].(string)
			}
		}
		return addr != ""
	})
	return addr
}

// exit waits for the exit code.
func (r *running) exit() int {
	select {
	case code := <-r.code:
		r.code <- code
		return code
	case <-time.After(20 * time.Second):
		r.t.Error("the process did not stop")
		return -1
	}
}

// get also reports whether the answer closes its connection.
func (r *running) get(addr, path string) (code int, body string, closes bool) {
	r.t.Helper()
	resp, err := http.Get("http://" + addr + path)
	if err != nil {
		r.t.Fatalf("GET %s: %v", path, err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("GET %s: %v", path, err)
	}
	return resp.StatusCode, string(all), resp.Close
}

func TestLife(t *testing.T) {
	t.Parallel()
	var broken sync.Map
	broken.Store("down", true)
	check := func(context.Context) error {
		if down, _ := broken.Load("down"); down == true {
			return errors.New("cannot reach postgres://someone:hunter2@db/shop")
		}
		return nil
	}
	entered, release := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			close(entered)
			<-release
		}
		fmt.Fprint(w, "served")
	})
	r := start(t, handler, check, "--drain", "300ms", "--grace", "10s")

	if code, body, _ := r.get(r.admin, "/livez"); code != 200 || body != "alive\n" {
		t.Errorf("livez while the check fails: %d %q, want 200: liveness is not tied to what it needs", code, body)
	}
	if code, body, _ := r.get(r.admin, "/readyz"); code != 503 || !strings.Contains(body, "first: cannot reach") {
		t.Errorf("readyz while the check fails: %d %q, want 503 naming the check", code, body)
	}
	broken.Store("down", false)
	poll(t, "ready", func() bool { code, _, _ := r.get(r.admin, "/readyz"); return code == 200 })
	if _, body, _ := r.get(r.admin, "/stats"); !strings.Contains(body, `"value":42`) {
		t.Errorf("stats: %s", body)
	}
	if _, body, _ := r.get(r.admin, "/metrics"); !strings.Contains(body, "go_goroutines") {
		t.Error("metrics lack the Go collector")
	}
	if _, _, closes := r.get(r.public, "/"); closes {
		t.Error("a connection was closed while nothing was draining")
	}

	slow := make(chan string, 1)
	go func() {
		_, body, _ := r.get(r.public, "/slow")
		slow <- body
	}()
	<-entered
	r.stop()
	poll(t, "readiness false first", func() bool { code, _, _ := r.get(r.admin, "/readyz"); return code == 503 })
	if code, _, closes := r.get(r.public, "/"); code != 200 || !closes {
		t.Errorf("while draining: %d, closes %v; want an answer that closes its connection", code, closes)
	}
	poll(t, "listener closed", func() bool {
		c, err := net.Dial("tcp", r.public)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if len(r.code) != 0 {
		t.Error("stopped while a request was in flight")
	}
	close(release)
	if body := <-slow; body != "served" {
		t.Errorf("the request in flight got %q", body)
	}
	if code := r.exit(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if got := strings.Join(r.undone, " "); got != "second first" {
		t.Errorf("undone in order %q, want last first", got)
	}
	last := r.log.find("statistics")
	if stats, _ := json.Marshal(last["stats"]); string(stats) != `{"answer":{"value":42}}` {
		t.Errorf("statistics line: %s", stats)
	}
	if log := r.log.String(); strings.Contains(log, "hunter2") {
		t.Errorf("a password in the log:\n%s", log)
	}
	if c := r.log.find("configuration"); c["pool"] != "7" || c["db"] == "" || c["drain"] != "300ms" {
		t.Errorf("configuration line: %v", c)
	}
}

// TestReaderGone stops a process whose log nobody reads any more: the drain still happens. The process is this test's binary.
func TestReaderGone(t *testing.T) {
	if os.Getenv("PROCESS_TEST_CHILD") != "" {
		os.Args = []string{"demo", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--db=postgres://x@127.0.0.1/x", "--drain=10ms"}
		Main(App{Name: "demo", Pool: 1}, &demo{undone: new([]string), check: func(context.Context) error { return nil }})
	}
	t.Parallel()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReaderGone$")
	child.Env = append(os.Environ(), "PROCESS_TEST_CHILD=1")
	log, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(log); lines.Scan() && !strings.Contains(lines.Text(), `"msg":"ready"`); {
	}
	log.Close()
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("it ended with %v, want exit code 0", err)
	}
}

func TestGraceTooShort(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	stuck := http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		close(entered)
		<-req.Context().Done()
	})
	r := start(t, stuck, func(context.Context) error { return nil }, "--grace", "200ms")
	go func() {
		if resp, err := http.Get("http://" + r.public); err == nil {
			resp.Body.Close()
		}
	}()
	<-entered
	r.stop()
	if code := r.exit(); code != 1 {
		t.Errorf("exit code %d, want 1: a request was cut off", code)
	}
	if len(r.undone) != 2 {
		t.Errorf("undone %v, want everything, also then", r.undone)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // after the parallel subtests
	for _, tc := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{name: "help", args: []string{"--help"}, code: 0, says: "SHOP_ADMIN_ADDR"},
		{name: "unknown flag", args: []string{"--db", "x", "--frobnicate"}, code: 2, says: "--frobnicate"},
		{name: "required flag missing", args: nil, code: 2, says: "--db"},
		{name: "not a duration", args: []string{"--db", "x", "--grace", "soon"}, code: 2, says: "soon"},
		{name: "drain above grace", args: []string{"--db", "x", "--drain", "9s", "--grace", "3s"}, code: 2, says: "--drain is 9s"},
		{name: "address in use", args: []string{"--db", "x", "--addr", taken.Addr().String()}, code: 1, says: "address already in use"},
		{name: "no address", args: []string{"--db", "x", "--addr="}, code: 2, says: `"" is no address`},
		{name: "no port", args: []string{"--db", "x", "--addr", "127.0.0.1"}, code: 2, says: "is no address"},
		{name: "empty port", args: []string{"--db", "x", "--admin-addr", "127.0.0.1:"}, code: 2, says: "is no address"},
		{name: "no path", args: []string{"--db", "x", "--addr", "unix:"}, code: 2, says: `"unix:" is no address`},
		{name: "no such address", args: []string{"--db", "x", "--addr", "256.0.0.1:1"}, code: 1, says: "256.0.0.1:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			d := &demo{undone: new([]string), check: func(context.Context) error { return nil }}
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			code := run(ctx, App{Name: "demo", Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", Pool: 1}, d, tc.args, &out, &out)
			if code != tc.code || !strings.Contains(out.String(), tc.says) {
				t.Errorf("exit code %d, want %d, saying %q; it said:\n%s", code, tc.code, tc.says, &out)
			}
		})
	}
}

// TestSlowHeaders is the attack of many connections that never finish their headers.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "served") }),
		func(context.Context) error { return nil })
	begun := time.Now()
	var slow []net.Conn
	for range 200 {
		c, err := net.Dial("tcp", r.public)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		slow = append(slow, c)
	}
	if code, _, _ := r.get(r.public, "/"); code != 200 || time.Since(begun) > ReadHeaderTimeout {
		t.Errorf("a normal request got %d after %v", code, time.Since(begun))
	}
	for _, c := range slow {
		c.SetReadDeadline(begun.Add(ReadHeaderTimeout + 5*time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatalf("a connection without headers was not closed: %v", err)
		}
	}
	if took := time.Since(begun); took < ReadHeaderTimeout-time.Second {
		t.Errorf("closed after %v, before the header timeout: this test shows nothing", took)
	}
}

func TestListenUnix(t *testing.T) {
	t.Parallel()
	addr := "unix:" + filepath.Join(t.TempDir(), "s")
	first, err := Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	if Addr(first) != addr {
		t.Errorf("Addr %q, want %q", Addr(first), addr)
	}
	if l, err := Listen(addr); err == nil {
		l.Close()
		t.Error("took over a socket that somebody listens on")
	}
	first.(*net.UnixListener).SetUnlinkOnClose(false) // as after kill -9
	first.Close()
	again, err := Listen(addr)
	if err != nil {
		t.Fatalf("an abandoned socket was not replaced: %v", err)
	}
	again.Close()
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"URL", "dial postgres://u:secret@h/d failed", "dial postgres://u:xxxxx@h/d failed"},
		{"URL with an at sign", "postgres://u:se@cret@h/d", "postgres://u:xxxxx@h/d"},
		{"key and value", "host=h password=secret dbname=d", "host=h password=xxxxx dbname=d"},
		{"quoted value", "password = 'se cret' host=h", "password = xxxxx host=h"},
		{"query", "postgres://h/d?password=secret&x=1", "postgres://h/d?password=xxxxx&x=1"},
		{"nothing", "dial tcp 127.0.0.1:5432: refused", "dial tcp 127.0.0.1:5432: refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := mask(tc.in); got != tc.want {
				t.Errorf("mask(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
	if got := maskURL("host=h password=secret"); strings.Contains(got, "secret") {
		t.Errorf("maskURL of no URL shows %q", got)
	}
}

// poll waits, with a deadline, until done.
func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: not within 10 s", what)
}

// lockedBuffer is a log that one goroutine writes and another reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// lines returns the log lines that are JSON.
func (b *lockedBuffer) lines() (lines []map[string]any) {
	for scanner := bufio.NewScanner(strings.NewReader(b.String())); scanner.Scan(); {
		var line map[string]any
		if json.Unmarshal(scanner.Bytes(), &line) == nil {
			lines = append(lines, line)
		}
	}
	return lines
}

func (b *lockedBuffer) find(msg string) map[string]any {
	for _, line := range b.lines() {
		if line["msg"] == msg {
			return line
		}
	}
	return nil
}
