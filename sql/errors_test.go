package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"splitshop/domain"
)

func TestShopError(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return &pgconn.PgError{Code: code, Message: "m"} }
	check := func(constraint string) error {
		return &pgconn.PgError{Code: checkViolation, ConstraintName: constraint}
	}
	tests := []struct {
		name  string
		err   error
		ended bool // the request's context is done
		want  error
	}{
		{name: "no rows", err: pgx.ErrNoRows, want: domain.NoCart()},
		{name: "no rows, wrapped", err: fmt.Errorf("w: %w", pgx.ErrNoRows), want: domain.NoCart()},
		{name: "the shop's own stays", err: fmt.Errorf("w: %w", domain.CartEmpty()), want: domain.CartEmpty()},
		{name: "the shop's own stays when time is out", err: domain.CartEmpty(), ended: true, want: domain.CartEmpty()},
		{name: "line 101", err: check("carts_lines_check"), want: domain.CartFull()},
		{name: "quantity 1000", err: check("items_quantity_check"), want: domain.LineFull(7)},
		{name: "any other check", err: check("products_name_check"), want: domain.Internal},
		{name: "unique", err: pg("23505"), want: domain.Internal},
		{name: "privilege", err: pg("42501"), want: domain.Internal},
		{name: "deadlock, again and again", err: pg(deadlockDetected), want: domain.Internal},
		{name: "cancelled", err: pg(queryCanceled), ended: true, want: domain.Deadline},
		{name: "statement_timeout", err: pg(queryCanceled), want: domain.Deadline},
		{name: "lock_timeout", err: pg(lockNotAvailable), want: domain.Unavailable},
		{name: "terminated in a statement", err: broken{pg(adminShutdown)}, want: domain.Unavailable},
		{name: "terminated in a commit", err: broken{commitSent{pg(adminShutdown)}}, want: domain.MayHaveExecuted},
		{name: "starting up", err: pg(cannotConnectNow), want: domain.Unavailable},
		{name: "no slot", err: pg(tooManyConnections), want: domain.Unavailable},
		{name: "connection failure as answer", err: pg("08006"), want: domain.MayHaveExecuted},
		{name: "not reached", err: unsent{&pgconn.ConnectError{Config: &pgconn.Config{}}}, want: domain.Unavailable},
		{name: "closed pool", err: unsent{errors.New("closed pool")}, want: domain.Unavailable},
		{name: "no connection in time", err: unsent{context.DeadlineExceeded}, ended: true, want: domain.Deadline},
		{name: "not sent", err: broken{fmt.Errorf("w: %w", safe{})}, want: domain.Unavailable},
		{name: "cut after sending", err: broken{io.ErrUnexpectedEOF}, want: domain.MayHaveExecuted},
		{name: "cut in a commit", err: broken{commitSent{io.ErrUnexpectedEOF}}, want: domain.MayHaveExecuted},
		{name: "cut because time is out", err: broken{io.ErrUnexpectedEOF}, ended: true, want: domain.Deadline},
		{name: "unknown", err: errors.New("can't scan"), want: domain.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.ended {
				cancel()
			}
			got := shopError(ctx, tt.err, subject{notFound: domain.NoCart, product: 7})
			if domain.KindOf(got) != domain.KindOf(tt.want) {
				t.Fatalf("kind %q, want %q: %v", domain.KindOf(got), domain.KindOf(tt.want), got)
			}
			var want *domain.Error
			if errors.As(tt.want, &want) && domain.Describe(got).Detail != want.Detail {
				t.Errorf("says %q, want %q", domain.Describe(got).Detail, want.Detail)
			}
			if k := domain.KindOf(got); (k == domain.Internal || k == domain.Unavailable) && !errors.Is(got, tt.err) {
				t.Errorf("the cause is lost: %v", got)
			}
		})
	}
}

func TestNoRowsWhereThereMustBeOne(t *testing.T) {
	t.Parallel()
	if got := shopError(t.Context(), pgx.ErrNoRows, subject{}); domain.KindOf(got) != domain.Internal {
		t.Errorf("got %v, want Internal", got)
	}
}

// safe is an error of pgconn that says it happened before anything was sent.
type safe struct{}

func (safe) Error() string     { return "not sent" }
func (safe) SafeToRetry() bool { return true }
