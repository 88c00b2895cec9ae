package result

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// largest is how big the result file of a usual run may be, however many requests were made: what is kept is sums.
const largest = 200 << 10

// TestSize builds about the largest result that a ramp leaves: two designs of six parts with the generator, ten steps each of a million
// requests, of which the upper five fail in twenty ways each, a deciding step that was run three times, and figures with all their digits.
func TestSize(t *testing.T) {
	t.Parallel()
	r := Result{Command: []string{"loadtest", "ramp", "--design", "mono,micro", "--out", "out/ramp"}, Mode: "ramp", Started: time.Unix(1796100000, 5),
		Seconds: 1234.567890123, Build: Build{Revision: strings.Repeat("0123456789", 4), Versions: map[string]string{}},
		Plan: Plan{Mix: "mix", Weights: []int{16, 3, 1}}, Comparisons: []Comparison{}, Warnings: []string{strings.Repeat("w", 200)}}
	for i := range 15 {
		r.Build.Versions[fmt.Sprintf("example.org/some/module/number%d", i)] = "v1.23.45"
	}
	base := bigDesign("mono")
	base.Steps, base.OtherRuns, base.Capacity = base.Steps[:1], []OtherRun{}, nil
	r.BaseRun, r.Designs = &base, []Design{bigDesign("mono"), bigDesign("micro")}
	for range 10 {
		r.Plan.Steps = append(r.Plan.Steps, PlanStep{PerSecond: 12345.678901234567, Seconds: 20.001})
	}
	var text bytes.Buffer
	if err := Encode(&text, r); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, at most %d", text.Len(), largest)
	if text.Len() > largest {
		t.Errorf("%d bytes are more than %d", text.Len(), largest)
	}
	if err := compiled(t).Validate(parse(t, text.Bytes())); err != nil {
		t.Errorf("it is not of the schema: %v", err)
	}
}

func ptr[T any](v T) *T { return &v }

// share is a figure with all the digits that one may have.
func share() *float64 { return ptr(0.12345678901234567) }

func bigPart(name string, processes int) Part {
	return Part{Name: name, Processes: processes, Planned: []int{5, 6, 7}, Actual: []int{5, 6, 7}, PSS: ptr(int64(123456789)),
		QuotaPlanned: ptr(0.27), Quota: ptr(0.27), GOMAXPROCS: ptr(2), RSSIdle: ptr(int64(12345678)), RSSPeak: ptr(int64(123456789)),
		Image: &Image{Name: "splitshop/" + name + ":0123456789ab", ID: "sha256:" + strings.Repeat("0123456789abcdef", 4), Size: 12345678}}
}

func bigDesign(name string) Design {
	d := Design{Name: name, Repeat: 1, URL: "http://127.0.0.1:12345", Scheduling: "SCHED_RR", Generator: ptr(bigPart("generator", 1)), Stats: map[string]any{},
		Preflight: &Preflight{Seconds: 10.002, Background: share(), Steal: share(), Busy: share()}, Warnings: []string{strings.Repeat("w", 300)},
		Books: &Books{Answered: 1234567, Uncertain: 1234, ReadBack: 1234566, Wrong: 1, Made: ptr(int64(1234567)), Example: strings.Repeat("e", 300)},
		Capacity: &Capacity{Status: Found, Low: share(), High: share(), Criterion: "p99", Limiter: strings.Repeat("l", 500),
			ByP99: []CapacityAt{{10, Found, share(), share()}, {25, Found, share(), share()}, {100, Found, share(), share()}}}}
	for _, part := range bigParts {
		d.Parts = append(d.Parts, bigPart(part, 30))
		d.Stats[part] = map[string]any{"service": part, "version": "0123456789ab", "gomaxprocs": 2, "stats": map[string]any{"pool": map[string]any{
			"max": 10, "max_in_use": 10, "acquires": 1234567, "empty_acquires": 123456, "acquire_wait_ms": 1234567.891}}}
	}
	d.Warmup = ptr(bigStep(0))
	for i := range 10 {
		d.Steps = append(d.Steps, bigStep(i/5*20))
	}
	for range 2 {
		d.OtherRuns = append(d.OtherRuns, OtherRun{Step: 7, Run: bigStep(20)})
	}
	return d
}

var bigParts = []string{"gateway", "catalog", "cart", "orders", "postgres"}

func bigStep(failures int) Step {
	l := func() *Latency {
		return &Latency{Count: 1050000, P50: 123456, P90: 234567, P95: 345678, P99: 456789, P999: 5678901, Max: 9999999, Overflow: 1}
	}
	s := Step{OfferedPerSecond: 12345.678901234567, Seconds: 20.001, Offered: 1000000, Started: 1000000, Succeeded: 1000000,
		AchievedPerSecond: 12345.678901234567, Requests: 1050000, Completed: 1050000, RequestsPerSecond: 12345.678901234567,
		Dropped: Dropped{UsersBusy: 123456, Generator: 123, Leases: 12}, Failed: 123456, FromDue: l(), FromSend: l(), SuccessesFromDue: l(),
		SuccessesFromSend: l(), InFlightStart: 1024, InFlightEnd: 1024,
		Generator: Generator{Lag: l(), PacerLag: l(), CoreBusy: share(), Taken: share(), RunWait: share()},
		Postgres:  &Activity{Looks: 21, Active: *share(), Waiting: *share(), Locked: *share(), WAL: 1234567890},
		Machine:   &Busy{Background: share(), Steal: share()},
		Verdict:   Verdict{Outcome: Fail, Criterion: "failures", Reasons: []string{strings.Repeat("r", 80), strings.Repeat("r", 80)}},
		Runs:      3, Limiter: strings.Repeat("l", 600), Failures: []Failure{}}
	for range 8 {
		s.Machine.Cores, s.Machine.SoftIRQ = append(s.Machine.Cores, share()), append(s.Machine.SoftIRQ, share())
	}
	for _, part := range append([]string{"generator"}, bigParts...) {
		s.Parts = append(s.Parts, Usage{Name: part, Cores: share(), CPUMs: share(), RSS: ptr(int64(123456789)), RunWait: share(),
			Throttled: &Throttled{Periods: 200, Throttled: 200, Ms: 12345.678901}})
	}
	for _, part := range bigParts[1:4] {
		s.Pools = append(s.Pools, Pool{Part: part, Name: "pool", Max: 10, Acquires: 1050000, EmptyAcquires: 123456, WaitMs: 1234567.890123})
	}
	for i := range failures {
		route := []string{"GET /products", "GET /carts/{id}", "POST /carts/{id}/items", "POST /orders"}[i%4]
		s.Failures = append(s.Failures, Failure{Route: route, Reason: fmt.Sprintf("status %d", 500+i/4), Count: 123456})
	}
	return s
}
