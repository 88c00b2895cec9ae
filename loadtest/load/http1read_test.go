package load

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scripted listens, and answers each request, of any method and without a body, with the bytes that answer returns for the
// n-th connection and its m-th request, both from 0. After done it closes the connection; else it waits for the next request.
func scripted(t *testing.T, answer func(conn, request int) (bytes string, done bool)) (target string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for m := 0; ; m++ {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					bytes, done := answer(n, m)
					if _, err := conn.Write([]byte(bytes)); err != nil || done {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// lines joins lines of a head with CR LF and ends it.
func lines(line ...string) string { return strings.Join(line, "\r\n") + "\r\n\r\n" }

// outcome is what became of an exchange with a scripted answer, and whether the connection was kept.
type outcome struct {
	Status   int
	Location string
	Body     string
	Keep     bool
}

const ok = "HTTP/1.1 200 OK"

var goodAnswers = []struct {
	name, method, answer string
	closed               bool // by the server, after the answer
	want                 outcome
}{
	{"length", "GET", lines(ok, "Content-Length: 3") + "abc", false, outcome{200, "", "abc", true}},
	{"names in any case", "GET", lines(ok, "cOnTent-LENGTH:\t3 ") + "abc", false, outcome{200, "", "abc", true}},
	{"no reason", "GET", lines("HTTP/1.1 404", "Content-Length: 0"), false, outcome{404, "", "", true}},
	{"empty reason", "GET", lines("HTTP/1.1 599 ", "Content-Length: 0"), false, outcome{599, "", "", true}},
	{"location", "POST", lines("HTTP/1.1 201 Created", "X: y", "Location: /orders/1", "Content-Length: 1") + "x", false,
		outcome{201, "/orders/1", "x", true}},
	{"chunks", "GET", lines(ok, "Transfer-Encoding: Chunked") + "3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n", false,
		outcome{200, "", "abc0123456789", true}},
	{"chunks with extensions and trailers", "GET",
		lines(ok, "Trailer: Sum", "Transfer-Encoding: chunked") + "1;a=\"b\"\r\nx\r\n0;c\r\nSum: 1\r\nMore: \r\n\r\n", false,
		outcome{200, "", "x", true}},
	{"to the end", "GET", lines(ok) + "all of it", true, outcome{200, "", "all of it", false}},
	{"close", "GET", lines(ok, "Connection: x, Close", "Content-Length: 1") + "x", false, outcome{200, "", "x", false}},
	{"HTTP/1.0", "GET", lines("HTTP/1.0 200 OK", "Content-Length: 1") + "x", false, outcome{200, "", "x", false}},
	{"HTTP/1.0 that stays", "GET", lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Content-Length: 1") + "x", false,
		outcome{200, "", "x", true}},
	{"interim answers", "GET", lines("HTTP/1.1 100 Continue") + lines("HTTP/1.1 103 Early Hints", "Location: /x", "Connection: close") +
		lines(ok, "Content-Length: 1") + "x", false, outcome{200, "", "x", true}},
	{"HEAD", "HEAD", lines(ok, "Content-Length: 3"), false, outcome{200, "", "", true}},
	{"HEAD in chunks", "HEAD", lines(ok, "Transfer-Encoding: chunked"), false, outcome{200, "", "", true}},
	{"HEAD without a length", "HEAD", lines(ok), false, outcome{200, "", "", true}},
	{"no content", "DELETE", lines("HTTP/1.1 204 No Content"), false, outcome{204, "", "", true}},
	{"not modified", "GET", lines("HTTP/1.1 304 Not Modified", "Content-Length: 3"), false, outcome{304, "", "", true}},
	{"more than was asked for", "GET", lines(ok, "Content-Length: 1") + "xHTTP/1.1 200 OK", false, outcome{200, "", "x", false}},
	{"headers of almost 64 KiB", "GET", lines(ok, "X: "+strings.Repeat("x", maxLines-100), "Content-Length: 1") + "x", false,
		outcome{200, "", "x", true}},
	{"many chunks", "GET", lines(ok, "Transfer-Encoding: chunked") + strings.Repeat("1\r\nx\r\n", 30000) + "0\r\n\r\n", false,
		outcome{200, "", strings.Repeat("x", 30000), true}},
	{"longer than the buffer", "GET", lines(ok, "Content-Length: 100000") + strings.Repeat("x", 1e5), false,
		outcome{200, "", strings.Repeat("x", 1e5), true}},
	{"longer than the buffer, to the end", "GET", lines(ok) + strings.Repeat("x", 1e5), true,
		outcome{200, "", strings.Repeat("x", 1e5), false}},
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range goodAnswers {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			target := scripted(t, func(int, int) (string, bool) { return test.answer, test.closed })
			tr := newHTTP1(t, target, time.Minute)
			resp, err := exchange(t, tr, Request{Method: test.method, Path: "/"})
			got := outcome{resp.Status, resp.Location, string(resp.Body), len(tr.idle) == 1}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%.500s", err, diff)
			}
		})
	}
}

func newHTTP1(t *testing.T, target string, timeout time.Duration) *HTTP1 {
	t.Helper()
	tr, err := NewHTTP1(target, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// An answer that ends too early is never a shorter answer, wherever it ends.
func TestAnswersCutAtEveryByte(t *testing.T) {
	t.Parallel()
	for _, test := range goodAnswers {
		whole := strings.TrimSuffix(test.answer, "HTTP/1.1 200 OK")
		if test.closed || len(whole) > 1000 {
			continue // what is read to the end has no other mark of its end
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tr := newHTTP1(t, scripted(t, func(n, _ int) (string, bool) { return whole[:n], true }), time.Minute)
			for n := range len(whole) {
				resp, err := exchange(t, tr, Request{Method: test.method, Path: "/"})
				if reasonOf(err) != Reset || resp.Status != 0 || resp.Location != "" {
					t.Errorf("%q: %+v, %v", whole[:n], resp, err)
				}
			}
			if got, want := tr.Reconnects(), int64(len(whole)-1); got != want {
				t.Errorf("%d reconnects, want %d", got, want)
			}
		})
	}
}

func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	chunked := lines(ok, "Transfer-Encoding: chunked")
	tests := []struct {
		name, answer string
		want         error
	}{
		{"another protocol", "SSH-2.0\r\n\r\n", errStatus},
		{"HTTP/2", lines("HTTP/2 200 OK"), errStatus},
		{"HTTP/1.2", lines("HTTP/1.2 200 OK"), errStatus},
		{"two digits", lines("HTTP/1.1 20 OK"), errStatus},
		{"four digits", lines("HTTP/1.1 2000 OK"), errStatus},
		{"a sign", lines("HTTP/1.1 +20 OK"), errStatus},
		{"status 099", lines("HTTP/1.1 099 X"), errStatus},
		{"status 600", lines("HTTP/1.1 600 X"), errStatus},
		{"two spaces", lines("HTTP/1.1  200 OK"), errStatus},
		{"empty line first", "\r\n" + lines(ok), errStatus},
		{"NUL in the reason", lines(ok + "\x00"), errStatus},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", errLine},
		{"bare LF at the end", ok + "\r\nContent-Length: 0\r\n\n", errLine},
		{"bare CR", lines(ok, "A: b\rContent-Length: 0"), errField},
		{"two CRs", ok + "\r\r\n\r\n", errStatus},
		{"obs-fold", lines(ok, "A: b", " c", "Content-Length: 0"), errField},
		{"folded first line", lines(ok, "\tA: b"), errField},
		{"no colon", lines(ok, "Content-Length 0"), errField},
		{"no name", lines(ok, ": x"), errField},
		{"space before the colon", lines(ok, "Content-Length : 0"), errField},
		{"name of another alphabet", lines(ok, "Contént: 0"), errField},
		{"NUL in a header", lines(ok, "A: \x00"), errField},
		{"headers beyond 64 KiB", lines(ok, "A: "+strings.Repeat("x", maxLines)), errLines},
		{"many headers beyond 64 KiB", lines(ok, strings.Repeat("A: x\r\n", maxLines/6)+"B: y"), errLines},
		{"a header without end", ok + "\r\nA: " + strings.Repeat("x", 3*maxLines), errLines},
		{"endless interim answers", strings.Repeat(lines("HTTP/1.1 100 Continue"), 3000), errLines},
		{"two lengths", lines(ok, "Content-Length: 1", "Content-Length: 2") + "xx", errLength},
		{"the same length twice", lines(ok, "Content-Length: 1", "content-length: 1") + "x", errLength},
		{"a list of lengths", lines(ok, "Content-Length: 1, 1") + "x", errLength},
		{"no length", lines(ok, "Content-Length: "), errLength},
		{"negative length", lines(ok, "Content-Length: -1"), errLength},
		{"signed length", lines(ok, "Content-Length: +1") + "x", errLength},
		{"hexadecimal length", lines(ok, "Content-Length: 0x1") + "x", errLength},
		{"a length past int64", lines(ok, "Content-Length: 18446744073709551617") + "x", errLength},
		{"too long", lines(ok, fmt.Sprint("Content-Length: ", MaxBody+1)), errTooLong},
		{"length and chunks", lines(ok, "Content-Length: 1", "Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n\r\n", errCoding},
		{"chunks twice", lines(ok, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + "0\r\n\r\n", errCoding},
		{"compressed", lines(ok, "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n", errCoding},
		{"chunks of HTTP/1.0", lines("HTTP/1.0 200 OK", "Transfer-Encoding: chunked") + "0\r\n\r\n", errCoding},
		{"trailing length", lines(ok, "Transfer-Encoding: chunked", "Trailer: a, Content-Length") + "0\r\n\r\n", errTrailer},
		{"change of protocol", lines("HTTP/1.1 101 Switching Protocols", "Upgrade: x"), errInterim},
		{"interim body", lines("HTTP/1.1 100 Continue", "Content-Length: 1") + "x", errInterim},
		{"no chunk size", chunked + "\r\n\r\n", errChunk},
		{"chunk size with a sign", chunked + "+1\r\nx\r\n0\r\n\r\n", errChunk},
		{"chunk size with a space", chunked + "1 \r\nx\r\n0\r\n\r\n", errChunk},
		{"chunk size of nine digits", chunked + "000000001\r\nx\r\n0\r\n\r\n", errChunk},
		{"chunk shorter than it says", chunked + "2\r\nx\r\n0\r\n\r\n", errChunk},
		{"chunk longer than it says", chunked + "1\r\nxx\r\n0\r\n\r\n", errChunk},
		{"chunk size and bare LF", chunked + "1\nx\r\n0\r\n\r\n", errLine},
		{"chunk too long", chunked + "7fffffff\r\n", errTooLong},
		{"chunks too long", chunked + strings.Repeat("10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n", MaxBody>>16) + "1\r\nx\r\n", errTooLong},
		{"extensions without end", chunked + strings.Repeat("1;"+strings.Repeat("e", 99)+"\r\nx\r\n", 50), errExtension},
		{"malformed trailer", chunked + "0\r\nx\r\n\r\n", errField},
		{"trailers beyond 64 KiB", chunked + "0\r\n" + strings.Repeat("A: x\r\n", maxLines/6), errLines},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tr := newHTTP1(t, scripted(t, func(int, int) (string, bool) { return test.answer, false }), time.Minute)
			resp, err := exchange(t, tr, Request{Method: "GET", Path: "/"})
			if !errors.Is(err, test.want) || resp.Status != 0 || len(tr.idle) != 0 {
				t.Errorf("status %d, %v, kept %d; want %v", resp.Status, err, len(tr.idle), test.want)
			}
			if reasonOf(err) != Other {
				t.Errorf("counted as %q", reasonOf(err))
			}
		})
	}
}
