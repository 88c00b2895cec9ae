package sql

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// versionTable is where goose keeps which migrations were applied.
const versionTable = "public.goose_db_version"

// MigrateOptions say how the database shall be in the end.
type MigrateOptions struct {
	// Products is how many the catalogue is seeded with, up to MaxProducts. 0: DefaultProducts; negative: none.
	Products int

	// Passwords of the login roles by name (see Roles); printable ASCII. A role that is not named keeps the password it
	// has, and a new one can then log in only where the server asks for none.
	Passwords map[string]string

	// Wait is how long to go on asking a server that does not answer yet; 0: not at all. One that refuses the owner is not
	// asked again.
	Wait time.Duration

	// Log says what was done; nil: nothing is said. No password reaches it.
	Log *slog.Logger
}

// Migrate makes the schema, the login roles with their privileges and the seeded catalogue, whatever is missing of them,
// as the database's owner. Processes that do so at once take turns, a second apart; where nothing is missing a turn is
// short.
func Migrate(ctx context.Context, ownerURL string, o MigrateOptions) error {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Products == 0 {
		o.Products = DefaultProducts
	}
	if err := o.check(); err != nil {
		return err
	}
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return errors.New("the owner's database URL cannot be parsed (it is not shown: it may hold a password)")
	}
	config.ConnectTimeout = connectTimeout
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if err := awaitServer(ctx, db, o); err != nil {
		return err
	}
	return locked(ctx, db, func(conn *pgx.Conn) error {
		if err := migrateSchema(ctx, db, o.Log); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
		if err := makeRoles(ctx, conn, o.Passwords); err != nil {
			return fmt.Errorf("roles: %w", err)
		}
		if err := seed(ctx, conn, o.Products, o.Log); err != nil {
			return fmt.Errorf("seeding: %w", err)
		}
		return nil
	})
}

// awaitServer returns nil when a connection works, within o.Wait.
func awaitServer(ctx context.Context, db *stdsql.DB, o MigrateOptions) error {
	began, said := time.Now(), false
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		if time.Since(began) >= o.Wait || ctx.Err() != nil || refused(err) {
			return fmt.Errorf("connecting as the database's owner: %w", err)
		}
		if !said {
			o.Log.Info("waiting for Postgres", "for_ms", o.Wait.Milliseconds(), "why", err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// refused says that a server is there and does not let this login in: asking again does not help.
func refused(err error) bool {
	answer := new(pgconn.PgError)
	return errors.As(err, &answer) && answer.Code != cannotConnectNow
}

func (o MigrateOptions) check() error {
	if o.Products > MaxProducts {
		return fmt.Errorf("at most %d products are seeded, not %d", MaxProducts, o.Products)
	}
	for name, password := range o.Passwords {
		if _, ok := findRole(name); !ok {
			return fmt.Errorf("a password for %q, which is no role of the shop", name)
		}
		if !printableASCII(password) {
			return fmt.Errorf("the password of %s: one or more printable ASCII characters are needed", name)
		}
	}
	return nil
}

// locked runs f on a connection that holds goose's advisory lock, for up to ten minutes of waiting for it. The lock covers
// the roles and the seeding as well, so it is held here and not by goose.
func locked(ctx context.Context, db *stdsql.DB, f func(*pgx.Conn) error) (err error) {
	const (
		everySecond = 1 // the shortest goose has
		attempts    = 600
	)
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(everySecond, attempts))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting as the database's owner: %w", err)
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return fmt.Errorf("waiting for another migration: %w", err)
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	return conn.Raw(func(driverConn any) error { return f(driverConn.(*stdlib.Conn).Conn()) })
}

// migrateSchema applies what is missing of migrations/, each file in its transaction.
func migrateSchema(ctx context.Context, db *stdsql.DB, log *slog.Logger) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithSlog(log))
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if partial := new(goose.PartialError); errors.As(err, &partial) {
		results = partial.Applied
	}
	for _, r := range results {
		log.Info("migration applied", "file", filepath.Base(r.Source.Path), "ms", r.Duration.Milliseconds())
	}
	return err
}

// schemaVersion is the number of the last migration: the schema this build works on.
func schemaVersion() (int64, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1]) // Glob sorts, and the numbers are of equal length
}
