package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"splitshop/domain"
)

// What Options.Observe is told where there is no route or no status to tell.
const (
	NoRoute          = "none" // no route matched
	StatusClientGone = "499"  // the client went away before its answer
)

// answer is a ResponseWriter that remembers its status for the observer.
type answer struct {
	http.ResponseWriter
	status     int // 0: nothing was sent
	clientGone bool
}

// WriteHeader is documented at http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// observe tells the observer of each request once, after everything else.
func (a *api) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		ans := &answer{ResponseWriter: w}
		defer func() {
			if a.options.Observe == nil {
				return
			}
			status := StatusClientGone
			if ans.status != 0 && !ans.clientGone {
				status = strconv.Itoa(ans.status)
			}
			a.options.Observe(route(r), status, time.Since(start))
		}()
		next.ServeHTTP(ans, r)
	})
}

// route names a request's route by method and pattern, so that it holds no id.
func route(r *http.Request) string {
	pattern := chi.RouteContext(r.Context()).RoutePattern()
	if pattern == "" {
		return NoRoute
	}
	return r.Method + " " + pattern
}

// recover makes a 500 and a log line of a panic. Once an answer has begun, the connection is cut instead: half an answer
// must not look like a whole one.
func (a *api) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			a.options.Log.LogAttrs(r.Context(), slog.LevelError, "panic",
				slog.String("route", route(r)), slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			if w.(*answer).status != 0 {
				panic(http.ErrAbortHandler)
			}
			clear(w.Header())
			row, doc := documentOf(domain.Internal)
			writeProblem(w, row, doc)
		}()
		next.ServeHTTP(w, r)
	})
}

// gate answers 503 while the shop is not ready.
func (a *api) gate(next http.Handler) http.Handler {
	if a.options.Ready == nil {
		return next
	}
	notReady := &domain.Error{Kind: domain.Unavailable, Detail: "the shop is not ready; nothing was done, try again"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.options.Ready() {
			a.fail(w, r, notReady)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// deadline bounds a request's work.
func (a *api) deadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), a.options.Deadline)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
