package compose

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// imageUser is who the shop's images run as where root starts them: nobody else on the machine has this number.
const imageUser = 65532

// secretNames are the files of .secrets: the password of Postgres's superuser, and of each binary's own role.
var secretNames = []string{"superuser", "monolith", "catalog", "cart", "orders"}

// makeSecrets makes the passwords that are not there yet, in files that only their owner can read. It returns the user that
// the containers must run as: an engine mounts such a file as it is, so whoever reads it must own it. Root gives the files to
// imageUser; anybody else keeps them, and the containers run as that user.
func makeSecrets(dir string) (uid, gid int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, 0, fmt.Errorf("passwords: %w", err)
	}
	uid, gid = os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = imageUser, imageUser
	}
	for _, name := range secretNames {
		file := filepath.Join(dir, name)
		if err := makeSecret(file, uid, gid); err != nil {
			return 0, 0, fmt.Errorf("passwords: %w", err)
		}
		if err := checkSecret(file, uid); err != nil {
			return 0, 0, err
		}
	}
	return uid, gid, nil
}

// makeSecret makes one file, whole or not at all; one that is there stays as it is.
func makeSecret(file string, uid, gid int) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if os.Getuid() == 0 {
		err = errors.Join(err, f.Chown(uid, gid))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, not a rename: of two that do this at once the first one stays.
	if err := os.Link(f.Name(), file); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func checkSecret(file string, uid int) error {
	info, err := os.Lstat(file)
	if err != nil {
		return fmt.Errorf("passwords: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		return fmt.Errorf("the password file %s has mode %v and must be a file of mode 0600: chmod 600 %s", file, info.Mode(), file)
	}
	if owner, ok := ownerOf(info); ok && owner != uid {
		return fmt.Errorf("the password file %s belongs to user %d, and the containers would run as user %d: "+
			"sudo chown -R %s %s, or remove that folder together with the data (make down)",
			file, owner, uid, strconv.Itoa(uid), filepath.Dir(file))
	}
	return nil
}

// SuperuserPassword is that of Postgres's superuser in the containers.
func (p *Project) SuperuserPassword() (string, error) {
	text, err := os.ReadFile(filepath.Join(p.Top, secretsDir, "superuser"))
	if err != nil {
		return "", fmt.Errorf("passwords: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
