package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/domain/smoke"
	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/transport/httpapi"
)

// serveShop serves the real public API over the in-memory shop on a real socket.
func serveShop(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	memory := domaintest.NewMemory()
	for i := range 60 {
		if _, err := memory.AddProduct(t.Context(), fmt.Sprintf("product %d", i), domain.Cents(100)); err != nil {
			t.Fatal(err)
		}
	}
	h := httpapi.Public(memory.Shop(), httpapi.Options{})
	if wrap != nil {
		h = wrap(h)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// lab runs a command as main does.
func runLab(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(ctx, args, &out, &err)
	return code, out.String(), err.String()
}

// readResult reads a result and checks the report beside it.
func readResult(t *testing.T, dir string) result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.txt", "report.html"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	return r
}

func TestUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		args       []string
	}{
		{"no command", "", nil},
		{"unknown command", "unexpected argument", []string{"race"}},
		{"unknown flag", "unknown flag", []string{"ramp", "--fast"}},
		{"unknown design", `no design "nano"`, []string{"ramp", "--design", "mono,nano"}},
		{"unknown mix", "--mix must be one of", []string{"closed", "--mix", "refunds"}},
		{"unknown scale", "--scale must be one of", []string{"closed", "--scale", "huge"}},
		{"unknown arrivals", "--arrivals must be one of", []string{"ramp", "--arrivals", "bursts"}},
		{"unknown client", "--client must be one of", []string{"ramp", "--client", "curl"}},
		{"design and URL", "give one of them", []string{"ramp", "--design", "mono", "--url", "http://127.0.0.1:1"}},
		{"containers and URL", "give one of them", []string{"ramp", "--in", "containers", "--url", "http://127.0.0.1:1"}},
		{"quotas of processes", "--quotas is for containers", []string{"closed", "--quotas", "even"}},
		{"unknown place", "--in must be one of", []string{"closed", "--in", "space"}},
		{"no such design in containers", `no design "micro-unix" in containers`,
			[]string{"closed", "--in", "containers", "--design", "micro-unix"}},
		{"no steps", "--steps", []string{"ramp", "--steps", "0"}},
		{"negative base", "--base", []string{"ramp", "--base=-1"}},
		{"no design", `no design ""`, []string{"ramp", "--design", ""}},
		{"no URL", "--url: an address is", []string{"ramp", "--url", ""}},
		{"another scheme", "--url: an address is", []string{"ramp", "--url", "https://127.0.0.1:1"}},
		{"URL with a query", "--url: an address is", []string{"ramp", "--url", "http://127.0.0.1:1?limit=1"}},
		{"URL with a password", "--url: an address is", []string{"closed", "--url", "http://me:secret@127.0.0.1:1"}},
		{"no socket", "--url: an address is", []string{"ramp", "--url", "unix:"}},
		{"base that is no number", "--base", []string{"ramp", "--base", "NaN"}},
		{"infinite base", "--base", []string{"ramp", "--base", "Inf"}},
		{"base that cannot be offered", "step 1: 2e+08/s", []string{"ramp", "--base", "1e9"}},
		{"base that offers nothing", "step 1: 0.1/s", []string{"ramp", "--base", "0.5", "--step", "1s"}},
		{"requirement that is no number", "--require", []string{"ramp", "--require", "NaN"}},
		{"infinite requirement", "--require", []string{"ramp", "--require", "Inf"}},
		{"failures that are no number", "--slo-failures", []string{"ramp", "--slo-failures", "NaN"}},
		{"drops that are no share", "--slo-dropped", []string{"ramp", "--slo-dropped", "2"}},
		{"negative users", "--users", []string{"closed", "--users=-1"}},
		{"no SLO", "SLO", []string{"ramp", "--slo-p99", "0s"}},
		{"no rate", "missing flags: --rate", []string{"fixed"}},
		{"rate of nothing", "--rate is 0 and must be above 0 and at most 10000000", []string{"fixed", "--rate", "0"}},
		{"rate that is no number", "--rate is NaN", []string{"fixed", "--rate", "NaN"}},
		{"rate that cannot be offered", "at most 10000000", []string{"fixed", "--rate", "1e8"}},
		{"rate that offers nothing", "0.01/s for 1s", []string{"fixed", "--rate", "0.01", "--duration", "1s"}},
		{"negative duration of a rate", "--duration is -1s and must be above 0", []string{"fixed", "--rate", "1", "--duration=-1s"}},
		{"too many repeats", "--repeats is 101 and must be 1 to 100", []string{"fixed", "--rate", "1", "--repeats", "101"}},
		{"more required than offered", "--require is 11 and must be at most --rate, 10", []string{"fixed", "--rate", "10", "--require", "11"}},
		{"negative start", "--from is -1 and must be above 0", []string{"search", "--from=-1"}},
		{"start that offers nothing", "0.01/s for 1s", []string{"search", "--from", "0.01", "--step", "1s"}},
		{"end before the start", "--max is 5 and must be at least --from, 10", []string{"search", "--from", "10", "--max", "5"}},
		{"end that cannot be offered", "--max is +Inf and must be", []string{"search", "--max", "Inf"}},
		{"no climb", "--factor is 1 and must be at least 1.01", []string{"search", "--factor", "1"}},
		{"climb that is no number", "--factor is NaN", []string{"search", "--factor", "NaN"}},
		{"width in per cent", "--width is 5 and must be 0.01 to 1, for 1 % to 100 %", []string{"search", "--width", "5"}},
		{"too many searches", "--searches is 101 and must be 1 to 100", []string{"search", "--searches", "101"}},
		{"negative step", "--step and --confirm are -1s and 0s", []string{"search", "--step=-1s"}},
		{"no result to report", "expected", []string{"report"}},
		{"unknown format", "--format must be one of", []string{"report", "--format", "pdf", "result.json"}},
		{"negative duration", "--duration", []string{"closed", "--duration=-1s"}},
		{"comparing an address", "no use for --url", []string{"compare", "--url", "http://127.0.0.1:1"}},
		{"comparing one design", "--design mono is one", []string{"compare", "--design", "mono"}},
		{"comparing a design with itself", "names mono twice", []string{"compare", "--design", "mono,micro,mono"}},
		{"an odd number of repeats", "--repeats 5 is odd", []string{"compare", "--repeats", "5"}},
		{"one result to compare", "a.json alone", []string{"compare", "a.json"}},
		{"results to compare and what to measure", "--mix is for measuring", []string{"compare", "a.json", "b.json", "--mix", "browse"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := runLab(t.Context(), test.args...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "secret") {
				t.Errorf("exit %d, %q, %q; want 2 and %q", code, stdout, stderr, test.want)
			}
		})
	}
	if code, stdout, _ := runLab(t.Context(), "--help"); code != 0 || !strings.Contains(stdout, "closed") {
		t.Errorf("--help: exit %d, %q", code, stdout)
	}
}

func TestDesignsAddUp(t *testing.T) {
	t.Parallel()
	var c commands
	parser, err := kong.New(&c, kong.Vars(vars()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"ramp", "--design", "mono", "--design", "modular,micro"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(designs{"mono", "modular", "micro"}, c.Ramp.Design); diff != "" {
		t.Error(diff)
	}
}

// One lab at a time measures on a machine, so these are steps of one test.
func TestMeasuringAGivenURL(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // the lock is there: a lab that runs beside the tests is none of their business
	url := serveShop(t, nil)
	t.Run("ramp", func(t *testing.T) {
		dir := t.TempDir()
		code, stdout, stderr := runLab(t.Context(), "ramp", "--url", url, "--base", "200", "--steps", "2", "--step", "500ms", "--users", "16",
			"--warmup", "300ms", "--out", dir, "--json")
		r := readResult(t, dir)
		printed, err := result.Decode(strings.NewReader(stdout))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, printed); diff != "" {
			t.Error("printed and written differ:", diff)
		}
		d := r.Designs[0]
		if len(d.Steps) != 2 || d.Steps[0].Offered != 20 || d.Steps[1].Offered != 150 || d.Capacity == nil || d.Warmup == nil || r.Interrupted {
			t.Errorf("exit %d, %s\n%+v", code, stderr, d)
		}
		if s := d.Steps[1]; s.Succeeded+s.Dropped.Total() != 150 || s.Failed > 0 || s.FromDue == nil || s.FromDue.P50 < s.FromSend.P50 {
			t.Errorf("%+v", s)
		}
		if d.Warmup.Succeeded == 0 || !strings.Contains(stderr, "done in the last second") {
			t.Errorf("warm-up: %+v; progress: %s", d.Warmup, stderr)
		}
	})
	t.Run("closed", func(t *testing.T) {
		dir := t.TempDir()
		code, stdout, stderr := runLab(t.Context(), "closed", "--url", url, "--duration", "500ms", "--repeats", "2", "--warmup", "300ms", "--out", dir)
		r := readResult(t, dir)
		if len(r.Designs) != 2 || r.Designs[1].Repeat != 2 || r.Designs[0].Steps[0].FromDue != nil || r.Plan.Client != "own" ||
			!strings.Contains(stdout, "closed loop waits") {
			t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
		}
		if last := "report: " + filepath.Join(dir, "report.html") + "\n"; !strings.HasSuffix(stdout, last) {
			t.Errorf("it does not end with the report's path: %s", stdout)
		}
		again := filepath.Join(t.TempDir(), "again.html")
		if code, _, stderr := runLab(t.Context(), "report", "--format", "html", "--out", again, filepath.Join(dir, "result.json")); code != 0 {
			t.Fatalf("report: exit %d, %s", code, stderr)
		}
		first, firstErr := os.ReadFile(filepath.Join(dir, "report.html"))
		second, err := os.ReadFile(again)
		if firstErr != nil || err != nil || !bytes.Equal(first, second) {
			t.Errorf("made again, the page is another: %v, %v", firstErr, err)
		}
	})
	t.Run("fixed", func(t *testing.T) {
		dir := t.TempDir()
		code, stdout, stderr := runLab(t.Context(), "fixed", "--url", url, "--rate", "200", "--duration", "500ms", "--repeats", "2", "--users", "16",
			"--slo-failures", "0.5", "--slo-dropped", "0.5", "--slo-p99", "9s", "--require", "200", "--warmup", "300ms", "--out", dir)
		r := readResult(t, dir)
		if len(r.Designs) != 2 || r.Designs[1].Repeat != 2 || r.Designs[0].Capacity != nil || r.Mode != result.ModeFixed {
			t.Fatalf("exit %d, %s\n%+v", code, stderr, r)
		}
		if s := r.Designs[0].Steps[0]; s.Offered != 100 || s.OfferedPerSecond != 200 || s.FromDue == nil {
			t.Errorf("%+v", s)
		}
		if want := exitOf(r); code != want || !strings.Contains(stdout, "Fixed rate of mix: 200/s for 0.5 s, each design 2 times") {
			t.Errorf("exit %d, want %d: %s\n%s", code, want, stderr, stdout)
		}
	})
	t.Run("search", func(t *testing.T) {
		dir := t.TempDir()
		code, stdout, stderr := runLab(t.Context(), "search", "--url", url, "--mix", "browse", "--from", "300", "--max", "600", "--step", "200ms",
			"--confirm", "400ms", "--searches", "2", "--users", "16", "--slo-failures", "0.5", "--slo-dropped", "0.5", "--slo-p99", "9s",
			"--warmup", "300ms", "--out", dir)
		r := readResult(t, dir)
		if len(r.Designs) != 2 || r.Plan.Search == nil || r.Plan.Search.LongerS != 0.4 || r.Mode != result.ModeSearch {
			t.Fatalf("exit %d, %s\n%+v", code, stderr, r)
		}
		for _, d := range r.Designs { // on a slow machine a step may be INVALID: then that is what was found
			if c := d.Capacity; c.Status != result.NotValid && (c.Status != result.AtLeast || *c.Low != 600 || !d.Steps[2].Longer || d.Steps[2].Seconds != 0.4) {
				t.Errorf("%s: %+v\n%+v", stderr, c, d.Steps)
			}
		}
		if want := exitOf(r); code != want || !strings.Contains(stderr, "run 1 at 300/s: ") || !strings.Contains(stdout, "SEARCHES") {
			t.Errorf("exit %d, want %d: %s\n%s", code, want, stderr, stdout)
		}
	})
	t.Run("Ctrl-C", func(t *testing.T) {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var requests atomic.Int64
		slow := serveShop(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if requests.Add(1) > 3 { // those of the walk
					time.Sleep(50 * time.Millisecond)
				}
				h.ServeHTTP(w, r)
			})
		})
		go func() {
			for requests.Load() < 1000 { // the warm-up makes 16 every 50 ms, at most 96 in all; then the ramp has begun
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
		}()
		code, _, stderr := runLab(ctx, "ramp", "--url", slow, "--mix", "browse", "--base", "500", "--steps", "1", "--step", "1m",
			"--warmup", "300ms", "--out", dir)
		r := readResult(t, dir)
		if code != exitInvalid || !r.Interrupted || len(r.Designs) != 1 || !r.Designs[0].Interrupted || len(r.Designs[0].Steps) != 1 {
			t.Fatalf("exit %d, %s\n%+v", code, stderr, r)
		}
		if s := r.Designs[0].Steps[0]; s.Verdict.Outcome != result.Invalid || s.Succeeded == 0 || s.Seconds > 50 || s.Failed > 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("books", func(t *testing.T) { booksOfAShopThatForgets(t, url) })
	t.Run("not the shop", func(t *testing.T) { // in what no load looks at
		dir := t.TempDir()
		wrong := serveShop(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/orders/") {
					r.URL.Path = "/orders"
				}
				h.ServeHTTP(w, r)
			})
		})
		code, _, stderr := runLab(t.Context(), "closed", "--url", wrong, "--duration", "200ms", "--repeats", "1", "--warmup", "100ms", "--out", dir)
		if code != exitCouldNotRun || !strings.Contains(stderr, "not the shop as it should be: checking out") {
			t.Errorf("exit %d, %s", code, stderr)
		}
		if r := readResult(t, dir); len(r.Designs) != 0 || r.Smoke != smoke.Version {
			t.Errorf("%+v", r)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		dir := t.TempDir()
		code, _, stderr := runLab(t.Context(), "closed", "--url", "http://127.0.0.1:1", "--out", dir)
		if code != exitCouldNotRun || !strings.Contains(stderr, "not the shop as it should be: browsing") {
			t.Errorf("exit %d, %s", code, stderr)
		}
		if r := readResult(t, dir); len(r.Warnings) != 1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("files that cannot be written", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"result.json", "report.txt"} { // a folder of that name, as root writes where nobody may
			if err := os.MkdirAll(filepath.Join(dir, name, "taken"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"closed", "--url", url, "--duration", "200ms", "--repeats", "1", "--warmup", "100ms", "--out", dir}
		code, stdout, stderr := runLab(t.Context(), args...)
		if code != exitCouldNotRun || !strings.Contains(stdout, "closed loop waits") || strings.Contains(stdout, "result: ") {
			t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
		}
		for _, name := range []string{"result.json", "report.txt"} {
			if !strings.Contains(stderr, name) {
				t.Errorf("no word of %s: %s", name, stderr)
			}
		}
	})
	t.Run("another lab measures", func(t *testing.T) {
		release, err := runner.Lock()
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if code, _, stderr := runLab(t.Context(), "closed", "--url", url, "--out", t.TempDir()); code != exitCouldNotRun ||
			!strings.Contains(stderr, fmt.Sprint(os.Getpid())) {
			t.Errorf("exit %d, %s", code, stderr)
		}
	})
}

// booksOfAShopThatForgets runs each kind of load on a shop that keeps its last order only, as the one order of the smoke test needs it,
// and on one that keeps all.
func booksOfAShopThatForgets(t *testing.T, keeps string) {
	var last atomic.Value
	forgets := serveShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/orders/") && r.URL.Path != last.Load() {
				http.NotFound(w, r)
				return
			}
			h.ServeHTTP(w, r)
			if r.Method == http.MethodPost && r.URL.Path == "/orders" {
				last.Store(w.Header().Get("Location"))
			}
		})
	})
	loads := map[string][]string{
		"closed": {"--duration", "300ms", "--repeats", "1"},
		"fixed":  {"--rate", "100", "--duration", "300ms", "--repeats", "1"},
		"ramp":   {"--base", "200", "--steps", "2", "--step", "300ms"},
		"search": {"--from", "100", "--max", "200", "--step", "200ms", "--confirm", "200ms", "--searches", "1"},
	}
	for command, args := range loads {
		args = append([]string{command, "--mix", "checkout", "--slo-failures", "0.5", "--slo-dropped", "0.5", "--slo-p99", "9s",
			"--warmup", "100ms"}, args...)
		for _, url := range []string{keeps, forgets} {
			dir := t.TempDir()
			code, _, stderr := runLab(t.Context(), append(args, "--url", url, "--out", dir)...)
			r := readResult(t, dir)
			if len(r.Designs) != 1 || r.Designs[0].Books == nil {
				t.Fatalf("%s: exit %d, %s\n%+v", command, code, stderr, r)
			}
			d := r.Designs[0]
			if d.Books.Answered == 0 || d.Books.Made != nil || (d.Books.Missing > 0) != (url == forgets) || d.Books.Wrong > 0 {
				t.Errorf("%s: %+v", command, d.Books)
			}
			for _, s := range d.Steps {
				says := strings.Contains(strings.Join(s.Verdict.Reasons, ""), "that were answered do not exist")
				if says != (url == forgets) || says && (s.Verdict.Outcome != result.Invalid || s.Limiter != "" || s.RanOut != nil) {
					t.Errorf("%s: %+v", command, s.Verdict)
				}
			}
			if c := d.Capacity; c != nil && url == forgets && (c.Status != result.NotValid || c.Low != nil) {
				t.Errorf("%s: %+v", command, c)
			}
			if url == forgets && code != exitInvalid {
				t.Errorf("%s: exit %d", command, code)
			}
		}
	}
}

// exitOf is what a result's validity makes the exit code.
func exitOf(r result.Result) int {
	for _, d := range r.Designs {
		if d.Capacity != nil && d.Capacity.Status == result.NotValid || d.Capacity == nil && d.Steps[0].Verdict.Outcome == result.Invalid {
			return exitInvalid
		}
	}
	if r.Require != nil && len(r.Require.Missed) > 0 {
		return exitRequired
	}
	return exitMeasured
}

// Of searches the medians carry what is required, of a fixed rate each repeat.
func TestRequiredOfSearchesAndFixedRates(t *testing.T) {
	t.Parallel()
	found := func(name string, low float64) result.Design {
		high := low * 1.05
		return result.Design{Name: name, Capacity: &result.Capacity{Status: result.Found, Low: &low, High: &high}}
	}
	fixed := func(o result.Outcome) result.Design {
		return result.Design{Name: "a", Repeat: 1, Steps: []result.Step{{OfferedPerSecond: 400, AchievedPerSecond: 399, Verdict: result.Verdict{Outcome: o}}}}
	}
	for _, test := range []struct {
		name, mode string
		designs    []result.Design
		missed     string
	}{
		{"a median that carries it", result.ModeSearch, []result.Design{found("a", 390), found("a", 401), found("a", 410)}, ""},
		{"one that does not", result.ModeSearch, []result.Design{found("a", 401), found("b", 401), found("b", 380)}, "b"},
		{"nothing found", result.ModeSearch, []result.Design{{Name: "a", Capacity: &result.Capacity{Status: result.TooFewArrivals}}}, "a"},
		{"a rate that was carried", result.ModeFixed, []result.Design{fixed(result.Pass)}, ""},
		{"one that was not", result.ModeFixed, []result.Design{fixed(result.Fail)}, "a (1)"},
		{"too few arrivals", result.ModeFixed, []result.Design{fixed(result.Insufficient)}, "a (1)"},
	} {
		m := &measurement{res: result.Result{Mode: test.mode, Designs: test.designs}}
		m.require(&flags{Require: 400})
		if got := strings.Join(m.res.Require.Missed, ", "); got != test.missed {
			t.Errorf("%s: missed by %q, want %q", test.name, got, test.missed)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	low, high := 400.0, 500.0
	found := &result.Capacity{Status: result.Found, Low: &low, High: &high}
	step := func(o result.Outcome, rate float64) []result.Step {
		return []result.Step{{AchievedPerSecond: rate, Verdict: result.Verdict{Outcome: o}}}
	}
	tests := []struct {
		name    string
		designs []result.Design
		require float64
		want    int
	}{
		{"measured", []result.Design{{Capacity: found}}, 0, exitMeasured},
		{"required and kept", []result.Design{{Capacity: found}}, 400, exitMeasured},
		{"required and missed", []result.Design{{Capacity: found}}, 401, exitRequired},
		{"missed by one of two", []result.Design{{Capacity: found}, {Capacity: &result.Capacity{Status: result.Below, High: &low}}}, 300, exitRequired},
		{"invalid", []result.Design{{Capacity: &result.Capacity{Status: result.NotValid, Low: &low}}}, 0, exitInvalid},
		{"invalid before missed", []result.Design{{Capacity: &result.Capacity{Status: result.NotValid}}}, 300, exitInvalid},
		{"closed loop", []result.Design{{Steps: step(result.Pass, 500)}}, 500, exitMeasured},
		{"closed loop too slow", []result.Design{{Steps: step(result.Pass, 499)}}, 500, exitRequired},
		{"closed loop that broke the SLO", []result.Design{{Steps: step(result.Fail, 900)}}, 500, exitRequired},
		{"closed loop invalid", []result.Design{{Steps: step(result.Invalid, 900)}}, 0, exitInvalid},
		{"one of several repeats invalid", []result.Design{{Steps: step(result.Pass, 900)}, {Steps: step(result.Invalid, 900)}}, 0, exitInvalid},
	}
	for _, test := range tests {
		m := &measurement{res: result.Result{Designs: test.designs}}
		m.require(&flags{Require: test.require})
		if got := m.code(); got != test.want {
			t.Errorf("%s: exit %d, want %d", test.name, got, test.want)
		}
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		c        ramp
		base     float64
		steps    int
		arrivals int64 // at least, in every step
		total    time.Duration
	}{
		{"fast enough", ramp{Steps: 10}, 20_000, 10, 4750, 40 * time.Second},
		{"low rates take longer", ramp{Steps: 10}, 2000, 10, 4750, 70 * time.Second},
		{"given", ramp{Steps: 3, Step: time.Second}, 100, 3, 20, 3 * time.Second},
		{"within a budget, without a failure", ramp{Steps: 10, budget: 50 * time.Second}, 1500, 10, 3000, 50 * time.Second},
		{"within a budget, with fewer steps", ramp{Steps: 10, budget: 50 * time.Second}, 800, 7, 3000, 50 * time.Second},
		{"too slow for any claim", ramp{Steps: 10, budget: 50 * time.Second}, 10, 5, 24, 121 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.c.flags = flags{Scale: "quick", SLOFailures: 0.001, SLODropped: 0.001}
			steps, total := test.c.schedule(test.base), time.Duration(0)
			for i, s := range steps {
				total += s.Duration
				if int64(s.Count()) < test.arrivals {
					t.Errorf("step %d: %d arrivals, want %d", i+1, s.Count(), test.arrivals)
				}
			}
			if len(steps) != test.steps || total > test.total || load.Step(steps[0]).Rate != test.base*0.2 {
				t.Errorf("%d steps in %v: %v", len(steps), total, steps)
			}
		})
	}
}

func TestInTurn(t *testing.T) {
	t.Parallel()
	var order []string
	for i := range 4 {
		order = append(order, inTurn([]string{"A", "B"}, i)...)
	}
	if got := strings.Join(order, ""); got != "ABBAABBA" {
		t.Error(got)
	}
}

// What the document says of this machine is either known or null, and the document can be read by others.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]any{machine(), build()})
	if err != nil || !slices.ContainsFunc([]string{"kernel", "cpu", "revision"}, func(s string) bool { return bytes.Contains(text, []byte(s)) }) {
		t.Errorf("%s, %v", text, err)
	}
	if m := machine(); m.Cores < 1 || m.Kernel == "" || m.CPU == "" {
		t.Errorf("%+v", m)
	}
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := &progress{w: &b, terminal: true}
	p.stage(func() string { return "first" })
	p.say()
	p.say()
	p.note("stays")
	p.stage(nil)
	p.say()
	if got := b.String(); got != "first\r     \rfirst\r     \rstays\n" {
		t.Errorf("%q", got)
	}
	b.Reset()
	p.terminal = false
	p.stage(func() string { return "plain" })
	p.say()
	if got := b.String(); got != "plain\n" {
		t.Errorf("%q", got)
	}
}
