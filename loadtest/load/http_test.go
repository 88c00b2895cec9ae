package load

import (
	"context"
	"errors"
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

// transport is what the tests of both clients need of one.
type transport interface {
	Transport
	Close()
}

// transports are the clients there are; what this file says of an exchange holds for each.
var transports = []struct {
	name string
	open func(target string, timeout time.Duration) (transport, error)
}{
	{"own", func(target string, timeout time.Duration) (transport, error) { return NewHTTP1(target, timeout) }},
	{"net-http", func(target string, timeout time.Duration) (transport, error) { return NewHTTP(target, 16, timeout) }},
}

// onEach runs a test with a maker of transports of each client. They are closed after it.
func onEach(t *testing.T, test func(t *testing.T, dial func(t *testing.T, target string, timeout time.Duration) Transport)) {
	t.Helper()
	for _, client := range transports {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, target string, timeout time.Duration) Transport {
				t.Helper()
				tr, err := client.open(target, timeout)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(tr.Close)
				return tr
			})
		})
	}
}

func exchange(t *testing.T, tr Transport, req Request) (Response, error) {
	t.Helper()
	var resp Response
	err := tr.Exchanger().Exchange(t.Context(), &req, &resp)
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
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		got := make(chan string, 1)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got <- fmt.Sprintf("%s %s %s %d %s encoding=%q agent=%q", r.Method, r.RequestURI, r.Header.Get("Content-Type"),
				r.ContentLength, body, r.Header.Get("Accept-Encoding"), r.UserAgent())
			w.Header().Set("Location", "/orders/1")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, "made")
		})
		tests := []struct {
			target, want string
			req          Request
		}{
			{url, `POST /orders?a=1&b=x%2Fy application/json 7 {"x":1}`, Request{Method: "POST", Path: "/orders?a=1&b=x%2Fy", Body: []byte(`{"x":1}`)}},
			{url + "/", `POST /orders application/json 2 {}`, Request{Method: "POST", Path: "/orders", Body: []byte(`{}`)}},
			{url + "/shop", `GET /shop/products  0 `, Request{Method: "GET", Path: "/products"}},
			{url, `POST /carts  0 `, Request{Method: "POST", Path: "/carts"}},
			{url, `DELETE /carts/1  0 `, Request{Method: "DELETE", Path: "/carts/1"}},
		}
		for _, test := range tests {
			resp, err := exchange(t, dial(t, test.target, time.Minute), test.req)
			if err != nil || resp.Status != 201 || resp.Location != "/orders/1" || string(resp.Body) != "made" {
				t.Fatalf("%s: %+v, %v", test.want, resp, err)
			}
			if got, want := <-got, test.want+` encoding="" agent="splitshop-loadtest"`; got != want {
				t.Errorf("the server got %s\nwant %s", got, want)
			}
		}
	})
}

func TestHTTPOverAUnixSocket(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host, r.URL.Path) })}
		go server.Serve(l)
		t.Cleanup(func() { server.Close() })
		tr := dial(t, "unix:"+path, time.Minute)
		resp, err := exchange(t, tr, Request{Method: "GET", Path: "/products"})
		if err != nil || resp.Status != 200 || string(resp.Body) != "unix/products" {
			t.Errorf("%+v, %v", resp, err)
		}
		if _, err := exchange(t, dial(t, "unix:"+path+"x", time.Minute), Request{Method: "GET", Path: "/"}); reasonOf(err) != Refused {
			t.Errorf("no socket file: %v", err)
		}
	})
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
		{"as long as it may be", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("x", MaxBody)) }, ""},
		{"wrong body", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "wrong") }, WrongBody},
	}
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				timeout := 10 * time.Second
				if test.want == Timeout {
					timeout = 300 * time.Millisecond
				}
				req := Request{Method: "GET", Path: "/", Check: func(resp *Response) error {
					if string(resp.Body) == "wrong" {
						return errors.New("wrong")
					}
					return nil
				}}
				resp, err := exchange(t, dial(t, serve(t, test.handler), timeout), req)
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
			tr := dial(t, "http://"+l.Addr().String(), time.Minute)
			if _, err := exchange(t, tr, Request{Method: "GET", Path: "/"}); reasonOf(err) != Refused {
				t.Error(err)
			}
		})
	})
}

// A server that closes a kept connection instead of answering may have done the work. net/http repeats a GET then, and a
// success would hide a failure; our own client repeats nothing.
func TestHTTPDoesNotHideARepeat(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
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
		tr := dial(t, url, time.Minute)
		reason, requests := Retried, int64(4)
		if _, own := tr.(*HTTP1); own {
			reason, requests = Reset, 3
		}
		ex, req := tr.Exchanger(), Request{Method: "GET", Path: "/"}
		var got []Reason
		for range 3 {
			var resp Response
			got = append(got, judge(&req, &resp, ex.Exchange(t.Context(), &req, &resp)))
		}
		if got[0] != "" || got[2] != "" || got[1] != reason || served.Load() != requests {
			t.Errorf("%q; the server saw %d requests", got, served.Load())
		}
	})
}

func TestHTTPTargets(t *testing.T) {
	t.Parallel()
	for _, client := range transports {
		for _, target := range []string{"", "127.0.0.1:80", "https://127.0.0.1", "ftp://x", "http://", "http://%zz"} {
			if _, err := client.open(target, time.Second); err == nil {
				t.Errorf("%s, %q: accepted", client.name, target)
			}
		}
	}
}

// Real sockets and the real clock: what was asked for is offered and, by a server that copes, achieved.
func TestAchievedIsAsked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		tr := dial(t, serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") }), DefaultTimeout)
		cfg := Config{Workload: oneRequest{}, Transport: tr, Clock: NewClock(), Users: 12, Timeout: DefaultTimeout, Drain: DefaultDrain}
		s := open(t, t.Context(), cfg, planOf(Uniform, Step{10, time.Second}, Step{100, time.Second})).Steps
		for i, want := range []int64{10, 100} {
			// Where the machine was too busy to be in time the drop is counted, never silent.
			if s[i].Offered != want || s[i].Succeeded+s[i].Dropped.Total() != want || len(s[i].Failures) > 0 {
				t.Errorf("step %d: %+v", i, s[i])
			}
		}
	})
}

func TestAServerThatFailsAThird(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		var n atomic.Int64
		tr := dial(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1)%3 == 0 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}), DefaultTimeout)
		cfg := Config{Workload: oneRequest{}, Transport: tr, Clock: NewClock(), Users: 8, Timeout: DefaultTimeout, Drain: DefaultDrain}
		s := open(t, t.Context(), cfg, planOf(Poisson, Step{300, time.Second})).Steps[0]
		failed := s.Requests - s.RequestsSucceeded
		if s.Offered != 300 || failed != s.Started/3 || s.FromDue.P90 < DefaultTimeout.Microseconds()*998/1000 ||
			s.SuccessesFromDue.P50 > 1e6 {
			t.Errorf("%+v", s)
		}
	})
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
	onEach(t, func(t *testing.T, dial func(*testing.T, string, time.Duration) Transport) {
		ctx, cancel := context.WithCancel(t.Context())
		tr := dial(t, serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }), time.Minute)
		var resp Response
		began := time.Now()
		err := tr.Exchanger().Exchange(ctx, &Request{Method: "GET", Path: "/"}, &resp)
		if took := time.Since(began); reasonOf(err) != Unfinished || took > 10*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}
