package containers

import (
	"os/exec"
	"strconv"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// TestSweep leaves a container of a run that has ended and one of a run that goes on: the first is swept up, the second stays,
// and is named as left behind.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	ended := exec.Command("true")
	must(t, ended.Run())
	dead := strconv.Itoa(ended.Process.Pid)
	ids := make(map[string]string)
	for _, run := range []string{dead, ownRun()} {
		made, err := w.engine.ContainerCreate(t.Context(), client.ContainerCreateOptions{
			Config:     &container.Config{Image: w.image("cart"), Labels: map[string]string{runLabel: run}},
			HostConfig: &container.HostConfig{NetworkMode: "none"},
		})
		must(t, err)
		ids[run] = made.ID
	}
	must(t, w.sweep(t.Context()))
	if _, err := w.engine.ContainerInspect(t.Context(), ids[dead], client.ContainerInspectOptions{}); err == nil {
		t.Error("what an ended run left is still there")
	}
	if err := w.nothingLeft(t.Context()); err == nil {
		t.Error("a container of this run is not named")
	}
	_, err := w.engine.ContainerRemove(t.Context(), ids[ownRun()], client.ContainerRemoveOptions{})
	must(t, err)
}
