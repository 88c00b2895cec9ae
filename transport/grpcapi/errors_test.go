package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/protoadapt"

	"splitshop/domain"
	"splitshop/transport/grpcapi/shoppb"
)

// TestErrorTable holds the codes and reasons to what is on the wire of a system half of which is updated.
func TestErrorTable(t *testing.T) {
	t.Parallel()
	want := map[domain.Kind]wireError{
		domain.Invalid:         {domain.Invalid, codes.InvalidArgument, "INVALID"},
		domain.NotFound:        {domain.NotFound, codes.NotFound, "NOT_FOUND"},
		domain.Conflict:        {domain.Conflict, codes.FailedPrecondition, "CONFLICT"},
		domain.Unavailable:     {domain.Unavailable, codes.Unavailable, "UNAVAILABLE"},
		domain.Deadline:        {domain.Deadline, codes.DeadlineExceeded, "DEADLINE"},
		domain.MayHaveExecuted: {domain.MayHaveExecuted, codes.Unknown, "MAY_HAVE_EXECUTED"},
		domain.Internal:        {domain.Internal, codes.Internal, "INTERNAL"},
	}
	for _, kind := range domain.Kinds {
		row := slices.IndexFunc(errorTable, func(row wireError) bool { return row.kind == kind })
		if row < 0 || errorTable[row] != want[kind] {
			t.Errorf("%q is in row %d, want %v", kind, row, want[kind])
		}
	}
	if len(errorTable) != len(domain.Kinds) {
		t.Errorf("%d rows for %d kinds", len(errorTable), len(domain.Kinds))
	}
}

// public is what crosses of an error.
type public struct {
	Kind          domain.Kind
	Detail, Field string
}

const secret = "password=hunter2"

// TestErrorsCross sends each kind, with and without a field, and errors of no kind, and looks at both what the client makes
// of it and what was on the wire.
func TestErrorsCross(t *testing.T) {
	type sent struct {
		name string
		err  error
		want public
		code codes.Code
	}
	tests := []sent{
		{"plain", errors.New(secret), public{Kind: domain.Internal, Detail: "internal error"}, codes.Internal},
		{"ended context", fmt.Errorf(secret+": %w", context.DeadlineExceeded),
			public{Kind: domain.Deadline, Detail: domain.Describe(domain.Deadline).Detail}, codes.DeadlineExceeded},
		{"no words", &domain.Error{Kind: domain.Conflict}, public{Kind: domain.Conflict}, codes.FailedPrecondition},
		{"words of all sorts", &domain.Error{Kind: domain.Invalid, Detail: "100 % naïve\n→ 🛒", Field: "größe"},
			public{Kind: domain.Invalid, Detail: "100 % naïve\n→ 🛒", Field: "größe"}, codes.InvalidArgument},
	}
	for _, row := range errorTable {
		for _, field := range []string{"", "quantity"} {
			e := &domain.Error{Kind: row.kind, Detail: "what may be read", Field: field, Err: errors.New(secret)}
			tests = append(tests, sent{
				name: fmt.Sprintf("%s/field=%s", row.kind, field),
				err:  fmt.Errorf("context with %s: %w", secret, e),
				want: public{Kind: row.kind, Detail: "what may be read", Field: field},
				code: row.code,
			})
		}
	}
	overNetworks(t, func(t *testing.T, network string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				conn := connect(t, network, options(), itemsFunc(
					func(context.Context, domain.CartID) ([]domain.Item, error) { return nil, test.err },
				).register)

				_, err := NewCarts(conn).Items(t.Context(), domain.NewCartID())
				checkError(t, err, test.want)

				_, err = shoppb.NewCartsClient(conn).Items(t.Context(), &shoppb.ItemsRequest{CartId: make([]byte, 16)})
				if got := status.Code(err); got != test.code {
					t.Errorf("code = %v, want %v", got, test.code)
				}
				if wire := prototext.Format(status.Convert(err).Proto()); strings.Contains(wire, secret) {
					t.Errorf("the cause crossed:\n%s", wire)
				}
			})
		}
	})
}

// checkError checks that err is a *domain.Error, what it says, and that it is of its own kind and no other.
func checkError(t *testing.T, err error, want public) {
	t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, want a *domain.Error", err)
	}
	if diff := cmp.Diff(want, public{Kind: e.Kind, Detail: e.Detail, Field: e.Field}); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	for _, kind := range domain.Kinds {
		if got := errors.Is(err, kind); got != (kind == want.Kind) {
			t.Errorf("errors.Is(err, %q) = %v for %v", kind, got, err)
		}
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("the cause crossed: %v", err)
	}
}

// TestForeignErrors reads statuses that toStatus did not write.
func TestForeignErrors(t *testing.T) {
	t.Parallel()
	info := func(code codes.Code, domainName, reason string) error {
		detail := protoadapt.MessageV1(&errdetails.ErrorInfo{Domain: domainName, Reason: reason})
		st, err := status.New(code, "what gRPC says").WithDetails(detail)
		if err != nil {
			t.Fatal(err)
		}
		return st.Err()
	}
	tests := []struct {
		name string
		err  error
		sent bool
		want domain.Kind
	}{
		{"never sent", status.Error(codes.Unavailable, "what gRPC says"), false, domain.Unavailable},
		{"broken after sending", status.Error(codes.Unavailable, "what gRPC says"), true, domain.MayHaveExecuted},
		{"canceled", status.Error(codes.Canceled, "what gRPC says"), true, domain.Deadline},
		{"deadline", status.Error(codes.DeadlineExceeded, "what gRPC says"), true, domain.Deadline},
		{"deadline before sending", status.Error(codes.DeadlineExceeded, "what gRPC says"), false, domain.Deadline},
		{"unknown method", status.Error(codes.Unimplemented, "what gRPC says"), true, domain.Internal},
		{"message too large", status.Error(codes.ResourceExhausted, "what gRPC says"), true, domain.Internal},
		{"our code without our details", status.Error(codes.NotFound, "what gRPC says"), true, domain.Internal},
		{"no status at all", errors.New("what gRPC says"), true, domain.Internal},
		{"another's details", info(codes.NotFound, "elsewhere.example", "NOT_FOUND"), true, domain.Internal},
		{"a reason of the future", info(codes.NotFound, errorDomain, "SOLD_OUT"), true, domain.Internal},
		{"the code is not asked where the details are ours", info(codes.Unknown, errorDomain, "NOT_FOUND"), true, domain.NotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := fromStatus(test.err, test.sent)
			if got := domain.KindOf(err); got != test.want {
				t.Errorf("kind = %q, want %q", got, test.want)
			}
			if !strings.Contains(err.Error(), "what gRPC says") {
				t.Errorf("%q lost the cause", err)
			}
		})
	}
}

// TestUnknownKind: a kind that the table lacks leaves as a fault of ours, never as success.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	if slices.Contains(domain.Kinds, "sold out") {
		t.Fatal("choose another kind")
	}
	if got := status.Code(toStatus(&domain.Error{Kind: "sold out", Detail: "none left"})); got != codes.Internal {
		t.Errorf("code = %v, want Internal", got)
	}
}
