package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// BinVariable names the environment variable that says where the server's binaries are.
const BinVariable = "SHOP_PG_BIN"

// installed are the places where packages put the server's binaries, without entering PATH.
var installed = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // Fedora, RHEL from postgresql.org
	"/usr/local/pgsql/bin",               // from source
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
	"/Applications/Postgres.app/Contents/Versions/latest/bin",
}

// Source says what Start would make a server of here: the directory of the installed binaries, or "docker" or "podman" and the
// image. Its error is Start's where there is neither, and says what to do.
func Source(ctx context.Context) (string, error) {
	bin, cli, err := findServer(ctx, installed)
	if cli != "" {
		return cli + ", image " + image(), err
	}
	return bin, err
}

// chooseEngine returns what makes an engine: the binaries named, in PATH or in the given places, else a container engine,
// else an error that says what to do.
func chooseEngine(ctx context.Context, places []string) (func(setup) (engine, error), error) {
	bin, cli, err := findServer(ctx, places)
	switch {
	case err != nil:
		return nil, err
	case cli != "":
		return func(s setup) (engine, error) { return newContainer(cli, s), nil }, nil
	}
	return func(s setup) (engine, error) { return newLocal(ctx, bin, s) }, nil
}

// findServer returns the directory of the binaries or a container engine's command.
func findServer(ctx context.Context, places []string) (bin, cli string, err error) {
	bin, err = findBinaries(os.Getenv(BinVariable), os.Getenv("PATH"), places)
	if err != nil || bin != "" {
		return bin, "", err
	}
	if cli = findContainerEngine(ctx); cli != "" {
		return "", cli, nil
	}
	return "", "", errors.New("no Postgres server here: initdb and postgres were looked for in PATH and where packages put " +
		"them, and neither docker nor podman answers.\nOn Debian or Ubuntu run: sudo apt-get install postgresql\n" +
		"Or say where the binaries are: " + BinVariable + "=/path/to/bin")
}

// findBinaries returns the directory that holds initdb and postgres: the named one, else the first of path, else the
// newest of the places; "" where there is none. A named directory without them is an error.
func findBinaries(named, path string, places []string) (string, error) {
	if named != "" {
		if !holdsServer(named) {
			return "", fmt.Errorf("%s=%s: there are no executable initdb and postgres in it", BinVariable, named)
		}
		return named, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && holdsServer(dir) {
			return dir, nil
		}
	}
	for _, pattern := range places {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		slices.SortFunc(found, func(a, b string) int { return versionIn(b) - versionIn(a) })
		if i := slices.IndexFunc(found, holdsServer); i >= 0 {
			return found[i], nil
		}
	}
	return "", nil
}

func holdsServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// versionIn returns the last number in a path: 15 of /usr/lib/postgresql/15/bin.
func versionIn(path string) int {
	end := len(path)
	for end > 0 && !isDigit(path[end-1]) {
		end--
	}
	start := end
	for start > 0 && isDigit(path[start-1]) {
		start--
	}
	n, err := strconv.Atoi(path[start:end])
	if err != nil {
		return 0 // no number
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
