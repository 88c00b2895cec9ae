package containers

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"splitshop/loadtest/runner/compose"
	"splitshop/test/shopping"
)

// Sizes in bytes that images stay under.
const (
	monolithBudget = 20_000_000
	serviceBudget  = 25_000_000
)

// nobody is who the images run as: no user of any machine.
const nobody = "65532:65532"

func TestImages(t *testing.T) {
	t.Parallel()
	for _, binary := range compose.Binaries() {
		t.Run(binary, func(t *testing.T) {
			t.Parallel()
			w := theWorld(t)
			image, err := w.engine.ImageInspect(t.Context(), w.image(binary))
			must(t, err)
			budget := int64(serviceBudget)
			if binary == "monolith" {
				budget = monolithBudget
			}
			if image.Size >= budget {
				t.Errorf("it has %.1f MB, more than the budget of %.0f MB", float64(image.Size)/1e6, float64(budget)/1e6)
			}
			t.Logf("%s: %.1f MB of at most %.0f MB", w.image(binary), float64(image.Size)/1e6, float64(budget)/1e6)
			if image.Config.User != nobody || !slices.Equal(image.Config.Entrypoint, []string{"/shop"}) || len(image.RootFS.Layers) != 1 {
				t.Errorf("it runs %v as %q and has %d layers", image.Config.Entrypoint, image.Config.User, len(image.RootFS.Layers))
			}
			for label, want := range map[string]string{"title": "splitshop " + binary, "licenses": "Apache-2.0", "description": "", "revision": "", "version": ""} {
				if got := image.Config.Labels["org.opencontainers.image."+label]; got == "" || want != "" && got != want {
					t.Errorf("its label %s is %q, want %q", label, got, want)
				}
			}
			onlyTheBinary(t, w, binary)
		})
	}
}

// onlyTheBinary checks that an image holds one file: no shell, no library, and nothing that its user may write.
func onlyTheBinary(t *testing.T, w *world, binary string) {
	made, err := w.engine.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Config:     &container.Config{Image: w.image(binary), Labels: map[string]string{runLabel: ownRun()}},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	must(t, err)
	defer func() {
		_, err := w.engine.ContainerRemove(t.Context(), made.ID, client.ContainerRemoveOptions{Force: true})
		must(t, err)
	}()
	root, err := w.engine.ContainerExport(t.Context(), made.ID, client.ContainerExportOptions{})
	must(t, err)
	defer root.Close()
	var files []string
	for r := tar.NewReader(root); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if header.Size > 0 { // the engine puts empty ones there, to mount its own on
			files = append(files, header.Name)
		}
		if others := int64(0o002); header.Uid != 0 || header.Typeflag != tar.TypeSymlink && header.Mode&others != 0 {
			t.Errorf("/%s can be written: it belongs to user %d and has mode %o", header.Name, header.Uid, header.Mode)
		}
	}
	if !slices.Equal(files, []string{"shop"}) {
		t.Errorf("its files are %q, want the binary only", files)
	}
}

// TestImagesWriteNothing starts each server with an order to make a file, a socket. It is not allowed to, by the image alone;
// with nothing but another user it is.
func TestImagesWriteNothing(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	for _, tt := range []struct {
		name, binary, user string
		written            bool
	}{
		{"the monolith", "monolith", nobody, false},
		{"the gateway", "gateway", nobody, false},
		{"the catalog", "catalog", nobody, false},
		{"the cart", "cart", nobody, false},
		{"the orders", "orders", nobody, false},
		{"the control, as root", "gateway", "0:0", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := s.run(strings.ReplaceAll(tt.name, " ", "-"), spec{
				image: s.w.image(tt.binary), user: tt.user, asImage: true,
				env: map[string]string{"SHOP_ADDR": "unix:/written", "SHOP_DB": "postgres://nobody@localhost/none"},
			})
			if tt.written {
				shopping.Eventually(t, startsWithin, "it writes", func() error {
					if changes := s.changes(t, p); !slices.Contains(changes, "/written") {
						return fmt.Errorf("what it changed: %q", changes)
					}
					return nil
				})
				return
			}
			code := s.exit(t, p)
			log, err := p.log(t.Context())
			must(t, err)
			if code != 1 || !strings.Contains(log, "/written: bind: permission denied") {
				t.Errorf("it exited with %d:\n%s", code, log)
			}
			if changes := s.changes(t, p); len(changes) != 0 {
				t.Errorf("it changed %q", changes)
			}
		})
	}
}

// changes are the paths that differ between a container and its image.
func (s *stack) changes(t *testing.T, p *part) (paths []string) {
	t.Helper()
	diff, err := s.w.engine.ContainerDiff(t.Context(), p.GetContainerID(), client.ContainerDiffOptions{})
	must(t, err)
	for _, change := range diff.Changes {
		paths = append(paths, change.Path)
	}
	return paths
}

// powerless checks what the kernel says of a container's main process: whose it is, and that it may do nothing special.
// bounded: nor could any program it starts.
func powerless(t *testing.T, what string, pid int, uid string, bounded bool) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	status := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		status[name] = strings.TrimSpace(value)
	}
	const none = "0000000000000000"
	want := map[string]string{"Uid": strings.Join([]string{uid, uid, uid, uid}, "\t"), "CapEff": none, "CapPrm": none, "CapInh": none}
	if bounded {
		want["CapBnd"], want["NoNewPrivs"] = none, "1"
	} else {
		delete(want, "CapInh") // engines differ
	}
	for name, value := range want {
		if status[name] != value {
			t.Errorf("%s of %s is %q, want %q", name, what, status[name], value)
		}
	}
}

// TestImageUser starts each server as its image says and asks the kernel what it may do.
func TestImageUser(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	for _, binary := range []string{"monolith", "gateway", "catalog", "cart", "orders"} {
		p := s.run(binary, spec{
			image: s.w.image(binary), asImage: true,
			env: map[string]string{"SHOP_DB": "postgres://nobody@localhost/none"}, // it waits for that
		})
		state, err := p.State(t.Context())
		must(t, err)
		powerless(t, binary, state.Pid, "65532", false)
		if changes := s.changes(t, p); len(changes) != 0 {
			t.Errorf("%s changed %q", binary, changes)
		}
	}
}

// TestImageAgain builds the binary and image of one commit twice, in clones in different folders, without the builder's cache:
// the same layer comes out.
func TestImageAgain(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	const binary = "cart"
	layers := make([]string, 2)
	for i := range layers {
		top := filepath.Join(t.TempDir(), fmt.Sprint("clone-", i))
		for _, command := range [][]string{
			{"git", "clone", "--quiet", w.project.Top, top},
			{"make", "-C", top, "build", "BINARIES=./services/" + binary},
		} {
			if said, err := w.output(t.Context(), nil, command[0], command[1:]...); err != nil {
				t.Fatalf("%v: %v\n%s", command, err, said)
			}
		}
		recipe := filepath.Join(top, "docker/Dockerfile")
		text, err := os.ReadFile(recipe)
		must(t, err)
		before, after, ok := strings.Cut(string(text), "\nCOPY ")
		if !ok {
			t.Fatal("nothing is copied")
		}
		text = fmt.Appendf(nil, "%s\nENV NOT_IN_CACHE=%s-%d\nCOPY %s", before, ownRun(), i, after)
		must(t, os.WriteFile(recipe, text, 0o644))
		project := *w.project
		project.Top, project.BinDir, project.Tag = top, filepath.Join(top, "bin"), fmt.Sprintf("test-again-%s-%d", ownRun(), i)
		must(t, project.BuildImages(t.Context(), binary))
		name := compose.ImageName(binary, project.Tag)
		image, err := w.engine.ImageInspect(t.Context(), name)
		must(t, err)
		layers[i] = fmt.Sprint(image.RootFS.Layers)
		_, err = w.engine.ImageRemove(t.Context(), name, client.ImageRemoveOptions{PruneChildren: true})
		must(t, err)
	}
	if layers[0] != layers[1] {
		t.Errorf("the layers are %v and %v", layers[0], layers[1])
	}
}
