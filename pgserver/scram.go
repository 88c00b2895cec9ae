package pgserver

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The kinds of authentication message this client understands.
const (
	authOK           = 0
	authSASL         = 10
	authSASLContinue = 11
	authSASLFinal    = 12
)

// authenticate answers the server's challenge by SCRAM-SHA-256 (RFC 7677), the only way this package's servers offer.
func (c *conn) authenticate(l login) error {
	s := scram{password: l.password, nonce: rand.Text()}
	for {
		kind, body, err := c.receive()
		if err != nil {
			return err
		}
		if kind != 'R' || len(body) < 4 {
			return fmt.Errorf("message %q where a challenge was due", kind)
		}
		switch code := binary.BigEndian.Uint32(body); code {
		case authOK:
			return nil
		case authSASL:
			first := s.first()
			m := append([]byte("SCRAM-SHA-256"), 0)
			m = binary.BigEndian.AppendUint32(m, uint32(len(first)))
			err = c.send('p', append(m, first...))
		case authSASLContinue:
			var final string
			if final, err = s.final(string(body[4:])); err == nil {
				err = c.send('p', []byte(final))
			}
		case authSASLFinal:
			err = s.verify(string(body[4:]))
		default:
			err = fmt.Errorf("the server asks for authentication %d, known is SCRAM-SHA-256 only", code)
		}
		if err != nil {
			return err
		}
	}
}

// scram is the client's side of one exchange.
type scram struct {
	password, user, nonce string // user: "" for Postgres, which has it from the start-up message
	serverSignature       []byte
}

func (s *scram) firstBare() string { return "n=" + s.user + ",r=" + s.nonce }

func (s *scram) first() string { return "n,," + s.firstBare() }

func (s *scram) final(challenge string) (string, error) {
	nonce, salt, rounds, err := parseChallenge(challenge)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(nonce, s.nonce) {
		return "", errors.New("the server answered another client's challenge")
	}
	salted, err := pbkdf2.Key(sha256.New, s.password, salt, rounds, sha256.Size)
	if err != nil {
		return "", err
	}
	clientKey := mac(salted, "Client Key")
	storedKey := sha256.Sum256(clientKey)
	withoutProof := "c=biws,r=" + nonce
	exchange := s.firstBare() + "," + challenge + "," + withoutProof
	proof := mac(storedKey[:], exchange)
	for i := range proof {
		proof[i] ^= clientKey[i]
	}
	s.serverSignature = mac(mac(salted, "Server Key"), exchange)
	return withoutProof + ",p=" + base64.StdEncoding.EncodeToString(proof), nil
}

func (s *scram) verify(final string) error {
	want := "v=" + base64.StdEncoding.EncodeToString(s.serverSignature)
	if !hmac.Equal([]byte(final), []byte(want)) {
		return errors.New("the server does not know the password it asked for")
	}
	return nil
}

func parseChallenge(challenge string) (nonce string, salt []byte, rounds int, err error) {
	var roundsText string
	for part := range strings.SplitSeq(challenge, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "r":
			nonce = value
		case "s":
			salt, err = base64.StdEncoding.DecodeString(value)
		case "i":
			roundsText = value
		}
	}
	if err != nil {
		return "", nil, 0, fmt.Errorf("salt of the challenge: %w", err)
	}
	if rounds, err = strconv.Atoi(roundsText); err != nil || rounds < 1 {
		return "", nil, 0, fmt.Errorf("rounds of the challenge: %q", roundsText)
	}
	return nonce, salt, rounds, nil
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
