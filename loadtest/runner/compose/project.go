package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	defaultName  = "splitshop"
	nameVariable = "COMPOSE_PROJECT_NAME"
	tagVariable  = "SHOP_TAG"
	defaultTag   = "latest"
	composeFile  = "compose/compose.yaml"
	secretsDir   = "compose/.secrets"
	stopSeconds  = "20" // longer than the servers' grace; Postgres need not finish writing what is then removed
	presetsDir   = "compose/presets"

	partPostgres  = "postgres"
	partMigrate   = "migrate"
	partGenerator = "generator" // the lab's own, beside the shop

	networkInside = "inside" // the one network that all are on

	// Database is the name of the shop's database.
	Database = "shop"
)

// ports are where the parts listen on that network.
var ports = map[string]int{"monolith": 8080, "modular": 8080, "gateway": 8080, "catalog": 8081, "cart": 8082, "orders": 8083}

// Labels that compose puts on all that is of a project; the names of containers differ between its versions.
const (
	projectLabel = "com.docker.compose.project"
	serviceLabel = "com.docker.compose.service"
)

// Project is the shop's containers on this machine: all that has the project's label. Open makes one.
type Project struct {
	*Tools
	Name   string // of the compose project
	Top    string // the top folder of the clone
	BinDir string // host-built binaries
	Tag    string // of the shop's images

	// Progress gets what is going on, replaced by the next; Note what shall stay to be read. Nil: nobody reads it.
	Progress, Note func(string)
}

// Open finds the engine and the compose command. COMPOSE_PROJECT_NAME and SHOP_TAG are honoured.
func Open(ctx context.Context, top, binDir string) (*Project, error) {
	if _, err := os.Stat(filepath.Join(top, composeFile)); err != nil {
		return nil, fmt.Errorf("%w: run this in the top folder of the clone, or give it as --top", err)
	}
	tools, err := FindTools(ctx)
	if err != nil {
		return nil, err
	}
	return &Project{
		Tools: tools, Top: top, BinDir: binDir,
		Name: variable(nameVariable, defaultName), Tag: variable(tagVariable, defaultTag),
	}, nil
}

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func (p *Project) say(what string) {
	if p.Progress != nil {
		p.Progress(what)
	}
}

func (p *Project) note(format string, args ...any) {
	if p.Note != nil {
		p.Note(fmt.Sprintf(format, args...))
	}
}

// Parts are the long-running services of a design, the edge first and Postgres last.
func Parts(design string) []string {
	switch design {
	case Mono:
		return []string{"monolith", partPostgres}
	case Modular:
		return []string{"modular", partPostgres}
	}
	return append(slices.Clone(services), partPostgres)
}

// binaries are those that a design's images are made of; migrations are the monolith's.
func binaries(design string) []string {
	if design == Micro {
		return append(slices.Clone(services), "monolith")
	}
	return []string{"monolith"}
}

// compose runs the compose command on the project, with every design's profile so that none of its parts is overlooked, or
// with one.
func (p *Project) compose(ctx context.Context, env []string, profiles []string, args ...string) error {
	all := slices.Concat(p.Compose, []string{"--project-name", p.Name, "--file", filepath.Join(p.Top, composeFile)})
	for _, profile := range profiles {
		all = append(all, "--profile", profile)
	}
	_, err := output(ctx, env, append(all, args...)...)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// Down stops the shop in order and removes its containers and networks, and its data unless they are kept. It returns nil where
// nothing of the project is left, however little there was.
func (p *Project) Down(ctx context.Context, keepData bool) error {
	if keepData {
		return p.down(ctx, keepData) // each part has the time that compose.yaml gives it
	}
	return p.down(ctx, keepData, "--timeout", stopSeconds)
}

// down is Down with more arguments for compose.
func (p *Project) down(ctx context.Context, keepData bool, more ...string) error {
	if err := p.removeGenerators(ctx); err != nil {
		return err
	}
	args := append([]string{"down", "--remove-orphans"}, more...)
	if !keepData {
		args = append(args, "--volumes")
	}
	err := p.compose(ctx, nil, Designs(), args...)
	return errors.Join(err, p.sweep(ctx, keepData))
}

// sweep removes what compose left. Usually that is nothing.
func (p *Project) sweep(ctx context.Context, keepData bool) error {
	type kind struct{ list, remove []string }
	kinds := []kind{
		{[]string{"ps", "--all"}, []string{"rm", "--force", "--volumes"}},
		{[]string{"network", "ls"}, []string{"network", "rm"}},
	}
	if !keepData {
		kinds = append(kinds, kind{[]string{"volume", "ls"}, []string{"volume", "rm"}})
	}
	for _, k := range kinds {
		list := slices.Concat([]string{"docker"}, k.list, []string{"--quiet", "--filter", "label=" + projectLabel + "=" + p.Name})
		ids, err := output(ctx, nil, list...)
		if err != nil {
			return err
		}
		if ids == "" {
			continue
		}
		if _, err := output(ctx, nil, slices.Concat([]string{"docker"}, k.remove, strings.Fields(ids))...); err != nil {
			return err
		}
	}
	return nil
}

// hasData says whether the project's volume is there.
func (p *Project) hasData(ctx context.Context) (bool, error) {
	ids, err := output(ctx, nil, "docker", "volume", "ls", "--quiet", "--filter", "label="+projectLabel+"="+p.Name)
	return ids != "", err
}

// Left says in words what there is of the project; "" where there is nothing.
func (p *Project) Left(ctx context.Context) (string, error) {
	found, err := p.containers(ctx)
	if err != nil {
		return "", err
	}
	data, err := p.hasData(ctx)
	switch {
	case err != nil:
		return "", err
	case len(found) > 0:
		return fmt.Sprintf("the project %s: %s", p.Name, inWords(found)), nil
	case data:
		return fmt.Sprintf("the project %s: its data", p.Name), nil
	}
	return "", nil
}

// Logs writes the log of one part, or of all where part is "": the last lines only, or with follow until ctx ends.
func (p *Project) Logs(ctx context.Context, w io.Writer, part string, lines int, follow bool) error {
	found, err := p.containers(ctx)
	if err != nil {
		return err
	}
	if part != "" && !slices.ContainsFunc(found, func(c container) bool { return c.service() == part }) {
		return fmt.Errorf("there is no container of %q: %s", part, inWords(found))
	}
	args := slices.Concat(p.Compose, []string{"--project-name", p.Name, "--file", filepath.Join(p.Top, composeFile)})
	for _, d := range Designs() {
		args = append(args, "--profile", d)
	}
	args = append(args, "logs", "--no-color", "--tail", fmt.Sprint(lines))
	if follow {
		args = append(args, "--follow")
	}
	if part != "" {
		args = append(args, part)
	}
	cmd := command(ctx, nil, args...)
	complaint := new(tail)
	cmd.Stdout, cmd.Stderr = w, complaint
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("logs: %w: %s", err, complaint)
	}
	return nil
}

// logTail is the end of a container's log.
func (p *Project) logTail(c container) string {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout) // also where the caller's is over
	defer cancel()
	cmd := command(ctx, nil, "docker", "logs", "--tail", "15", c.ID)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%sdocker logs: %v", text, err)
	}
	return strings.TrimSpace(string(text))
}

// wait is between two questions to the engine.
const wait = 200 * time.Millisecond
