package containers

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/exec"

	"splitshop/test/shopping"
)

// heldInit is an initialisation script that does its work and then waits until a file is there.
const heldInit = `psql --no-psqlrc -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" -c 'CREATE TABLE made_by_init ()'
until [ -e /tmp/go-on ]; do sleep 0.1; done
`

// TestPostgresImage is case 28: whoever gets an answer over TCP, however early, gets the server that stays, with all of the
// initialisation behind it. Over the Unix socket one would not: there pg_isready says yes to a server that stops again.
func TestPostgresImage(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	p := s.run("postgres", spec{
		image: s.w.postgres, asImage: true, ports: []string{postgresPort},
		env: map[string]string{"POSTGRES_PASSWORD": s.passwords[owner], "POSTGRES_DB": "shop"},
		files: []testcontainers.ContainerFile{{
			Reader: strings.NewReader(heldInit), ContainerFilePath: "/docker-entrypoint-initdb.d/held.sh", FileMode: 0o644,
		}},
	})
	first := make(chan string, 1)
	client, stop := context.WithCancel(t.Context())
	defer stop()
	url := s.outside(owner)
	go func() { first <- firstAnswer(client, url) }()

	shopping.Eventually(t, startsWithin, "a server says over the Unix socket that it is ready", func() error {
		_, err := p.exec(t, "pg_isready", "--host=/var/run/postgresql")
		return err
	})
	shopping.Eventually(t, startsWithin, "the script waits", func() error {
		_, err := p.exec(t, "psql", "--username=postgres", "--dbname=shop", "--command=TABLE made_by_init")
		return err
	})
	temporary := p.began(t)
	if said, err := p.exec(t, "pg_isready", "--host=127.0.0.1"); err == nil {
		t.Errorf("over TCP one is told while initialisation goes on: %s", said)
	}
	select {
	case answer := <-first:
		t.Errorf("a client got in over the published port while initialisation went on: %s", answer)
	default:
	}
	_, err := p.exec(t, "touch", "/tmp/go-on")
	must(t, err)

	shopping.Eventually(t, startsWithin, "over TCP", func() error {
		_, err := p.exec(t, "pg_isready", "--host=127.0.0.1")
		return err
	})
	stays := p.began(t)
	if temporary == stays {
		t.Errorf("the server of the initialisation stays, so this test shows nothing: began %s", stays)
	}
	if answer := <-first; answer != "made_by_init "+stays {
		t.Errorf("the first answer was %q; the server that stays began %s", answer, stays)
	}
}

// firstAnswer connects again and again until it is let in. It returns what is there: the table and the start of the server.
func firstAnswer(ctx context.Context, url string) string {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			<-tick.C
			continue
		}
		defer conn.Close(ctx)
		var table, began string
		err = conn.QueryRow(ctx, "SELECT to_regclass('made_by_init')::text, "+beganSQL).Scan(&table, &began)
		return strings.TrimSpace(fmt.Sprint(table, " ", began, " ", errText(err)))
	}
	return "none at all"
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// beganSQL is when a server began, in words that do not depend on the session's settings.
const beganSQL = "extract(epoch FROM pg_postmaster_start_time())::text"

// began is when the server that answers over the Unix socket began.
func (p *part) began(t *testing.T) string {
	t.Helper()
	said, err := p.exec(t, "psql", "--username=postgres", "--dbname=shop", "--tuples-only", "--no-align", "--command=SELECT "+beganSQL)
	must(t, err)
	return strings.TrimSpace(said)
}

// exec runs a command in a container and returns what it printed. An error where it does not exit with 0.
func (p *part) exec(t *testing.T, command ...string) (string, error) {
	t.Helper()
	code, r, err := p.Exec(t.Context(), command, exec.Multiplexed())
	if err != nil {
		return "", err
	}
	said, err := io.ReadAll(r)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s exited with %d: %s", command[0], code, said)
	}
	return string(said), err
}
