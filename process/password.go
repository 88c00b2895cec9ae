package process

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// PasswordFile names a file that holds one password, as container engines mount them; "": there is none. Unlike a flag or a
// variable, a file is not shown by ps or by the engine's inspect.
type PasswordFile string

// Password returns what the file holds, without the line's end; "" where there is no file.
func (f PasswordFile) Password() (string, error) {
	if f == "" {
		return "", nil
	}
	text, err := os.ReadFile(string(f))
	if errors.Is(err, os.ErrPermission) {
		return "", fmt.Errorf("password file: %w: its owner must be the user of this process, %d", err, os.Getuid())
	}
	if err != nil {
		return "", fmt.Errorf("password file: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", fmt.Errorf("password file: %s is empty", f)
	}
	return password, nil
}

// Or returns the password, or what the file holds. Usage error where both are given.
func (f PasswordFile) Or(password string) (string, error) {
	if f != "" && password != "" {
		return "", Usage(fmt.Errorf("the password of file %s is given as a text too", f))
	}
	if f == "" {
		return password, nil
	}
	return f.Password()
}

// In returns a Postgres URL with the file's password in it; the URL as it is where there is no file. Usage error where the
// URL names no user, or has a password of its own, or is empty: that is a variable that nobody set, and the driver would
// look for a database of its own choice.
func (f PasswordFile) In(databaseURL string) (string, error) {
	if strings.TrimSpace(databaseURL) == "" {
		return "", Usage(errors.New("the database URL is empty"))
	}
	if f == "" {
		return databaseURL, nil
	}
	u, err := url.Parse(databaseURL)
	if err != nil || u.User.Username() == "" {
		return "", Usage(fmt.Errorf("a password file needs a URL with a user: postgres://user@host/database"))
	}
	if _, has := u.User.Password(); has {
		return "", Usage(fmt.Errorf("the password of file %s is given in the URL too", f))
	}
	password, err := f.Password()
	if err != nil {
		return "", err
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String(), nil
}
