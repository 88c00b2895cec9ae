package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPasswordFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) PasswordFile {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return PasswordFile(file)
	}
	plain, odd, empty := write("plain", "secret\n"), write("odd", "s e@c/r:e?t\r\n"), write("empty", "\n")
	tests := []struct {
		name, url string
		file      PasswordFile
		want      string
		says      string
		usage     bool
	}{
		{name: "no file", url: "postgres://u:p@h/d", want: "postgres://u:p@h/d"},
		{name: "a variable that nobody set", url: "", says: "the database URL is empty", usage: true},
		{name: "blanks and a file", url: " ", file: plain, says: "the database URL is empty", usage: true},
		{name: "a file", url: "postgres://u@h:5432/d?sslmode=disable", file: plain, want: "postgres://u:secret@h:5432/d?sslmode=disable"},
		{name: "odd characters", url: "postgres://u@h/d", file: odd, want: "postgres://u:s%20e%40c%2Fr%3Ae%3Ft@h/d"},
		{name: "no such file", url: "postgres://u@h/d", file: "/nowhere", says: "/nowhere: no such file"},
		{name: "empty", url: "postgres://u@h/d", file: empty, says: "empty is empty"},
		{name: "twice", url: "postgres://u:p@h/d", file: plain, says: "in the URL too", usage: true},
		{name: "no user", url: "postgres://h/d", file: plain, says: "a URL with a user", usage: true},
		{name: "no URL", url: "host=h user=u", file: plain, says: "a URL with a user", usage: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Database{DB: tt.url, DBPasswordFile: tt.file}.URL()
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
			if usage := new(usageError); errors.As(err, &usage) != tt.usage {
				t.Errorf("usage error: %v, want %v", !tt.usage, tt.usage)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the password is in %q", err)
			}
		})
	}
	if got, err := plain.Or(""); got != "secret" || err != nil {
		t.Errorf("only a file: %q, %v", got, err)
	}
	if got, err := PasswordFile("").Or("text"); got != "text" || err != nil {
		t.Errorf("only a text: %q, %v", got, err)
	}
	if _, err := plain.Or("text"); err == nil {
		t.Error("both a text and a file were taken")
	}
}
