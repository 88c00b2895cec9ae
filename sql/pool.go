package sql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database to use and how much of it.
type Config struct {
	URL      string // postgres://role:password@host:port/database, or the key=value form
	MaxConns int    // connections, all of them opened at the start and kept open; at least 1

	// Schemas are those whose tables the role must be able to use before the pool is ready. None: whichever it may use.
	Schemas []string
}

const (
	connectTimeout = time.Second      // a database that does not answer is unavailable before a call between services gives up
	maxFillWait    = time.Second / 4  // between two tries to open all connections
	cancelTimeout  = time.Second      // for Postgres to end a cancelled statement; after that the connection is closed
	lifetimeJitter = 10 * time.Minute // so that connections opened together are not replaced together
)

// Pool is the connections of one role to one database. Its methods may be called from several goroutines.
type Pool struct {
	pool    *pgxpool.Pool
	schemas []string           // Config.Schemas
	needs   int64              // the schema version this build works on
	stop    context.CancelFunc // ends filling
	filling sync.WaitGroup
	refill  chan struct{}         // wakes it
	fillErr atomic.Pointer[error] // why the pool is not filled, at the start or after the database was lost; nil: it was
	filled  atomic.Int64          // connections ever opened when it last was

	inUse, maxInUse atomic.Int64
	restarts        atomic.Int64
}

// Open returns a pool at once, whether the database is up or not; it opens all connections in the background, as soon as
// that is possible. Ready says when it is. The only errors are those of the configuration.
func Open(ctx context.Context, c Config) (*Pool, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, errors.New("the database URL cannot be parsed (it is not shown: it may hold a password)")
	}
	if c.MaxConns < 1 || c.MaxConns > math.MaxInt32 {
		return nil, fmt.Errorf("a pool has 1 to %d connections, not %d", math.MaxInt32, c.MaxConns)
	}
	needs, err := schemaVersion()
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = int32(c.MaxConns), int32(c.MaxConns)
	config.MaxConnLifetimeJitter = lifetimeJitter
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.BuildContextWatcherHandler = cancelStatement
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pool{pool: pool, schemas: c.Schemas, needs: needs, stop: stop, refill: make(chan struct{}, 1)}
	p.lost(errors.New("connecting"))
	p.filling.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-p.refill:
				p.fill(ctx)
			}
		}
	})
	return p, nil
}

// cancelStatement has Postgres end the statement of a cancelled request, so that the connection lives on. pgx's own way
// is to close the connection: under a burst of cancelled requests the pool would do little but reconnect.
func cancelStatement(c *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelTimeout}
}

// lost has all connections opened before anything else is sent to the database. (If each request opened its own when a lost
// database is back, a burst of them would have it so busy with logins that they all time out, and again.) The loss of some
// connections is no such thing: pgxpool makes it up as they are needed.
func (p *Pool) lost(why error) {
	if p.fillErr.CompareAndSwap(nil, &why) {
		p.refill <- struct{}{} // there is room: fill, which empties it, ends before fillErr is nil again
	}
}

// fill opens all connections, however often it takes.
func (p *Pool) fill(ctx context.Context) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, maxFillWait) {
		err := p.fillOnce(ctx)
		if err == nil {
			p.fillErr.Store(nil)
			return
		}
		p.fillErr.Store(&err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// fillOnce holds every connection at the same time, which makes the pool open them all.
func (p *Pool) fillOnce(ctx context.Context) error {
	limit := p.pool.Config().MaxConns
	acquire := func() (*pgxpool.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*connectTimeout) // of a database that hangs
		defer cancel()
		return p.pool.Acquire(ctx)
	}
	for n := range limit {
		c, err := acquire()
		if err != nil {
			return fmt.Errorf("%d of %d connections are open: %w", n, limit, err)
		}
		defer c.Release()
	}
	p.filled.Store(p.pool.Stat().NewConnsCount())
	return nil
}

// Close closes all connections, after those in use have come back.
func (p *Pool) Close() {
	p.stop()
	p.filling.Wait()
	p.pool.Close()
}

// PoolStats is what a pool did since it was opened, and what it does now.
type PoolStats struct {
	Max               int     `json:"max"`                // connections it may have
	Total             int     `json:"total"`              // connections it has, or is opening
	Idle              int     `json:"idle"`               // of these
	InUse             int     `json:"in_use"`             // by a statement or a transaction
	MaxInUse          int     `json:"max_in_use"`         // ever, at the same time
	Acquires          int64   `json:"acquires"`           // that got a connection
	EmptyAcquires     int64   `json:"empty_acquires"`     // of these, had to wait for one
	CancelledAcquires int64   `json:"cancelled_acquires"` // whose request ended before there was one
	AcquireWaitMS     float64 `json:"acquire_wait_ms"`    // all the waiting of EmptyAcquires, in milliseconds
	Opened            int64   `json:"opened"`             // connections ever begun
	Restarts          int64   `json:"restarts"`           // work begun again: a deadlock, or a schema changed under it
}

// Stats returns the pool's statistics.
func (p *Pool) Stats() PoolStats {
	s := p.pool.Stat()
	return PoolStats{
		Max:               int(s.MaxConns()),
		Total:             int(s.TotalConns()),
		Idle:              int(s.IdleConns()),
		InUse:             int(p.inUse.Load()),
		MaxInUse:          int(p.maxInUse.Load()),
		Acquires:          s.AcquireCount(),
		EmptyAcquires:     s.EmptyAcquireCount(),
		CancelledAcquires: s.CanceledAcquireCount(),
		AcquireWaitMS:     float64(s.EmptyAcquireWaitTime().Microseconds()) / 1e3,
		Opened:            s.NewConnsCount(),
		Restarts:          p.restarts.Load(),
	}
}

// attempts bounds how often work that Postgres took back is tried.
const attempts = 4

// do runs work on a connection and returns its error as one of the shop's, where s says what the work is about. Every
// statement of the shop goes through here: the one place that starts again, from the beginning and on the same
// connection, where Postgres took the work back and says that a second try can succeed.
func (p *Pool) do(ctx context.Context, s subject, work func(*pgx.Conn) error) error {
	c, err := p.acquire(ctx)
	if err != nil {
		return shopError(ctx, unsent{err}, s)
	}
	p.took()
	defer c.Release()
	defer p.inUse.Add(-1) // before the release, so that a connection is never counted twice
	for attempt := 1; ; attempt++ {
		if err = work(c.Conn()); err == nil {
			return nil
		}
		if attempt == attempts || !startAgain(err) || ctx.Err() != nil {
			break
		}
		p.restarts.Add(1)
	}
	if c.Conn().IsClosed() {
		err = broken{err}
	}
	return shopError(ctx, err, s)
}

// acquire waits for a connection. There is none where the database is lost: where none is left and none can be made.
func (p *Pool) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if why := p.fillErr.Load(); why != nil {
		return nil, *why
	}
	c, err := p.pool.Acquire(ctx)
	if e := new(pgconn.ConnectError); errors.As(err, &e) && ctx.Err() == nil {
		if s := p.pool.Stat(); s.TotalConns() == s.ConstructingConns() {
			p.lost(err)
		}
	}
	return c, err
}

// took counts a connection in use. pgxpool's AfterRelease hook would start a goroutine for each release to say the same.
func (p *Pool) took() {
	n := p.inUse.Add(1)
	for {
		highest := p.maxInUse.Load()
		if n <= highest || p.maxInUse.CompareAndSwap(highest, n) {
			return
		}
	}
}

// inTx runs a transaction (READ COMMITTED) in two round trips: begin and what read queues, then what write queues and
// commit. Where write returns an error, or anything fails, all of it is rolled back. Both may run more than once.
func (p *Pool) inTx(ctx context.Context, s subject, read func(*pgx.Batch), write func(*pgx.Batch) error) error {
	return p.do(ctx, s, func(c *pgx.Conn) error {
		var first, second pgx.Batch
		first.BeginTx(pgx.TxOptions{})
		read(&first)
		if err := c.SendBatch(ctx, &first).Close(); err != nil {
			rollBack(ctx, c)
			return err
		}
		if err := write(&second); err != nil {
			rollBack(ctx, c)
			return err
		}
		second.Queue("COMMIT")
		if err := c.SendBatch(ctx, &second).Close(); err != nil {
			rollBack(ctx, c)
			return commitSent{err}
		}
		return nil
	})
}

// rollBack ends the transaction of c, so that c can be used again, also where ctx is done. A connection on which even that
// fails is closed by the pool.
func rollBack(ctx context.Context, c *pgx.Conn) {
	if c.IsClosed() || c.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	if _, err := c.Exec(ctx, "ROLLBACK"); err != nil {
		_ = c.Close(ctx) // it is of no more use; what went wrong is in the error that led here
	}
}
