package compose

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Binaries are those an image is made of, all from one Dockerfile.
func Binaries() []string {
	return []string{"monolith", "gateway", "catalog", "cart", "orders", "loadtest"}
}

const (
	dockerfile  = "docker/Dockerfile" // in the top folder and in the build context
	binaryStage = "shop"              // its first stage
	sourceLabel = "splitshop.source"  // what the image was made of
)

// Image is one that exists.
type Image struct {
	Name string
	ID   string // by its content
	Size int64  // bytes
}

// ImageName is the name of a binary's image.
func ImageName(binary, tag string) string { return "splitshop/" + binary + ":" + tag }

// BuildImages makes the images of binaries that are missing or stale, all at once: a build mostly waits for the engine.
func (p *Project) BuildImages(ctx context.Context, binaries ...string) error {
	p.say("images of " + strings.Join(binaries, ", "))
	errs := make([]error, len(binaries))
	var all sync.WaitGroup
	for i, binary := range binaries {
		all.Go(func() { errs[i] = p.buildImage(ctx, binary) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// buildImage makes one image where it is missing or stale.
//
// The same binary gives the same layer, whenever and wherever it is built: the layer holds one file, dated to the commit that
// the binary says it is of.
func (p *Project) buildImage(ctx context.Context, binary string) error {
	file := filepath.Join(p.BinDir, binary)
	program, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s: run `make build` first", file)
	}
	if err != nil {
		return err
	}
	recipe, err := os.ReadFile(filepath.Join(p.Top, dockerfile))
	if err != nil {
		return fmt.Errorf("%w: run this in the top folder of the clone, or give it as --top", err)
	}
	name, source := ImageName(binary, p.Tag), hash(recipe, program)
	if p.label(ctx, name, sourceLabel) == source {
		return nil
	}
	made := madeFrom(file)
	fileContext, err := buildContext(recipe, binary, program, made.when)
	if err != nil {
		return err
	}
	stale, _ := output(ctx, nil, "docker", "image", "inspect", "--format", "{{.Id}}", name) // usually there is none
	cmd := command(ctx, []string{"BUILDX_NO_DEFAULT_ATTESTATIONS=1"}, "docker", "build", "--quiet", "--file", dockerfile,
		"--target", binaryStage, "--build-arg", "BINARY="+binary, "--build-arg", "REVISION="+made.revision,
		"--build-arg", "VERSION="+made.version, "--label", sourceLabel+"="+source, "--tag", name, "-")
	cmd.Stdin = fileContext
	if said, err := cmd.CombinedOutput(); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return fmt.Errorf("making the image %s: %w: %s", name, err, lastLines(string(said), 12))
	}
	if stale != "" {
		_, _ = output(ctx, nil, "docker", "image", "rm", stale) // it may be in use, or have other names: then it stays
	}
	return nil
}

// Images returns the ids and sizes of images. An error names the one that is missing.
func (p *Project) Images(ctx context.Context, names ...string) ([]Image, error) {
	var images []Image
	for _, name := range names {
		text, err := output(ctx, nil, "docker", "image", "inspect", "--format", "{{.Size}} {{.Id}}", name)
		if err != nil {
			return nil, fmt.Errorf("the image %s is missing: make images makes it (%w)", name, err)
		}
		bytes, id, _ := strings.Cut(text, " ")
		size, err := strconv.ParseInt(bytes, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the size of %s: %w", name, err)
		}
		images = append(images, Image{Name: name, ID: id, Size: size})
	}
	return images, nil
}

// label is an image's label; "" where there is no such image or label.
func (p *Project) label(ctx context.Context, image, label string) string {
	text, err := output(ctx, nil, "docker", "image", "inspect", "--format", fmt.Sprintf("{{index .Config.Labels %q}}", label), image)
	if err != nil {
		return ""
	}
	return text
}

func hash(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintln(h, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// origin is what a binary says of itself.
type origin struct {
	revision, version string
	when              time.Time // of the commit
}

func madeFrom(file string) origin {
	o := origin{revision: "unknown", version: "unknown", when: time.Unix(0, 0)}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return o // an executable of another kind is not ours to refuse
	}
	if info.Main.Version != "" {
		o.version = info.Main.Version
	}
	dirty := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			o.revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+dirty"
			}
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				o.when = t
			}
		}
	}
	o.revision += dirty
	return o
}

// buildContext is all that a build sees: the Dockerfile and one binary.
func buildContext(recipe []byte, binary string, program []byte, when time.Time) (io.Reader, error) {
	var context bytes.Buffer
	w := tar.NewWriter(&context)
	for _, f := range []struct {
		name string
		mode int64
		text []byte
	}{{dockerfile, 0o644, recipe}, {"bin/" + binary, 0o755, program}} {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: when, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	return &context, w.Close()
}
