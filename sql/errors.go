package sql

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"splitshop/domain"
)

// The conditions of Postgres that mean something to the shop (its manual's appendix A).
const (
	featureNotSupported  = "0A000" // of the shop's statements only "cached plan must not change result type"
	checkViolation       = "23514"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	undefinedTable       = "42P01"
	tooManyConnections   = "53300"
	lockNotAvailable     = "55P03" // lock_timeout
	queryCanceled        = "57014" // by us, or statement_timeout
	adminShutdown        = "57P01"
	cannotConnectNow     = "57P03" // it starts up or shuts down
	connectionException  = "08"    // a class
)

// subject is what a piece of work is about, for the words of its refusals.
type subject struct {
	notFound func() error     // what a result without rows means; nil: it cannot be
	product  domain.ProductID // whose line a refused quantity is
}

// What the place that ran the work knows about its error, beyond what pgx says.
type (
	unsent     struct{ error } // nothing was sent to the database
	broken     struct{ error } // the connection is closed now
	commitSent struct{ error } // a commit was under way: even an answer "terminated" does not say that it was not done
)

func (e unsent) Unwrap() error     { return e.error }
func (e broken) Unwrap() error     { return e.error }
func (e commitSent) Unwrap() error { return e.error }

// shopError is the one place that says what an error of pgx means to the shop. Errors that are the shop's already stay as
// they are; the cause always stays inside, for the log.
func shopError(ctx context.Context, err error, s subject) error {
	var (
		shop       *domain.Error
		refused    *pgconn.PgError
		notReached *pgconn.ConnectError
	)
	switch {
	case errors.As(err, &shop):
		return err
	case errors.Is(err, pgx.ErrNoRows) && s.notFound != nil:
		return s.notFound()
	case errors.As(err, &notReached) && ctx.Err() == nil:
		return domain.Wrap(domain.Unavailable, err)
	case errors.As(err, &refused):
		return refusal(err, refused, s)
	case ctx.Err() != nil:
		return domain.Wrap(domain.Deadline, err)
	case errors.As(err, new(unsent)), pgconn.SafeToRetry(err):
		return domain.Wrap(domain.Unavailable, err)
	case errors.As(err, new(broken)):
		return domain.Wrap(domain.MayHaveExecuted, err)
	default:
		return domain.Wrap(domain.Internal, err)
	}
}

// refusal says what an answer of Postgres means.
func refusal(err error, e *pgconn.PgError, s subject) error {
	switch {
	case e.Code == checkViolation && e.ConstraintName == "carts_lines_check":
		return domain.CartFull()
	case e.Code == checkViolation && e.ConstraintName == "items_quantity_check":
		return domain.LineFull(s.product)
	case e.Code == queryCanceled:
		return domain.Wrap(domain.Deadline, err)
	case e.Code == adminShutdown && errors.As(err, new(commitSent)), strings.HasPrefix(e.Code, connectionException):
		return domain.Wrap(domain.MayHaveExecuted, err)
	case e.Code == adminShutdown, e.Code == cannotConnectNow, e.Code == tooManyConnections, e.Code == lockNotAvailable:
		return domain.Wrap(domain.Unavailable, err)
	default:
		return domain.Wrap(domain.Internal, err)
	}
}

// startAgain says whether Postgres took the work back and a second try can succeed. (After an error pgx forgets the
// prepared statement, so the second try has a new plan.)
func startAgain(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case serializationFailure, deadlockDetected, featureNotSupported:
		return true
	}
	return false
}
