package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/moby/moby/client"
)

// runLabel marks everything that these tests make with the number of the process that made it. The projects of the compose
// file have that number in their name.
const (
	runLabel      = "splitshop.test"
	projectLabel  = "com.docker.compose.project"
	projectPrefix = "splitshop-test-"
)

func ownRun() string { return strconv.Itoa(os.Getpid()) }

// projectName names a compose project of this run.
func projectName(name string) string { return projectPrefix + ownRun() + "-" + name }

// runOf is the run that something belongs to by its labels; "": none of these tests made it.
func runOf(labels map[string]string) string {
	if run, ok := labels[runLabel]; ok {
		return run
	}
	rest, ok := strings.CutPrefix(labels[projectLabel], projectPrefix)
	if !ok {
		return ""
	}
	run, _, _ := strings.Cut(rest, "-")
	return run
}

// thing is a container, network or volume that some run of these tests made.
type thing struct {
	name, run, project string
	remove             func(context.Context) error
}

// things lists what runs of these tests have made and not removed: containers, then networks, then volumes.
func (w *world) things(ctx context.Context) (found []thing, err error) {
	add := func(kind, name string, labels map[string]string, remove func(context.Context) error) {
		if run := runOf(labels); run != "" {
			found = append(found, thing{kind + " " + name, run, labels[projectLabel], remove})
		}
	}
	containers, err1 := w.engine.ContainerList(ctx, client.ContainerListOptions{All: true})
	networks, err2 := w.engine.NetworkList(ctx, client.NetworkListOptions{})
	volumes, err3 := w.engine.VolumeList(ctx, client.VolumeListOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	for _, c := range containers.Items {
		add("container", fmt.Sprint(c.Names, c.ID), c.Labels, func(ctx context.Context) error {
			_, err := w.engine.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			return err
		})
	}
	for _, n := range networks.Items {
		add("network", n.Name, n.Labels, func(ctx context.Context) error {
			_, err := w.engine.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			return err
		})
	}
	for _, v := range volumes.Items {
		add("volume", v.Name, v.Labels, func(ctx context.Context) error {
			_, err := w.engine.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{})
			return err
		})
	}
	return found, nil
}

// sweep removes what runs have left that were killed before they could.
func (w *world) sweep(ctx context.Context) error {
	found, err := w.things(ctx)
	if err != nil {
		return err
	}
	for _, f := range found {
		pid, err := strconv.Atoi(f.run)
		if err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue // that run is still going on
		}
		if err := f.remove(ctx); err != nil {
			return fmt.Errorf("removing what an earlier run left, %s: %w", f.name, err)
		}
	}
	return nil
}

// nothingLeft is an error that names what this run did not remove.
func (w *world) nothingLeft(ctx context.Context) error {
	found, err := w.things(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range found {
		if f.run == ownRun() {
			errs = append(errs, fmt.Errorf("%s is left", f.name))
		}
	}
	return errors.Join(errs...)
}
