package compose

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "secrets")
	var all sync.WaitGroup
	for range 8 { // at once: all must see the same passwords
		all.Go(func() {
			if _, _, err := makeSecrets(dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	uid, _, err := makeSecrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	if root := os.Getuid() == 0; root && uid != imageUser || !root && uid != os.Getuid() {
		t.Errorf("the containers would run as user %d", uid)
	}
	seen := make(map[string]bool)
	for _, name := range secretNames {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if owner, _ := ownerOf(info); info.Mode() != 0o600 || owner != uid {
			t.Errorf("%s: mode %v, owner %d", name, info.Mode(), owner)
		}
		password := strings.TrimSpace(string(text))
		if len(password) < 26 || seen[password] { // 128 bits in base 32
			t.Errorf("%s: %d characters, or one that another has", name, len(password))
		}
		seen[password] = true
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(secretNames) {
		t.Errorf("left there: %v, %v", left, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
}

func TestSecretsThatOthersCanRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := makeSecrets(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "cart"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := makeSecrets(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("it says %v", err)
	}
}
