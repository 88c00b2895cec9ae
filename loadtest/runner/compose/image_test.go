package compose

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBuildContext holds what makes images the same everywhere: two files of fixed date, mode and owner.
func TestBuildContext(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	context, err := buildContext([]byte("FROM scratch"), "gateway", []byte("program"), when)
	if err != nil {
		t.Fatal(err)
	}
	type file struct {
		Name, Text string
		Mode       int64
		UID, GID   int
		When       time.Time
	}
	var got []file
	for r := tar.NewReader(context); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, file{header.Name, string(text), header.Mode, header.Uid, header.Gid, header.ModTime.UTC()})
	}
	want := []file{
		{"docker/Dockerfile", "FROM scratch", 0o644, 0, 0, when},
		{"bin/gateway", "program", 0o755, 0, 0, when},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMadeFrom(t *testing.T) {
	t.Parallel()
	if o := madeFrom("image_test.go"); o.revision != "unknown" || o.version != "unknown" || !o.when.Equal(time.Unix(0, 0)) {
		t.Errorf("no executable: %+v", o)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if o := madeFrom(self); o.version == "unknown" {
		t.Errorf("a test's binary says of itself: %+v", o)
	}
}
