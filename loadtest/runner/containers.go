package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/runner/compose"
	"splitshop/pgserver"
)

// The ports on which every part in a container listens, on the network of the containers.
const (
	adminPortOffset = 1000 // above the public one
	postgresPort    = "5432"
)

// containers are a design that is up in containers.
type containers struct{ *compose.Up }

// StartContainers brings a design up in containers, from a fresh database, and returns when every part is ready and every limit
// was read back as planned. Where it fails nothing is left. Stop removes the containers, their networks and the data.
//
// The containers must be processes of this machine: what cannot be seen cannot be measured.
func StartContainers(ctx context.Context, project *compose.Project, o compose.UpOptions) (*Running, error) {
	o.Fresh = true
	up, err := project.Up(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &Running{design: o.Design, generator: ourselves(), up: &containers{up}}
	if err := r.adopt(ctx, o.Timeout); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Design, err), r.up.stop(context.WithoutCancel(ctx)))
	}
	return r, nil
}

// adopt makes parts of containers.
func (r *Running) adopt(ctx context.Context, timeout time.Duration) error {
	for _, c := range slices.Backward(r.up.Parts) { // the edge last, as among processes
		if !strings.HasPrefix(c.Limits.Source, "kernel") || !c.Lives() {
			return fmt.Errorf("the process of the container of %s cannot be seen from here: the engine runs on another machine, "+
				"or a virtual one; measure local processes, or run the lab where the engine runs", c.Name)
		}
		if c.Address == "" {
			return fmt.Errorf("%s has no address on the network of the containers", c.Name)
		}
		p := &Part{Name: c.Name, Cores: r.up.Preset.Cores(c.Name), Image: &c.Image, main: c.PIDNow, children: true}
		if quota := r.up.Preset.Quota(c.Name); quota > 0 {
			p.Quota = &quota
		}
		p.ended = func() error { return r.up.ended(c) }
		if c.Name == partPostgres {
			r.pgPart = p
			r.connect = func(ctx context.Context) (*pgserver.Session, error) { return r.up.connect(ctx, c) }
			r.database = compose.Database
			continue
		}
		p.Addr = net.JoinHostPort(c.Address, fmt.Sprint(c.Port))
		p.AdminURL = fmt.Sprintf("http://%s", net.JoinHostPort(c.Address, fmt.Sprint(c.Port+adminPortOffset)))
		r.parts = append(r.parts, p)
	}
	if r.pgPart == nil || len(r.parts) == 0 {
		return errors.New("what is up lacks a part")
	}
	r.url = "http://" + r.parts[len(r.parts)-1].Addr
	ctx, cancel := context.WithTimeout(ctx, cmpTimeout(timeout))
	defer cancel()
	for _, p := range r.parts {
		if err := p.awaitContainer(ctx); err != nil {
			return err
		}
	}
	// So that no run pays for the writes of the migration.
	_, err := r.Query(ctx, "CHECKPOINT")
	return err
}

func cmpTimeout(timeout time.Duration) time.Duration {
	if timeout > 0 {
		return timeout
	}
	return startTimeout
}

// awaitContainer waits until the part says that it can serve.
func (p *Part) awaitContainer(ctx context.Context) error {
	last := "no answer"
	err := poll(ctx, 20*time.Millisecond, func() (bool, error) {
		status, body, err := get(ctx, p.AdminURL+"/readyz")
		if err != nil {
			last = err.Error()
			return false, p.ended()
		}
		last = strings.TrimSpace(string(body))
		return status == http.StatusOK, nil
	})
	if err != nil {
		return fmt.Errorf("%s did not become ready: %w (/readyz: %s)", p.Name, err, last)
	}
	return nil
}

// connect opens a session with the database of the containers.
func (u *containers) connect(ctx context.Context, postgres compose.Part) (*pgserver.Session, error) {
	password, err := u.Project.SuperuserPassword()
	if err != nil {
		return nil, err
	}
	return pgserver.Dial(ctx, net.JoinHostPort(postgres.Address, postgresPort), compose.Database, password)
}

// ended says how a container ended; nil while it runs.
func (u *containers) ended(c compose.Part) error {
	if c.Lives() {
		return nil
	}
	return u.Project.Fate(c)
}

// stop takes everything down, the data too.
func (u *containers) stop(ctx context.Context) error { return u.Project.Down(ctx, false) }

// ourselves is this process as the generator.
func ourselves() *Part {
	return &Part{Name: partGenerator, main: os.Getpid, ended: func() error { return nil }}
}

// SetGenerator says that the load comes from a container, which is to be on the given cores.
func (r *Running) SetGenerator(c compose.Part, cores []int) {
	r.generator = &Part{Name: partGenerator, Cores: cores, Image: &c.Image, main: c.PIDNow, children: true,
		ended: func() error { return r.up.ended(c) }}
}

// Generator is the part that offers the load: this process, unless SetGenerator named another.
func (r *Running) Generator() *Part { return r.generator }
