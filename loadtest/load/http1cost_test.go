package load

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"
)

// pageAnswer is as long as a page of 20 products.
var pageAnswer = []byte(lines(ok, "Content-Type: application/json", "X-Request-Id: 0123456789abcdef", "Date: Thu, 01 Jan 2026 00:00:00 GMT",
	"Content-Length: 2500") + strings.Repeat("x", 2500))

// responder answers every request with pageAnswer, without allocating anything.
func responder(tb testing.TB) (target string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 4096)
				for have := 0; ; {
					n, err := conn.Read(buf[have:])
					if err != nil {
						return
					}
					if have += n; bytes.HasSuffix(buf[:have], []byte("\r\n\r\n")) {
						have = 0
						if _, err := conn.Write(pageAnswer); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// Not parallel: every allocation of the process counts, the server's too.
func TestHTTP1AllocatesNothing(t *testing.T) {
	tr, err := NewHTTP1(responder(t), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var resp Response
	req := Request{Method: "GET", Path: "/products?limit=20&after=MTIzNDU2Nzg5"}
	ctx := t.Context()
	allocs := testing.AllocsPerRun(2000, func() {
		if err := tr.Exchange(ctx, &req, &resp); err != nil || len(resp.Body) != 2500 {
			t.Fatalf("%d bytes, %v", len(resp.Body), err)
		}
	})
	looked := testing.AllocsPerRun(500, func() { // also where the connection is looked at first
		age(tr, time.Second)
		if err := tr.Exchange(ctx, &req, &resp); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 || looked != 0 || tr.Reconnects() != 0 {
		t.Errorf("%g allocations a request, %g after a look, %d reconnects", allocs, looked, tr.Reconnects())
	}
}

func BenchmarkExchange(b *testing.B) {
	for _, client := range transports {
		b.Run(client.name, func(b *testing.B) {
			tr, err := client.open(responder(b), time.Minute)
			if err != nil {
				b.Fatal(err)
			}
			defer tr.Close()
			ex, req := tr.Exchanger(), Request{Method: "GET", Path: "/products?limit=20"}
			var resp Response
			b.ReportAllocs()
			for b.Loop() {
				if err := ex.Exchange(b.Context(), &req, &resp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
