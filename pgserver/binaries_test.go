package pgserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeBin makes a directory with executables of the given names.
func fakeBin(t *testing.T, dir string, names ...string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindBinaries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	both := []string{"initdb", "postgres"}
	named := fakeBin(t, filepath.Join(root, "named"), both...)
	onPath := fakeBin(t, filepath.Join(root, "path"), both...)
	client := fakeBin(t, filepath.Join(root, "client"), "psql", "initdb")
	for _, version := range []string{"9.6", "15", "18"} {
		fakeBin(t, filepath.Join(root, "lib", version, "bin"), both...)
	}
	fakeBin(t, filepath.Join(root, "lib", "19", "bin"), "psql") // client only
	places := []string{filepath.Join(root, "none", "*"), filepath.Join(root, "lib", "*", "bin")}
	tests := []struct {
		name, named, path string
		places            []string
		want, wantErr     string
	}{
		{name: "the named one first", named: named, path: onPath, places: places, want: named},
		{name: "then the path", path: client + ":" + onPath, places: places, want: onPath},
		{name: "then the newest place that has a server", path: client, places: places, want: filepath.Join(root, "lib", "18", "bin")},
		{name: "nowhere", path: client, places: places[:1], want: ""},
		{name: "a relative path is not looked at", path: "path", places: nil, want: ""},
		{name: "the named one has none", named: client, path: onPath, places: places,
			wantErr: "SHOP_PG_BIN=" + client + ": there are no executable initdb and postgres in it"},
		{name: "the named one is not there", named: "/nowhere", wantErr: "SHOP_PG_BIN=/nowhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := findBinaries(tt.named, tt.path, tt.places)
			if got != tt.want || (err != nil) != (tt.wantErr != "") {
				t.Fatalf("got %q, %v, want %q, %q", got, err, tt.want, tt.wantErr)
			}
			if err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got %v, want %s", err, tt.wantErr)
			}
		})
	}
}

func TestVersionIn(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/usr/lib/postgresql/15/bin":          15,
		"/opt/homebrew/opt/postgresql@18/bin": 18,
		"/usr/pgsql-9.6/bin":                  6, // older than all that count their versions in one number
		"/usr/local/pgsql/bin":                0,
		"/srv/99999999999999999999999/bin":    0,
	} {
		if got := versionIn(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestNothingInstalled changes the environment, so it does not run beside others.
func TestNothingInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(BinVariable, "")
	_, err := chooseEngine(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "sudo apt-get install postgresql") || !strings.Contains(err.Error(), BinVariable) {
		t.Errorf("got %v, want what to do", err)
	}
}
