package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	cleanTimeout = 2 * time.Minute
	abortSeconds = "5" // for each part to stop after a failed start: nobody waits for what it was doing
)

// UpOptions say what to bring up.
type UpOptions struct {
	Design  string        // one of Designs
	Quotas  string        // QuotasNone, QuotasEven or QuotasTuned: which preset, where none is given
	Preset  string        // a preset's file; "": by the engine's cores and Quotas
	Port    int           // published on 127.0.0.1; 0: any that is free
	Timeout time.Duration // until everything is ready

	Products int  // in the catalogue that is made with fresh data; 0: compose.yaml's number
	Fresh    bool // data that are there are removed first
}

// Up is a design that is up.
type Up struct {
	Design  string
	URL     string // of the public API
	Preset  *Preset
	Parts   []Part // running ones, the edge first and Postgres last
	Took    time.Duration
	Project *Project
}

// Up brings up a design in place of whatever is up, and returns when it serves and every limit was read back as planned. Data
// that are there stay, unless fresh ones are wanted. Where it fails nothing is left running, data it made are removed, and the
// error has the end of the failing part's log.
func (p *Project) Up(ctx context.Context, o UpOptions) (*Up, error) {
	began := time.Now()
	preset, err := p.Preset(o)
	if err != nil {
		return nil, err
	}
	uid, gid, err := makeSecrets(filepath.Join(p.Top, secretsDir))
	if err != nil {
		return nil, err
	}
	env, err := p.prepare(ctx, o, uid, gid)
	if err != nil {
		return nil, err
	}
	if err := p.checkPort(ctx, o.Port); err != nil {
		return nil, err
	}
	p.say("removing what was up")
	if err := p.Down(ctx, !o.Fresh); err != nil {
		return nil, err
	}
	hadData, err := p.hasData(ctx)
	if err != nil {
		return nil, err
	}
	up := &Up{Design: o.Design, Preset: preset, Project: p}
	if err := p.start(ctx, o, up, append(env, preset.env()...)); err != nil {
		p.say("removing what was begun")
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
		defer cancel()
		return nil, errors.Join(fmt.Errorf("up %s: %w", o.Design, err), p.down(clean, hadData, "--timeout", abortSeconds))
	}
	up.Took = time.Since(began)
	return up, nil
}

// Preset is what a design would be brought up with.
func (p *Project) Preset(o UpOptions) (_ *Preset, err error) {
	if !slices.Contains(Designs(), o.Design) {
		return nil, fmt.Errorf("there is no design %q in containers, only %s", o.Design, strings.Join(Designs(), ", "))
	}
	file := o.Preset
	if file == "" {
		if file, err = PresetFor(filepath.Join(p.Top, presetsDir), p.Cores, o.Quotas); err != nil {
			return nil, err
		}
	}
	return ReadPreset(file, p.Cores)
}

// checkPort is an error where the port is taken, other than by what this project has up.
func (p *Project) checkPort(ctx context.Context, port int) error {
	found, err := p.containers(ctx)
	if err != nil || port == 0 || strings.HasSuffix(edgeURL(found), fmt.Sprintf(":%d", port)) {
		return err
	}
	return checkPort(ctx, port)
}

// prepare sees that every image is there and new, and returns the variables of compose.yaml that are no preset's.
func (p *Project) prepare(ctx context.Context, o UpOptions, uid, gid int) ([]string, error) {
	if err := p.BuildImages(ctx, binaries(o.Design)...); err != nil {
		return nil, err
	}
	p.say("image of Postgres")
	postgres, err := p.PostgresImage(ctx)
	if err != nil {
		return nil, err
	}
	env := []string{
		fmt.Sprintf("SHOP_UID=%d", uid),
		fmt.Sprintf("SHOP_GID=%d", gid),
		fmt.Sprintf("SHOP_PORT=%d", o.Port),
		"SHOP_TAG=" + p.Tag,
		imageVariable + "=" + postgres,
	}
	if o.Products > 0 {
		env = append(env, fmt.Sprintf("SHOP_PRODUCTS=%d", o.Products))
	}
	return env, nil
}

func (p *Project) start(ctx context.Context, o UpOptions, up *Up, env []string) error {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("not ready within %v", o.Timeout))
		defer cancel()
	}
	p.say("starting " + strings.Join(Parts(o.Design), ", "))
	if err := p.compose(ctx, env, []string{o.Design}, "up", "--detach", "--no-build"); err != nil {
		return errors.Join(err, p.failed(context.WithoutCancel(ctx)))
	}
	if err := p.awaitReady(ctx, o.Design); err != nil {
		return err
	}
	parts, err := p.Status(ctx)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if part.Running {
			up.Parts = append(up.Parts, part)
		}
		if part.URL != "" {
			up.URL = part.URL
		}
	}
	return up.check()
}

// awaitReady returns when the public API answers and the migration is over; or as soon as some part has ended that should
// not, with the end of its log.
func (p *Project) awaitReady(ctx context.Context, design string) error {
	tick := time.NewTicker(wait)
	defer tick.Stop()
	for {
		found, err := p.containers(ctx)
		if err == nil {
			err = p.ended(found, design)
		}
		if err != nil {
			return p.why(ctx, err)
		}
		answer := ""
		if migrated(found) {
			if answer = ask(ctx, edgeURL(found)); answer == "" {
				return nil
			}
		}
		p.say(inWords(found) + answer)
		select {
		case <-ctx.Done():
			return p.why(ctx, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// why is the reason for the end of a start: a deadline that passed is quoted together with the logs.
func (p *Project) why(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return context.Canceled
	}
	return errors.Join(context.Cause(ctx), p.failed(context.WithoutCancel(ctx)))
}

// failed is an error with the log of what went wrong, as far as that can be told: a part that ended, else the edge; nil where
// neither has begun.
func (p *Project) failed(ctx context.Context) error {
	found, err := p.containers(ctx)
	if err != nil {
		return err
	}
	for _, c := range found {
		if c.State.Status == "exited" && c.State.ExitCode != 0 {
			return p.logOf(c)
		}
	}
	if len(found) > 0 && found[0].State.Running {
		return p.logOf(found[0])
	}
	return nil
}

// ended is an error where a part that shall run does not, or the migration failed.
func (p *Project) ended(found []container, design string) error {
	for _, c := range found {
		over := !c.State.Running && c.State.Status != "created"
		if over && (c.service() != partMigrate || c.State.ExitCode != 0) {
			return p.logOf(c)
		}
	}
	for _, part := range Parts(design) {
		if !slices.ContainsFunc(found, func(c container) bool { return c.service() == part }) {
			return fmt.Errorf("%s has gone", part)
		}
	}
	return nil
}

func (p *Project) logOf(c container) error {
	log := p.logTail(c)
	err := fmt.Errorf("%s: %s\nthe end of its log:\n%s", c.service(), c.state(), log)
	if c.service() == partMigrate && strings.Contains(log, "password authentication failed") {
		return fmt.Errorf("%w\nthe data were made with other passwords than those in %s: `make down` removes them", err, secretsDir)
	}
	return err
}

func migrated(found []container) bool {
	return slices.ContainsFunc(found, func(c container) bool {
		return c.service() == partMigrate && c.State.Status == "exited" && c.State.ExitCode == 0
	})
}

func edgeURL(found []container) string {
	for _, c := range found {
		for _, bound := range c.NetworkSettings.Ports["8080/tcp"] {
			return "http://" + bound.HostIP + ":" + bound.HostPort
		}
	}
	return ""
}

// ask asks the public API for a page. It returns "" where that was answered, and else what was answered in words.
func ask(ctx context.Context, url string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/products?limit=1", nil)
	if err != nil {
		return "; no published port yet"
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is this machine
	response, err := client.Do(request)
	if err != nil {
		return "; the API does not answer yet"
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		return "; the API answers " + response.Status
	}
	return ""
}

// check compares what was read back with the preset. An error names each difference.
func (u *Up) check() error {
	var errs []error
	for _, part := range u.Parts {
		if planned := u.Preset.Cores(part.Name); planned != nil && !slices.Equal(planned, part.Limits.Cores) {
			errs = append(errs, fmt.Errorf("%s may run on cores %s, the preset says %s (read back from the %s)",
				part.Name, FormatCores(part.Limits.Cores), FormatCores(planned), part.Limits.Source))
		}
		planned, got := u.Preset.Quota(part.Name), 0.0
		if part.Limits.Quota != nil {
			got = *part.Limits.Quota
		}
		if math.Abs(planned-got) > 0.0005 {
			errs = append(errs, fmt.Errorf("%s has a quota of %.2f cores, the preset says %.2f (read back from the %s)",
				part.Name, got, planned, part.Limits.Source))
		}
	}
	return errors.Join(errs...)
}
