package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splitshop/loadtest/load"
	"splitshop/loadtest/workload"
)

// preparationOf is what a generator is told of a shop under test.
func preparationOf(t *testing.T, url string) preparation {
	t.Helper()
	mix, err := workload.MixOf("mix")
	if err != nil {
		t.Fatal(err)
	}
	return preparation{URL: url, Client: "own", Mix: mix, Seed: 1, Leases: 8, Conns: 8, Timeout: load.DefaultTimeout, Drain: time.Second}
}

// conversation is a generator at the other end of two pipes, as it is in a container.
func conversation(t *testing.T, p preparation) (*farUsers, error) {
	t.Helper()
	in, tasks := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- serve(context.Background(), in, out, load.NewClock())
		out.Close()
	}()
	f, err := converse(t.Context(), tasks, answers, load.NewClock(), p, nil)
	t.Cleanup(func() {
		if f != nil {
			f.close()
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return f, err
}

// TestConversation has a generator in another goroutine do what one in this process does, on the same shop.
func TestConversation(t *testing.T) {
	t.Parallel()
	p := preparationOf(t, serveShop(t, nil))
	f, err := conversation(t, p)
	if err != nil {
		t.Fatal(err)
	}
	plan := load.Plan{Mix: p.Mix, Arrivals: load.Uniform, Seed: 7, Steps: load.Ramp(200, 3, 200*time.Millisecond)}
	var live load.Progress
	var boundaries []int
	rec, err := f.offer(t.Context(), 8, open(plan), &live, func(step int) { boundaries = append(boundaries, step) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3}, boundaries); diff != "" {
		t.Errorf("boundaries (-want +got):\n%s", diff)
	}
	offered, finished := int64(0), int64(0)
	for i, s := range rec.Steps {
		if s.Step != plan.Steps[i] || s.FromSend.Count != s.Requests || s.FromSend.P99 == 0 || s.Lag.Count != s.Started {
			t.Errorf("step %d: %+v", i+1, s)
		}
		offered, finished = offered+s.Offered, finished+s.Finished
	}
	if len(rec.Steps) != 3 || offered == 0 || live.Offered.Load() != offered || live.Finished.Load() != finished || rec.Scheduling == "" {
		t.Errorf("%d steps, %d offered, %d of them live; scheduling %q", len(rec.Steps), offered, live.Offered.Load(), rec.Scheduling)
	}
	// The same generator goes on with another load, and ends it early where it is told to.
	ctx, cancel := context.WithCancel(t.Context())
	rec, err = f.offer(ctx, 4, closedOffering(p.Mix, 1, time.Minute), &load.Progress{}, func(int) { cancel() })
	if err != nil || !rec.Interrupted || len(rec.Steps) != 1 || !rec.Steps[0].Cut {
		t.Errorf("a cancelled load: %+v, %v", rec, err)
	}
	// What it was answered it reads back, as often as it is asked.
	for range 2 {
		books, err := f.audit(t.Context(), nil)
		if err != nil || books.Answered == 0 || books.ReadBack != books.Answered || books.Missing+books.Wrong > 0 {
			t.Errorf("the books: %+v, %v", books, err)
		}
	}
	if _, err := f.offer(t.Context(), 4, offering{}, &load.Progress{}, nil); err == nil || !strings.Contains(err.Error(), "open or closed") {
		t.Errorf("no load: %v", err)
	}
}

// TestRecordOverTheWire compares a record with what comes out at the other end.
func TestRecordOverTheWire(t *testing.T) {
	t.Parallel()
	p := preparationOf(t, serveShop(t, nil))
	users, err := p.prepare(t.Context(), load.NewClock(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer users.close()
	rec, err := users.offer(t.Context(), 4, closedOffering(p.Mix, 1, 100*time.Millisecond), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	var again load.Record
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if rec.Steps[0].FromSend.Count == 0 {
		t.Fatal("nothing was recorded")
	}
	if diff := cmp.Diff(rec, again, cmpopts.IgnoreFields(load.StepRecord{}, "Histograms")); diff != "" {
		t.Errorf("(-sent +received):\n%s", diff)
	}
	for _, damage := range []struct{ from, to string }{
		{`"FromSend":{`, `"FromSend":null,"x":{`},
		{`"FromSend":{"hdr":"`, `"FromSend":{"hdr":"AAAA`},
		{`"overflow":0`, `"overflow":-1`},
	} {
		damaged := strings.Replace(string(text), damage.from, damage.to, 1)
		if err := json.Unmarshal([]byte(damaged), &again); err == nil || damaged == string(text) {
			t.Errorf("%s instead of %s was taken", damage.to, damage.from)
		}
	}
}

// TestConversationFails is what comes of a generator that says something else, or stops speaking.
func TestConversationFails(t *testing.T) {
	t.Parallel()
	const hello = `{"protocol":"` + protocol + `"}`
	tests := []struct {
		name    string
		says    []string
		want    string
		cutsOff bool
	}{
		{"nothing", nil, "ended before", true},
		{"half a line", []string{`{"protocol":"spli`}, "ended before", true},
		{"another version", []string{`{"protocol":"splitshop-generate/0"}`}, `speaks "splitshop-generate/0"`, false},
		{"something else", []string{"panic: no"}, "ended before", true},
		{"an error", []string{hello, `{"error":"no products"}`}, "no products", false},
		{"no record", []string{hello, `{"prepared":true}`, `{"boundary":{"step":0}}`}, "ended before", true},
		{"half a record", []string{hello, `{"prepared":true}`, `{"record":{"Steps":[{"Off`}, "ended before", true},
		{"a record without histograms", []string{hello, `{"prepared":true}`, `{"record":{"Steps":[{"Offered":1}]}}`}, "lacks a histogram", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in, tasks := io.Pipe()
			go io.Copy(io.Discard, in)
			f, err := converse(t.Context(), tasks, strings.NewReader(strings.Join(test.says, "\n")), load.NewClock(), preparationOf(t, ""), nil)
			if err == nil {
				defer f.close()
				_, err = f.offer(t.Context(), 1, offering{}, &load.Progress{}, nil)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, errNoRecord) != test.cutsOff {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}

// TestServeRefuses is the other end: a lab that says something else.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tasks, want string }{
		{"another version", `{"protocol":"splitshop-generate/0","prepare":{}}`, `the lab speaks \"splitshop-generate/0\"`},
		{"a run first", `{"run":{"users":1}}`, "one preparation"},
		{"an audit first", `{"audit":true}`, "one preparation"},
		{"no address", fmt.Sprintf(`{"protocol":%q,"prepare":{}}`, protocol), "neither http"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in, tasks := io.Pipe()
			var out lines
			ended := make(chan error, 1)
			go func() { ended <- serve(t.Context(), in, &out, load.NewClock()) }()
			fmt.Fprintln(tasks, test.tasks)
			fmt.Fprintln(tasks, `{"cancel":true}`) // is read when the first was taken
			fmt.Fprintln(tasks, `{}`)              // is taken when the first was done
			tasks.Close()
			if err := <-ended; err != nil || !slices.ContainsFunc(out.all, func(l string) bool { return strings.Contains(l, test.want) }) {
				t.Errorf("%v, %q; want %q", err, out.all, test.want)
			}
		})
	}
	if err := serve(t.Context(), strings.NewReader("ramp\n"), io.Discard, load.NewClock()); err == nil {
		t.Error("what is no task was taken")
	}
}

// lines keeps what is written, write by write.
type lines struct{ all []string }

func (l *lines) Write(b []byte) (int, error) {
	l.all = append(l.all, string(b))
	return len(b), nil
}
