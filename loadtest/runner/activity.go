package runner

import (
	"context"
	"fmt"
	"strconv"

	"splitshop/pgserver"
)

// Activity is what Postgres did for a design at one moment.
type Activity struct {
	Active  int   // backends that execute a statement
	Waiting int   // of these, for anything: a lock, the disk, the log
	Locked  int   // of these, for a lock that another transaction holds
	WAL     int64 // bytes of write-ahead log that the server ever wrote
}

const activityQuery = `SELECT count(*) FILTER (WHERE state = 'active'),
	count(*) FILTER (WHERE state = 'active' AND wait_event_type IS NOT NULL),
	count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock'),
	pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')
	FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`

// ActivityWatch is a connection over which Activity is read: one statement a look, of well under a millisecond of Postgres's
// CPU. It is for one goroutine at a time.
type ActivityWatch struct{ session *pgserver.Session }

// WatchActivity connects to the design's database. It is nil where there is no Postgres of ours.
func (r *Running) WatchActivity(ctx context.Context) (*ActivityWatch, error) {
	if r.connect == nil {
		return nil, nil
	}
	session, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	return &ActivityWatch{session}, nil
}

// Look reads the counters. After an error the watch is of no more use.
func (w *ActivityWatch) Look(ctx context.Context) (a Activity, err error) {
	rows, err := w.session.Query(ctx, activityQuery)
	if err != nil {
		return a, err
	}
	if len(rows) != 1 || len(rows[0]) != 4 {
		return a, fmt.Errorf("activity of Postgres: %q", rows)
	}
	var n [4]int64
	for i, text := range rows[0] {
		if n[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return a, fmt.Errorf("activity of Postgres: %w", err)
		}
	}
	return Activity{Active: int(n[0]), Waiting: int(n[1]), Locked: int(n[2]), WAL: n[3]}, nil
}

// Close ends the watch.
func (w *ActivityWatch) Close() error { return w.session.Close() }
