package runner

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"splitshop/pgserver"
	"splitshop/pgserver/spawn"
)

// freshDatabase makes a database as if nobody had ever used it, and returns its name. The first call for a server and a
// number of products makes the template it is copied from.
func freshDatabase(ctx context.Context, pg *pgserver.Server, binDir string, products int) (string, error) {
	template, err := ensureTemplate(ctx, pg, binDir, products)
	if err != nil {
		return "", err
	}
	name := "shop_" + strings.ToLower(rand.Text())
	if err := execute(ctx, pg, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		return "", err
	}
	// So that no run pays for the writes of the copy, nor for those of the run before.
	if err := execute(ctx, pg, "CHECKPOINT"); err != nil {
		return "", errors.Join(err, dropDatabase(ctx, pg, name))
	}
	return name, nil
}

func dropDatabase(ctx context.Context, pg *pgserver.Server, name string) error {
	return execute(ctx, pg, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

func execute(ctx context.Context, pg *pgserver.Server, statement string) error {
	_, err := pg.Query(ctx, "postgres", statement)
	return err
}

// ensureTemplate makes the template of a server where it is not there yet. A lock on the server lets one make it at a time,
// of however many processes: it also makes the roles, which all databases share.
func ensureTemplate(ctx context.Context, pg *pgserver.Server, binDir string, products int) (string, error) {
	unlock, err := lockServer(ctx, pg)
	if err != nil {
		return "", err
	}
	defer unlock()
	name := fmt.Sprintf("shop_template_%d", products)
	rows, err := pg.Query(ctx, "postgres", "SELECT 1 FROM pg_database WHERE datname = '"+name+"'")
	if err != nil || len(rows) > 0 {
		return name, err
	}
	making := "making_" + name
	if err := dropDatabase(ctx, pg, making); err != nil { // of one who was interrupted here
		return "", err
	}
	if err := execute(ctx, pg, "CREATE DATABASE "+making); err != nil {
		return "", err
	}
	if err := migrate(ctx, pg, binDir, making, products); err != nil {
		return "", errors.Join(err, dropDatabase(context.WithoutCancel(ctx), pg, making))
	}
	return name, execute(ctx, pg, "ALTER DATABASE "+making+" RENAME TO "+name)
}

// migrate has the monolith make schemas, roles and products. Passwords travel in the environment.
func migrate(ctx context.Context, pg *pgserver.Server, binDir, database string, products int) error {
	env := map[string]string{"SHOP_OWNER_DB": pg.SuperuserURL(database), "SHOP_PRODUCTS": fmt.Sprint(products)}
	for variable, role := range roles() {
		env[variable] = password(pg, role)
	}
	cmd := exec.Command(filepath.Join(binDir, "monolith"), "migrate")
	cmd.Env = variables(env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := spawn.Start(cmd, nil, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.End(ctx, syscall.SIGTERM)
		return fmt.Errorf("monolith migrate: %w", context.Cause(ctx))
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("monolith migrate: %w\n%s", err, lastLines(out.Bytes()))
	}
	return nil
}

// Passwords returns the password of each login role of the shop on a server that designs run on, by role.
func Passwords(pg *pgserver.Server) map[string]string {
	passwords := make(map[string]string)
	for _, role := range roles() {
		passwords[role] = password(pg, role)
	}
	return passwords
}

// password is the one a role has on a server. It follows from the server's own secret, so that all who use one server
// agree without asking each other.
func password(pg *pgserver.Server, role string) string {
	h := hmac.New(sha256.New, []byte(pg.SuperuserURL("")))
	h.Write([]byte(role))
	return hex.EncodeToString(h.Sum(nil))
}

func lockServer(ctx context.Context, pg *pgserver.Server) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(pg.Dir(), "template.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = poll(ctx, 10*time.Millisecond, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("wait for the template of the database: %w", err)
	}
	return func() { f.Close() }, nil
}

// poll calls done at once and then every interval, until it returns true or an error or ctx is done.
func poll(ctx context.Context, every time.Duration, done func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
