package process

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// checkTimeout bounds one round of readiness checks.
const checkTimeout = 2 * time.Second

// adminHandler serves what operators and probes ask for. It is not for the public: by default it listens on loopback.
func (p *Process) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", p.readyz)
	mux.HandleFunc("GET /stats", p.statsPage)
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{}))
	if p.flags.Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

func (p *Process) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	err := p.CheckReady(ctx)
	if err == nil && !p.Started() {
		p.phase.CompareAndSwap(starting, started) // it is ready: what asked first may say so
	}
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "not ready: "+mask(err.Error()), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// statsPage answers with what this process knows of itself, as JSON.
func (p *Process) statsPage(w http.ResponseWriter, _ *http.Request) {
	page := struct {
		Service    string         `json:"service"`
		Version    string         `json:"version"`
		Go         string         `json:"go"`
		PID        int            `json:"pid"`
		GOMAXPROCS int            `json:"gomaxprocs"`
		Goroutines int            `json:"goroutines"`
		UptimeMS   int64          `json:"uptime_ms"`
		Stats      map[string]any `json:"stats"`
	}{
		p.app.Name, Version(), runtime.Version(), os.Getpid(), runtime.GOMAXPROCS(0), runtime.NumGoroutine(),
		time.Since(p.begun).Milliseconds(), p.collect(),
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(page); err != nil {
		p.Log.Warn("the statistics page", "error", err)
	}
}
