package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"splitshop/loadtest/runner"
	"splitshop/pgserver"
)

// migrate runs `monolith migrate` on a database, and returns its log.
func (w *world) migrate(pg *pgserver.Server, database string) (log string, err error) {
	dir := w.logFolder("migrate")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "migrate.log")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	cmd := exec.CommandContext(context.Background(), filepath.Join(w.bin(), "monolith"), "migrate")
	cmd.Env = []string{"SHOP_OWNER_DB=" + pg.SuperuserURL(database), fmt.Sprintf("SHOP_PRODUCTS=%d", products)}
	for role, password := range runner.Passwords(pg) {
		cmd.Env = append(cmd.Env, strings.ToUpper(role)+"_PASSWORD="+password)
	}
	cmd.Stdout, cmd.Stderr = f, f
	err = cmd.Run()
	text, readErr := os.ReadFile(path)
	if err == nil {
		err = readErr
	}
	return string(text), err
}

// saidBy returns the lines of logs that have a message.
func saidBy(logs []string, msg string) (lines []string) {
	for line := range strings.Lines(strings.Join(logs, "")) {
		var entry struct{ Msg string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == msg {
			lines = append(lines, line)
		}
	}
	return lines
}
