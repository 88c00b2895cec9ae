package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the shop's binaries into dir, as they are shipped or with the race detector. It needs Go, and a working
// directory inside this module.
func Build(ctx context.Context, dir string, race bool) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	args, cgo := []string{"build", "-trimpath"}, "CGO_ENABLED=0"
	if race { // built as `go test -race` builds, which has most packages compiled already
		args, cgo = []string{"build", "-race"}, "CGO_ENABLED=1"
	}
	args = append(args, "-o", dir+string(filepath.Separator), "splitshop/monolith", "splitshop/gateway",
		"splitshop/services/catalog", "splitshop/services/cart", "splitshop/services/orders")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the shop's binaries: %w\n%s", err, out)
	}
	return nil
}
