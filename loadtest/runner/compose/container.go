package compose

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// container is what the engine says of one; the fields are named as it names them.
type container struct {
	ID    string `json:"Id"`
	Image string // its id
	State struct {
		Status    string
		Running   bool
		OOMKilled bool
		ExitCode  int
		Pid       int
		Health    *struct{ Status string }
	}
	Config struct {
		Image  string
		Labels map[string]string
	}
	HostConfig struct {
		NanoCpus   int64
		CpusetCpus string
		Memory     int64
	}
	NetworkSettings struct {
		Ports    map[string][]struct{ HostIP, HostPort string }
		Networks map[string]struct{ IPAddress string }
	}
}

// address is the container's address on the network of a project that all its parts are on.
func (c container) address(project string) string {
	return c.NetworkSettings.Networks[project+"_"+networkInside].IPAddress
}

func (c container) service() string { return c.Config.Labels[serviceLabel] }

// state is a container's state in words.
func (c container) state() string {
	switch {
	case c.State.Running:
		return "running"
	case c.State.Status != "exited":
		return c.State.Status
	case c.State.OOMKilled:
		return "killed: out of memory"
	case c.State.ExitCode == 0:
		return "done"
	}
	return fmt.Sprintf("exited with %d", c.State.ExitCode)
}

// containers lists the project's containers, also those that have ended, in the order in which parts are shown.
func (p *Project) containers(ctx context.Context) ([]container, error) {
	ids, err := output(ctx, nil, "docker", "ps", "--all", "--quiet", "--no-trunc", "--filter", "label="+projectLabel+"="+p.Name)
	if err != nil || ids == "" {
		return nil, err
	}
	text, err := output(ctx, nil, append([]string{"docker", "inspect"}, strings.Fields(ids)...)...)
	if err != nil {
		return nil, err
	}
	var found []container
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("docker inspect: %w", err)
	}
	order := slices.Concat([]string{"monolith", "modular"}, services, []string{partPostgres, partMigrate, partGenerator})
	slices.SortFunc(found, func(a, b container) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.service()), slices.Index(order, b.service())),
			cmp.Compare(a.service(), b.service()),
			cmp.Compare(a.ID, b.ID))
	})
	return found, nil
}

// inWords says which parts there are and how they are.
func inWords(found []container) string {
	if len(found) == 0 {
		return "nothing is up"
	}
	var words []string
	for _, c := range found {
		words = append(words, c.service()+" "+c.state())
	}
	return strings.Join(words, ", ")
}

// Part is a container of the shop as it is now.
type Part struct {
	Name      string
	Container string // its id
	Image     Image
	State     string // "running", or how it ended
	Running   bool
	PID       int // of its main process, on the engine's machine
	URL       string
	Address   string // on the network of the containers; "" where it is not on it
	Port      int    // there, of a part of the shop
	Limits    Limits
}

// Lives says whether the container's main process is there, as far as this machine's kernel can tell: cheap enough to be asked
// while something is measured.
func (p Part) Lives() bool {
	_, err := kernel{"/"}.group(p.PID, p.Container)
	return err == nil
}

// PIDNow is PID while the container lives, and 0 afterwards: the number may be another's by then.
func (p Part) PIDNow() int {
	if !p.Lives() {
		return 0
	}
	return p.PID
}

// Fate is an error that says how a container ended, with the end of its log.
func (p *Project) Fate(part Part) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	found, err := p.containers(ctx)
	if err != nil {
		return fmt.Errorf("%s: its container does not run any more; the engine does not say why: %w", part.Name, err)
	}
	for _, c := range found {
		if c.ID == part.Container {
			return p.logOf(c)
		}
	}
	return fmt.Errorf("%s: its container has been removed", part.Name)
}

// Status lists the project's containers with what they are held to; none where nothing is up.
func (p *Project) Status(ctx context.Context) ([]Part, error) {
	found, err := p.containers(ctx)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, c := range found {
		image, err := p.Images(ctx, c.Image) // by its id: the name may be another's by now
		if err != nil {
			return nil, err
		}
		image[0].Name = c.Config.Image
		part := Part{Name: c.service(), Container: c.ID, Image: image[0], State: c.state(), Running: c.State.Running, PID: c.State.Pid,
			Address: c.address(p.Name), Port: ports[c.service()]}
		for _, bound := range c.NetworkSettings.Ports["8080/tcp"] {
			part.URL = "http://" + bound.HostIP + ":" + bound.HostPort
		}
		if c.State.Running {
			if part.Limits, err = (kernel{"/"}).limits(c.State.Pid, c.ID); err != nil {
				part.Limits = c.limits()
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// limits is what the engine says it was told: where the kernel's own files cannot be read.
func (c container) limits() Limits {
	l := Limits{Source: "engine"}
	if c.HostConfig.NanoCpus > 0 {
		quota := float64(c.HostConfig.NanoCpus) / 1e9
		l.Quota = &quota
	}
	if c.HostConfig.Memory > 0 {
		l.Memory = &c.HostConfig.Memory
	}
	l.Cores, _ = ParseCores(c.HostConfig.CpusetCpus) // the engine has accepted it
	return l
}
