package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const answerX = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

var getRoot = Request{Method: "GET", Path: "/"}

// until polls for what another goroutine or the kernel is about to do.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// A user's requests go over one connection; one more is made only for one more exchange at the same time.
func TestHTTP1KeepsConnections(t *testing.T) {
	t.Parallel()
	var conns, waiting atomic.Int64
	release := make(chan bool)
	tr := newHTTP1(t, scripted(t, func(_, request int) (string, bool) {
		if request == 0 {
			conns.Add(1)
		}
		waiting.Add(1)
		<-release
		return answerX, false
	}), time.Minute)
	for _, atOnce := range []int{1, 1, 3, 3, 2} {
		var users sync.WaitGroup
		waiting.Store(0)
		for range atOnce {
			users.Go(func() {
				if resp, err := exchange(t, tr, getRoot); err != nil || string(resp.Body) != "x" {
					t.Errorf("%+v, %v", resp, err)
				}
			})
		}
		until(t, "all requests have come", func() bool { return waiting.Load() == int64(atOnce) })
		for range atOnce {
			release <- true
		}
		users.Wait()
	}
	if conns.Load() != 3 || tr.Reconnects() != 0 {
		t.Errorf("%d connections, %d reconnects", conns.Load(), tr.Reconnects())
	}
}

// age makes the idle connections look unused for a time.
func age(tr *HTTP1, by time.Duration) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, c := range tr.idle {
		c.used = c.used.Add(-by)
	}
}

func TestHTTP1KeptConnections(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		first      string // what the server sends for the first request of the first connection
		closes     bool   // and then closes
		aged       time.Duration
		want       Reason
		conns      int64
		reconnects int64
	}{
		{"used again", answerX, false, 0, "", 1, 0},
		{"looked at and used again", answerX, false, time.Second, "", 1, 0},
		{"too long unused", answerX, false, idleLimit + time.Second, "", 2, 0},
		{"closed meanwhile", answerX, true, time.Second, "", 2, 1},
		{"closed just now", answerX, true, -time.Hour, Reset, 1, 0}, // not looked at: a failure, never a repeat
		{"announced", strings.Replace(answerX, "\r\n", "\r\nConnection: close\r\n", 1), false, 0, "", 2, 1},
		{"more than was asked for", answerX + answerX, false, 0, "", 2, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var conns atomic.Int64
			tr := newHTTP1(t, scripted(t, func(conn, request int) (string, bool) {
				conns.Store(int64(conn) + 1)
				if conn == 0 && request == 0 {
					return test.first, test.closes
				}
				return answerX, false
			}), time.Minute)
			if resp, err := exchange(t, tr, getRoot); err != nil || string(resp.Body) != "x" {
				t.Fatal(resp, err)
			}
			if test.closes {
				until(t, "the end has come", func() bool { return !tr.idle[0].quiet() })
			}
			age(tr, test.aged)
			req := getRoot
			resp, err := exchange(t, tr, req)
			if got := judge(&req, &resp, err); got != test.want {
				t.Errorf("%q (%v), want %q", got, err, test.want)
			}
			if conns.Load() != test.conns || tr.Reconnects() != test.reconnects {
				t.Errorf("%d connections, %d reconnects", conns.Load(), tr.Reconnects())
			}
		})
	}
}

// The timeout is never early and the socket's deadline at most 1 % late, also for requests that share a deadline set earlier.
// One that was missed does not hurt the next request.
func TestHTTP1Timeout(t *testing.T) {
	t.Parallel()
	const timeout = 500 * time.Millisecond
	var stuck atomic.Bool
	tr := newHTTP1(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if stuck.Load() {
			<-r.Context().Done()
		}
		io.WriteString(w, "x")
	}), timeout)
	for range 3 {
		stuck.Store(false)
		set, last, began := 0, time.Time{}, time.Now()
		for time.Since(began) < timeout/20 {
			if _, err := exchange(t, tr, getRoot); err != nil {
				t.Fatal(err)
			}
			c := tr.idle[0]
			if late := c.deadline.Sub(c.used) - timeout; late < 0 || late > timeout/100 {
				t.Errorf("the deadline is %v late", late)
			}
			if !c.deadline.Equal(last) {
				set, last = set+1, c.deadline
			}
		}
		if most := int(time.Since(began)/(timeout/100)) + 1; set > most {
			t.Errorf("deadlines were set %d times, %d suffice", set, most)
		}
		stuck.Store(true)
		began = time.Now()
		_, err := exchange(t, tr, getRoot)
		if took := time.Since(began); reasonOf(err) != Timeout || took < timeout || took > 10*timeout { // the machine may be busy
			t.Errorf("%v after %v", err, took)
		}
	}
	if got := tr.Reconnects(); got != 2 { // after each timeout but the last
		t.Errorf("%d reconnects", got)
	}
}

// Thousands of requests share deadlines; none is cut short by one that an earlier request set.
func TestHTTP1SharedDeadlines(t *testing.T) {
	t.Parallel()
	tr := newHTTP1(t, serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }), time.Second)
	end, n := time.Now().Add(1500*time.Millisecond), 0
	for ; time.Now().Before(end); n++ {
		if _, err := exchange(t, tr, getRoot); err != nil {
			t.Fatal(err)
		}
	}
	if tr.Reconnects() != 0 {
		t.Errorf("%d reconnects in %d requests", tr.Reconnects(), n)
	}
}

// A context that ends, ends its exchanges and no others: neither later ones on the same connection nor those of a run that
// took the connection over.
func TestHTTP1Contexts(t *testing.T) {
	t.Parallel()
	tr := newHTTP1(t, serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }), time.Minute)
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		var resp Response
		for range 3 {
			if err := tr.Exchange(ctx, &getRoot, &resp); err != nil {
				t.Fatal(err)
			}
		}
		cancel() // while the connection is idle
		if err := tr.Exchange(ctx, &getRoot, &resp); reasonOf(err) != Unfinished || resp.Status != 0 {
			t.Fatalf("%+v, %v", resp, err)
		}
		late, cancelLate := context.WithCancel(t.Context())
		go cancelLate() // during the exchange, or just after
		if err := tr.Exchange(late, &getRoot, &resp); err != nil && reasonOf(err) != Unfinished {
			t.Fatal(err)
		}
		if err := tr.Exchange(t.Context(), &getRoot, &resp); err != nil {
			t.Fatalf("the next run's exchange: %v", err)
		}
	}
}

// The end of a context may be noticed late: after the exchange, and after another context has taken the connection over.
func TestHTTP1LateInterrupts(t *testing.T) {
	t.Parallel()
	tr := newHTTP1(t, scripted(t, func(int, int) (string, bool) { return answerX, false }), time.Minute)
	first, cancel := context.WithCancel(t.Context())
	defer cancel()
	second := t.Context()
	var resp Response
	for _, ctx := range []context.Context{first, second, first, first} {
		if err := tr.Exchange(ctx, &getRoot, &resp); err != nil {
			t.Fatal(err)
		}
		c := tr.idle[0]
		c.interrupt(first.Done())
		if took, want := c.deadline.IsZero(), ctx == first; took != want {
			t.Errorf("interrupted %v, want %v", took, want)
		}
	}
	if tr.Reconnects() != 0 {
		t.Errorf("%d reconnects", tr.Reconnects())
	}
}

func TestHTTP1CancelledWhileDialling(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tr := newHTTP1(t, "http://"+l.Addr().String(), time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var resp Response
	if err := tr.Exchange(ctx, &getRoot, &resp); reasonOf(err) != Unfinished {
		t.Error(err)
	}
}

func TestHTTP1Close(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 2)
	asked, answer := make(chan bool, 2), make(chan bool)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				http.ReadRequest(in)
				asked <- true
				<-answer
				io.WriteString(conn, answerX)
				_, err := in.ReadByte()
				ended <- err
			}()
		}
	}()
	tr := newHTTP1(t, "http://"+l.Addr().String(), time.Minute)
	var users sync.WaitGroup
	for range 2 {
		users.Go(func() {
			if _, err := exchange(t, tr, getRoot); err != nil {
				t.Error(err)
			}
		})
		<-asked
	}
	answer <- true
	until(t, "one is idle", func() bool { tr.mu.Lock(); defer tr.mu.Unlock(); return len(tr.idle) == 1 })
	tr.Close()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %v", err)
	}
	answer <- true
	users.Wait()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the connection that was in use: %v", err)
	}
}

// Nothing that is asked for can make a second request of one.
func TestHTTP1RefusesRequests(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	tr := newHTTP1(t, serve(t, func(http.ResponseWriter, *http.Request) { served.Add(1) }), time.Minute)
	for _, req := range []Request{
		{Method: "GET", Path: ""}, {Method: "GET", Path: "products"}, {Method: "GET", Path: "/a b"}, {Method: "", Path: "/"},
		{Method: "GET", Path: "/ HTTP/1.1\r\n\r\nGET /"}, {Method: "GET /x HTTP/1.1\r\n\r\nGET", Path: "/"}, {Method: "GET", Path: "/é"},
	} {
		if _, err := exchange(t, tr, req); !errors.Is(err, errRequest) {
			t.Errorf("%q: %v", req.Path, err)
		}
	}
	if served.Load() != 0 {
		t.Errorf("the server saw %d requests", served.Load())
	}
}

// Many users on one transport, over real sockets; a third of the answers ends its connection. Each gets its own answer.
func TestHTTP1ManyUsers(t *testing.T) {
	t.Parallel()
	tr := newHTTP1(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "3") {
			w.Header().Set("Connection", "close")
		}
		io.WriteString(w, r.URL.Path)
	}), time.Minute)
	var users sync.WaitGroup
	for u := range 32 {
		users.Go(func() {
			ex := tr.Exchanger()
			var resp Response
			for i := range 100 {
				req := Request{Method: "GET", Path: fmt.Sprintf("/%d/%d", u, i%3+1)}
				if err := ex.Exchange(t.Context(), &req, &resp); err != nil || resp.Status != 200 || string(resp.Body) != req.Path {
					t.Errorf("%s: %+v, %v", req.Path, resp, err)
				}
			}
		})
	}
	users.Wait()
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.open != len(tr.idle) || tr.most > 32 || tr.reconnects < 32*33-32 {
		t.Errorf("%d open, %d idle, %d at most, %d reconnects", tr.open, len(tr.idle), tr.most, tr.reconnects)
	}
}
