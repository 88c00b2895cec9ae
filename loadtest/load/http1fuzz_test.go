package load

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
)

// readOwn reads one answer with our reader.
func readOwn(from io.Reader, method string) (outcome, error) {
	var resp Response
	r := newReader(from)
	keep, err := r.answer(method, &resp)
	return outcome{resp.Status, resp.Location, string(resp.Body), keep}, err
}

// readNetHTTP reads one answer with net/http's. Like its transport it skips interim answers, and like it does not
// keep a connection on which more came than was asked for.
func readNetHTTP(from io.Reader, method string) (outcome, error) {
	in := bufio.NewReaderSize(from, 2*maxLines) // trailers must fit its buffer, which is no rule of HTTP
	for {
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return outcome{}, err
		}
		if resp.StatusCode/100 == 1 && resp.StatusCode != 101 {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
		resp.Body.Close()
		if err == nil && len(body) > MaxBody {
			err = errors.New("too long")
		}
		return outcome{resp.StatusCode, resp.Header.Get("Location"), string(body), !resp.Close && in.Buffered() == 0}, err
	}
}

// FuzzAgainstNetHTTP: what our reader accepts net/http accepts too and reads the same from it. The other way round there are
// differences: http1read.go and its tests say what ours refuses. However the bytes come in, the answer is the same.
func FuzzAgainstNetHTTP(f *testing.F) {
	for _, seed := range goodAnswers {
		if len(seed.answer) < 1000 {
			f.Add([]byte(seed.answer), seed.method == "HEAD")
		}
	}
	for _, seed := range []string{
		lines(ok, "Connection: close, keep-alive", "Transfer-Encoding: chunked") + "5;x\r\nhello\r\n0\r\nA: b\r\n\r\n",
		lines(ok, "Trailer: Content-Length", "Transfer-Encoding: chunked") + "0\r\nContent-Length: 5\r\n\r\n",
		lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Location: ", "Location: /x", "Content-Length: 07") + "1234567",
		lines("HTTP/1.1 100 C") + lines("HTTP/1.1 102 P") + lines("HTTP/1.1 204 N", "Transfer-Encoding: chunked") + "0\r\n\r\n",
		lines(ok, "Content-Length: 1", "Content-Length: 1", "A: b\r\n c") + "x",
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, answer []byte, head bool) {
		method := "GET"
		if head {
			method = "HEAD"
		}
		own, err := readOwn(bytes.NewReader(answer), method)
		slow, slowErr := readOwn(iotest.OneByteReader(bytes.NewReader(answer)), method)
		slow.Keep = own.Keep // whether more has come is not known yet
		if !errors.Is(slowErr, err) || own != slow {
			t.Fatalf("in one piece %+v, %v\nbyte by byte %+v, %v", own, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		oracle, err := readNetHTTP(bytes.NewReader(answer), method)
		if err != nil {
			t.Fatalf("net/http refuses what ours takes for %+v: %v", own, err)
		}
		if own != oracle {
			t.Fatalf("own %+v\nnet/http %+v", own, oracle)
		}
	})
}
