package containers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"

	"splitshop/loadtest/runner/compose"
)

// tag is that of the images under test: a person's own stay as they are.
const tag = "test"

// world is what all tests share: the engine, and images as new as the source.
type world struct {
	engine   *testcontainers.DockerClient
	project  *compose.Project
	postgres string // its image
}

// errNoEngine says that there is nothing to run containers on.
var errNoEngine = errors.New("no container engine answers")

// shared makes the world with its first call.
var shared = sync.OnceValues(func() (*world, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return newWorld(ctx)
})

// theWorld is the one place where these tests may be skipped: on a machine without an engine that is not CI.
func theWorld(t *testing.T) *world {
	t.Helper()
	w, err := shared()
	if errors.Is(err, errNoEngine) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newWorld(ctx context.Context) (*world, error) {
	top, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	// The commands are asked first: the library looks for an engine elsewhere too, where the one it was told of is dead.
	if err := exec.CommandContext(ctx, "docker", "version").Run(); err != nil {
		return nil, fmt.Errorf("%w: docker version: %w", errNoEngine, err)
	}
	engine, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, err
	}
	w := &world{engine: engine}
	if err := w.sweep(ctx); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, "make", "-C", top, "build").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make build: %w\n%s", err, said)
	}
	if w.project, err = compose.Open(ctx, top, filepath.Join(top, "bin")); err != nil {
		return nil, err
	}
	w.project.Tag = tag
	if err := w.project.BuildImages(ctx, compose.Binaries()...); err != nil {
		return nil, err
	}
	w.postgres, err = w.project.PostgresImage(ctx)
	return w, err
}

func (w *world) image(binary string) string { return compose.ImageName(binary, w.project.Tag) }

func TestMain(m *testing.M) {
	// What the library tells of each container is worth reading only where it goes wrong, and then it is in the error.
	tclog.SetDefault(log.New(io.Discard, "", 0))
	code := m.Run()
	if w, err := shared(); err == nil {
		if err := w.nothingLeft(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "FAIL: after all tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// output runs a command of the top folder and returns what it printed, on both streams.
func (w *world) output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = w.project.Top
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	return said.String(), err
}
