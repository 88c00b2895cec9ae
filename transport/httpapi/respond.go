package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"splitshop/domain"
)

// retryAfter is how many seconds a client waits before it repeats a request that was not carried out.
const retryAfter = "1"

// write sends every answer of this API. An empty mediaType is an answer without a body.
func write(w http.ResponseWriter, status int, mediaType string, body []byte) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if mediaType != "" {
		h.Set("Content-Type", mediaType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	w.Write(body) // an error means that nobody is left to tell
}

// writeJSON sends v. Nothing is escaped for HTML: a name comes back as it is.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	return writeDocument(w, status, "application/json", v)
}

func writeDocument(w http.ResponseWriter, status int, mediaType string, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	write(w, status, mediaType, body.Bytes())
	return nil
}

// fail answers a request that err ended, and logs what somebody has to look into.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	row, doc := documentOf(err)
	level := slog.LevelError
	if errors.Is(r.Context().Err(), context.Canceled) {
		level = slog.LevelDebug // the client went away: what that broke is no fault
		w.(*answer).clientGone = true
	}
	if row.status == http.StatusInternalServerError || row.status == http.StatusBadGateway {
		a.options.Log.LogAttrs(r.Context(), level, "request failed",
			slog.String("route", route(r)), slog.Int("status", row.status), slog.Any("error", err))
	}
	writeProblem(w, row, doc)
}

// writeProblem sends a problem document.
func writeProblem(w http.ResponseWriter, row problem, doc problemJSON) {
	if row.kind == domain.Unavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	_ = writeDocument(w, row.status, "application/problem+json", doc) // strings and numbers: always encodes
}
