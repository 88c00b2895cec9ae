package grpcapi

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"splitshop/domain"
)

// errorDomain is the ErrorInfo.Domain of the shop's own errors: what tells them from those gRPC makes itself.
const errorDomain = "splitshop"

// wireError is how one kind travels: the code for whoever knows gRPC only, the reason (of an ErrorInfo) for our client.
type wireError struct {
	kind   domain.Kind
	code   codes.Code
	reason string
}

// errorTable is read both ways. MayHaveExecuted is Unknown, which is what is known, and not Aborted: that code tells clients
// to try again.
var errorTable = []wireError{
	{domain.Invalid, codes.InvalidArgument, "INVALID"},
	{domain.NotFound, codes.NotFound, "NOT_FOUND"},
	{domain.Conflict, codes.FailedPrecondition, "CONFLICT"},
	{domain.Unavailable, codes.Unavailable, "UNAVAILABLE"},
	{domain.Deadline, codes.DeadlineExceeded, "DEADLINE"},
	{domain.MayHaveExecuted, codes.Unknown, "MAY_HAVE_EXECUTED"},
	{domain.Internal, codes.Internal, "INTERNAL"},
}

// toStatus returns e as it crosses: kind, detail and field, never the cause.
func toStatus(e *domain.Error) error {
	for _, row := range errorTable {
		if row.kind != e.Kind {
			continue
		}
		details := []protoadapt.MessageV1{&errdetails.ErrorInfo{Domain: errorDomain, Reason: row.reason}}
		if e.Field != "" {
			details = append(details, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
				{Field: e.Field, Description: e.Detail},
			}})
		}
		if st, err := status.New(row.code, e.Detail).WithDetails(details...); err == nil {
			return st.Err()
		}
	}
	return status.Error(codes.Internal, "an error that cannot be described")
}

// fromStatus returns what a client makes of a failed call. The shop's own errors come back as they were sent. The others are
// gRPC's: sent says whether a stream was ever opened, so whether a server can have seen the request.
func fromStatus(err error, sent bool) error {
	st := status.Convert(err)
	if e := shopError(st); e != nil {
		return e
	}
	switch st.Code() {
	case codes.Canceled, codes.DeadlineExceeded:
		return domain.Wrap(domain.Deadline, err)
	case codes.Unavailable:
		if !sent {
			return domain.Wrap(domain.Unavailable, err)
		}
		return domain.Wrap(domain.MayHaveExecuted, err)
	default:
		return domain.Wrap(domain.Internal, err)
	}
}

// shopError reads what toStatus wrote, nil where another wrote it.
func shopError(st *status.Status) *domain.Error {
	var e *domain.Error
	var field string
	for _, detail := range st.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			for _, row := range errorTable {
				if d.GetDomain() == errorDomain && d.GetReason() == row.reason {
					e = &domain.Error{Kind: row.kind, Detail: st.Message()}
				}
			}
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				field = v.GetField()
			}
		}
	}
	if e != nil {
		e.Field = field
	}
	return e
}
