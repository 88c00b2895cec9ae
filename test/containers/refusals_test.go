package containers

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// couldNotRun is the lab's exit code where something that it needs is not as it has to be.
const couldNotRun = 4

// TestUpRefuses gives `loadtest up` what it cannot do. It says what is wrong and what to do about it, and leaves nothing.
func TestUpRefuses(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { busy.Close() })
	port := busy.Addr().(*net.TCPAddr).Port
	const quotas = "SHOP_CPUS_MONOLITH=0.5\n"
	for _, tt := range []struct {
		name   string
		preset string
		env    string
		args   []string
		says   []string
	}{
		{name: "a port in use", args: []string{"--port", fmt.Sprint(port)},
			says: []string{fmt.Sprintf("port %d of 127.0.0.1 is in use", port), "another port with --port"}},
		{name: "a core that does not exist", preset: "SHOP_CORES_APP=1,4711\n" + quotas,
			says: []string{"own.env", "SHOP_CORES_APP names core 4711", "take a preset for fewer cores"}},
		{name: "a quota above its cores", preset: "SHOP_CORES_APP=0\nSHOP_CPUS_MONOLITH=1.5\n",
			says: []string{"own.env", "SHOP_CPUS_MONOLITH is 1.50", "SHOP_CORES_APP=0", "lower the quota or give them more cores"}},
		{name: "a preset that is not there", args: []string{"--preset", "none.env"},
			says: []string{"there is no preset", "none.env"}},
		{name: "no engine", env: "DOCKER_HOST=unix:///nowhere/docker.sock",
			says: []string{"the container engine does not answer", "/nowhere/docker.sock", "Start it"}},
		{name: "a part that fails", env: "POSTGRES_IMAGE=splitshop/loadtest:" + tag,
			says: []string{"up mono: postgres: exited with", "the end of its log", "unexpected argument"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "refused-"+strings.ReplaceAll(tt.name, " ", "-"))
			args := append([]string{"up", "--port", "0"}, tt.args...)
			if tt.preset != "" {
				file := filepath.Join(t.TempDir(), "own.env")
				must(t, os.WriteFile(file, []byte(tt.preset), 0o600))
				args = append(args, "--preset", file)
			}
			well := l.env
			l.env = append(l.env, tt.env)
			said, code := l.run(args...)
			l.env = well
			if code != couldNotRun {
				t.Errorf("exit code %d, want %d", code, couldNotRun)
			}
			for _, words := range tt.says {
				if !strings.Contains(said, words) {
					t.Errorf("it does not say %q:\n%s", words, said)
				}
			}
			must(t, l.gone())
		})
	}
}
