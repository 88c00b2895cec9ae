package load

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func exchange(t *testing.T, target string, timeout time.Duration, req Request) (Response, error) {
	t.Helper()
	tr, err := NewHTTP(target, 4, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	var resp Response
	err = tr.Exchanger().Exchange(t.Context(), &req, &resp)
	return resp, err
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestHTTPSendsWhatItWasGiven(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- fmt.Sprintf("%s %s %s %d %s encoding=%q", r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.ContentLength, body,
			r.Header.Get("Accept-Encoding"))
		w.Header().Set("Location", "/orders/1")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "made")
	})
	for _, target := range []string{url, url + "/"} {
		resp, err := exchange(t, target, time.Minute, Request{Method: "POST", Path: "/orders?a=1&b=x%2Fy", Body: []byte(`{"x":1}`)})
		if err != nil || resp.Status != 201 || resp.Location != "/orders/1" || string(resp.Body) != "made" {
			t.Errorf("%+v, %v", resp, err)
		}
		if want := `POST /orders?a=1&b=x%2Fy application/json 7 {"x":1} encoding=""`; <-got != want {
			t.Errorf("%s did not get %s", target, want)
		}
	}
}

func TestHTTPOverAUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	resp, err := exchange(t, "unix:"+path, time.Minute, Request{Method: "GET", Path: "/products"})
	if err != nil || resp.Status != 200 || string(resp.Body) != "/products" {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestHTTPFailures(t *testing.T) {
	t.Parallel()
	hijack := func(w http.ResponseWriter, answer string, linger int) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, answer)
		conn.(*net.TCPConn).SetLinger(linger)
		conn.Close()
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    Reason
	}{
		{"redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "status 302"},
		{"error", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "status 503"},
		{"slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, Timeout},
		{"slow body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, Timeout},
		{"reset", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", 0) }, Reset},
		{"closed", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", -1) }, Reset},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", -1)
		}, Reset},
		{"not HTTP", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "SSH-2.0\r\n\r\n", -1) }, Other},
		{"endless", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("x", MaxBody+1)) }, Other},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			req := Request{Method: "GET", Path: "/"}
			resp, err := exchange(t, serve(t, test.handler), 300*time.Millisecond, req)
			if got := judge(&req, &resp, err); got != test.want {
				t.Errorf("%q (%v), want %q", got, err, test.want)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if _, err := exchange(t, "http://"+l.Addr().String(), time.Minute, Request{Method: "GET", Path: "/"}); reasonOf(err) != Refused {
			t.Error(err)
		}
	})
}

// net/http repeats a GET whose kept connection the server closed instead of answering. The server has then seen it twice,
// and a success would hide a failure.
func TestHTTPDoesNotHideARepeat(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1) == 2 {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			conn.Close()
			return
		}
		fmt.Fprint(w, "answer")
	})
	tr, err := NewHTTP(url, 4, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	ex, req := tr.Exchanger(), Request{Method: "GET", Path: "/"}
	var got []Reason
	for range 3 {
		var resp Response
		got = append(got, judge(&req, &resp, ex.Exchange(t.Context(), &req, &resp)))
	}
	if got[0] != "" || got[2] != "" || got[1] != Retried || served.Load() != 4 {
		t.Errorf("%q; the server saw %d requests", got, served.Load())
	}
}

func TestHTTPTargets(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"", "127.0.0.1:80", "https://127.0.0.1", "ftp://x", "http://", "http://%zz"} {
		if _, err := NewHTTP(target, 1, time.Second); err == nil {
			t.Errorf("%q: accepted", target)
		}
	}
}

// Real sockets and the real clock: what was asked for is offered and, by a server that copes, achieved.
func TestAchievedIsAsked(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") })
	tr, err := NewHTTP(url, 12, DefaultTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	cfg := Config{Workload: oneRequest{}, Transport: tr, Clock: NewClock(), Users: 12, Timeout: DefaultTimeout, Drain: DefaultDrain}
	s := open(t, t.Context(), cfg, planOf(Uniform, Step{10, time.Second}, Step{100, time.Second})).Steps
	for i, want := range []int64{10, 100} {
		// Where the machine was too busy to be in time the drop is counted, never silent.
		if s[i].Offered != want || s[i].Succeeded+s[i].Dropped.Total() != want || len(s[i].Failures) > 0 {
			t.Errorf("step %d: %+v", i, s[i])
		}
	}
}

func TestAServerThatFailsAThird(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%3 == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	tr, err := NewHTTP(url, 8, DefaultTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	cfg := Config{Workload: oneRequest{}, Transport: tr, Clock: NewClock(), Users: 8, Timeout: DefaultTimeout, Drain: DefaultDrain}
	s := open(t, t.Context(), cfg, planOf(Poisson, Step{300, time.Second})).Steps[0]
	failed := s.Requests - s.RequestsSucceeded
	if s.Offered != 300 || failed != s.Started/3 || s.FromDue.P90 < DefaultTimeout.Microseconds()*998/1000 || s.SuccessesFromDue.P50 > 1e6 {
		t.Errorf("%+v", s)
	}
}

func TestClaimSaysWhatItGot(t *testing.T) {
	t.Parallel()
	done := make(chan string)
	go func() {
		granted, release := NewClock().Claim()
		defer release()
		done <- granted
	}()
	if got := <-done; got == "" {
		t.Error("nothing said of the scheduling")
	}
}

func TestCancelledExchangeIsUnfinished(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	tr, err := NewHTTP(url, 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	var resp Response
	if err := tr.Exchanger().Exchange(ctx, &Request{Method: "GET", Path: "/"}, &resp); reasonOf(err) != Unfinished {
		t.Error(err)
	}
}
