package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"splitshop/pgserver"
)

// bin holds the binaries, built once by TestMain.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "shopdocs")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		bin = filepath.Join(dir, "bin")
		build := exec.Command("go", "build", "-o", bin+"/", "./monolith", "./gateway", "./services/...", "./loadtest")
		build.Dir = top
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", build.Args, err, out)
			return 1
		}
		return m.Run()
	}())
}

// TestByHand runs the README's commands as they stand there, but for the address of Postgres and the ports: it prepares a
// database, starts the monolith, then the services, and sends each the curl lines.
func TestByHand(t *testing.T) {
	t.Parallel()
	pg, err := pgserver.Start(t.Context(), pgserver.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Stop(); err != nil {
			t.Error(err)
		}
	})
	doc := read(t, "README.md")
	byHand := fence.FindAllString(section(t, doc, "Running the shop by hand"), -1)
	api := fence.FindString(section(t, doc, "The API"))
	if len(byHand) != 3 || api == "" {
		t.Fatal("the README has other blocks of commands than this test knows")
	}
	for i := range byHand {
		byHand[i] = replace(t, byHand[i], "127.0.0.1:5432", fmt.Sprintf("127.0.0.1:%d", pg.Port()))
	}
	owner := regexp.MustCompile(`SHOP_OWNER_DB=\S+`)
	prepare := owner.ReplaceAllLiteralString(byHand[0], "SHOP_OWNER_DB='"+pg.SuperuserURL("postgres")+"'")
	shell(t, replace(t, prepare, "make build\n", ""))

	t.Run("monolith", func(t *testing.T) {
		useAPI(t, api, start(t, lines(byHand[1]), nil))
	})
	t.Run("services", func(t *testing.T) {
		var env []string
		for _, name := range []string{"catalog", "cart", "orders"} {
			env = append(env, "SHOP_"+strings.ToUpper(name)+"=unix:"+socket(name))
		}
		useAPI(t, api, start(t, lines(byHand[2]), env))
	})
}

func replace(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("no %q in:\n%s", from, text)
	}
	return strings.ReplaceAll(text, from, to)
}

// lines returns the commands of a code block.
func lines(block string) []string {
	all := strings.Split(strings.TrimSpace(block), "\n")
	return all[1 : len(all)-1]
}

// shell runs a code block where bin/ is and returns what it prints.
func shell(t *testing.T, block string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", strings.Join(lines(block), "\n"))
	cmd.Dir = filepath.Dir(bin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, block, &stdout, &stderr)
	}
	return stdout.String()
}

func useAPI(t *testing.T, block, address string) {
	t.Helper()
	said := shell(t, replace(t, block, "127.0.0.1:8080", address))
	for _, want := range []string{`"next":"`, `"quantity":7,`, `"quantity":10,`, `"available":true`, `"placed_at":"`, `"status":404`} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in what the curl lines print", want)
		}
	}
	if n := strings.Count(said, `"status":`); n != 1 {
		t.Errorf("%d problem documents instead of the one asked for", n)
	}
	if t.Failed() {
		t.Log(said)
	}
}

func socket(name string) string { return filepath.Join(filepath.Dir(bin), name+".sock") }

var (
	public = regexp.MustCompile(`"msg":"listening".*"listener":"public","addr":"([^"]+)"`)
	ready  = regexp.MustCompile(`"msg":"ready"`)
)

// start starts one server for each command line, all at once, and returns the last one's address when every one is ready.
func start(t *testing.T, commands, env []string) string {
	t.Helper()
	logs := make([]*safeBuffer, len(commands))
	for i, line := range commands {
		addr := "127.0.0.1:0"
		if name := strings.TrimPrefix(strings.Fields(line)[0], "bin/"); i < len(commands)-1 {
			addr = "unix:" + socket(name)
		}
		logs[i] = launch(t, line, append(env, "SHOP_ADDR="+addr, "SHOP_ADMIN_ADDR=127.0.0.1:0", "SHOP_DRAIN=0s"))
	}
	for i, log := range logs {
		log.await(t, ready, commands[i])
	}
	last := len(commands) - 1
	return logs[last].await(t, public, commands[last])[1]
}

// launch starts a command line and has it stopped, in order and with exit code 0, at the test's end.
func launch(t *testing.T, line string, env []string) *safeBuffer {
	t.Helper()
	log := &safeBuffer{}
	cmd := exec.Command("bash", "-c", "exec "+line)
	cmd.Dir = filepath.Dir(bin)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stuck := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		defer stuck.Stop()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, log)
		}
	})
	return log
}

// safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await polls until the log has a line that matches, and returns the match.
func (b *safeBuffer) await(t *testing.T, line *regexp.Regexp, command string) []string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if m := line.FindStringSubmatch(b.String()); m != nil {
			return m
		}
	}
	t.Fatalf("%s: no %v in its log:\n%s", command, line, b)
	return nil
}
