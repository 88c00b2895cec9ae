package pgserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestScram is the exchange of RFC 7677, section 3. Postgres leaves the user name out of it, the example does not.
func TestScram(t *testing.T) {
	t.Parallel()
	s := scram{password: "pencil", user: "user", nonce: "rOprNGfwEbeRWgbNEkqO"}
	if got, want := s.first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"; got != want {
		t.Errorf("first message %q, want %q", got, want)
	}
	final, err := s.final("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
	if err != nil {
		t.Fatal(err)
	}
	const want = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
	if final != want {
		t.Errorf("final message %q, want %q", final, want)
	}
	if err := s.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "v=", "v=AAAATRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", "e=other-error"} {
		if s.verify(bad) == nil {
			t.Errorf("took %q for the server's proof", bad)
		}
	}
}

func TestScramRefusesBadChallenges(t *testing.T) {
	t.Parallel()
	for _, challenge := range []string{
		"", "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "r=mine1,s=!,i=4096", "r=mine1,s=W22ZaJ0SNY7soEsUEjb6gQ==",
		"r=mine1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0", "r=mine1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=-1",
	} {
		s := scram{password: "p", nonce: "mine"}
		if final, err := s.final(challenge); err == nil {
			t.Errorf("answered %q to %q", final, challenge)
		}
	}
}

func TestParseRow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []string
		wantErr    bool
	}{
		{name: "no columns", body: "\x00\x00", want: []string{}},
		{name: "two and NULL", body: "\x00\x03\x00\x00\x00\x02ab\xff\xff\xff\xff\x00\x00\x00\x00", want: []string{"ab", "", ""}},
		{name: "empty", body: "", wantErr: true},
		{name: "length cut off", body: "\x00\x01\x00\x00", wantErr: true},
		{name: "value cut off", body: "\x00\x01\x00\x00\x00\x05ab", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseRow([]byte(tt.body))
			if (err != nil) != tt.wantErr {
				t.Fatalf("error %v, wanted one: %t", err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got); !tt.wantErr && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotPostgres(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "N", "HTTP/1.1 400 Bad Request\r\n\r\n", "R\x00\x00\x00\x08\x00\x00\x00\x03", "R\x00\x00\x00\x04", "Z\x00\x00\x00\x05I"} {
		c := &conn{w: new(bytes.Buffer), r: bufio.NewReader(strings.NewReader(answer))}
		if _, err := c.run(login{user: "u", database: "d", password: "p"}, "SELECT 1"); err == nil {
			t.Errorf("took %q for a Postgres server", answer)
		}
	}
}

func TestServerError(t *testing.T) {
	t.Parallel()
	body := "SFATAL\x00VFATAL\x00C57P03\x00Mthe database system is starting up\x00Fpostmaster.c\x00\x00"
	message := append(binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(body)+4)), body...)
	c := &conn{w: new(bytes.Buffer), r: bufio.NewReader(bytes.NewReader(message))}
	_, err := c.run(login{user: "u"}, "SELECT 1")
	if want := "log in as u: the database system is starting up (SQLSTATE 57P03)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := query(ctx, login{network: "tcp", address: l.Addr().String()}, "SELECT 1"); err == nil ||
		!strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("got %v, want the end of the caller's patience", err)
	}
}
