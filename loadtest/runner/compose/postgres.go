package compose

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	imageVariable    = "POSTGRES_IMAGE"
	officialPostgres = "postgres:18"
	postgresRecipe   = "docker/postgres/build.sh"
	registryPatience = 20 * time.Second // until a registry says its first word
	pullTimeout      = 15 * time.Minute
)

// PostgresImage is the image to run Postgres of, present on this machine: what POSTGRES_IMAGE says; else what is here
// already, the official one or the one made from Debian's packages; else the official one, pulled; else, where no registry
// answers, the one from Debian's packages, made now.
func (p *Project) PostgresImage(ctx context.Context) (string, error) {
	if wanted := os.Getenv(imageVariable); wanted != "" {
		if p.haveImage(ctx, wanted) {
			return wanted, nil
		}
		if err := p.pull(ctx, wanted); err != nil {
			return "", fmt.Errorf("%s is %s, which is not here and cannot be pulled: %w", imageVariable, wanted, err)
		}
		return wanted, nil
	}
	if p.haveImage(ctx, officialPostgres) {
		return officialPostgres, nil
	}
	local, err := output(ctx, nil, filepath.Join(p.Top, postgresRecipe), "--name")
	if err != nil {
		return "", err
	}
	if p.haveImage(ctx, local) {
		return local, nil
	}
	if err := p.pull(ctx, officialPostgres); err == nil {
		return officialPostgres, nil
	} else if ctx.Err() != nil {
		return "", ctx.Err()
	} else {
		p.note("%s cannot be pulled (%v)", officialPostgres, err)
	}
	return p.MakePostgresImage(ctx)
}

// MakePostgresImage makes the image from Debian's packages where it is not there yet, and returns its name.
func (p *Project) MakePostgresImage(ctx context.Context) (string, error) {
	p.say("making a Postgres image")
	cmd := command(ctx, nil, filepath.Join(p.Top, postgresRecipe))
	said, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("making the Postgres image: %w", err)
	}
	for lines := bufio.NewScanner(said); lines.Scan(); {
		p.note("%s", lines.Text())
	}
	name, err := io.ReadAll(answer)
	if waited := cmd.Wait(); cmp.Or(err, waited) != nil {
		return "", fmt.Errorf("making the Postgres image: %w (its last words are above)", cmp.Or(err, waited))
	}
	return lastLines(string(name), 1), nil
}

func (p *Project) haveImage(ctx context.Context, name string) bool {
	_, err := output(ctx, nil, "docker", "image", "inspect", "--format", "{{.Id}}", name)
	return err == nil
}

// pull pulls an image. A registry that does not say a word in time counts as none; a slow one may take its time.
func (p *Project) pull(ctx context.Context, name string) error {
	p.say("pulling " + name)
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	silent := time.AfterFunc(registryPatience, cancel)
	cmd := command(ctx, nil, "docker", "pull", name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	complaint := new(tail)
	cmd.Stderr = complaint
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		silent.Stop()
		p.say("pulling " + name + ": " + lines.Text())
	}
	err = cmd.Wait()
	if err != nil && !silent.Stop() && complaint.String() == "" {
		return fmt.Errorf("no registry answered within %v", registryPatience)
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, complaint)
	}
	return nil
}

// tail keeps the last lines that are written to it, one unless it says more.
type tail struct {
	lines int

	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if excess := len(t.text) - 4<<10; excess > 0 {
		t.text = t.text[excess:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLines(string(t.text), max(t.lines, 1))
}
