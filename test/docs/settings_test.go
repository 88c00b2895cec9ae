package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// servers are the commands that the settings table calls so.
var servers = []string{"monolith", "gateway", "catalog", "cart", "orders"}

// TestSettings compares the README's table of settings with what each binary says of itself, both ways.
func TestSettings(t *testing.T) {
	t.Parallel()
	documented := settings(t, section(t, read(t, "README.md"), "Settings"))
	for _, command := range append(slices.Clone(servers), "monolith migrate") {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			complain(t, command, differences(documented[command], flags(help(t, command))))
		})
	}
}

// TestLabCommands checks the lab's commands in the README without measuring anything: the sub-commands and flags exist.
func TestLabCommands(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, line := range strings.Split(read(t, "README.md")+read(t, "Makefile"), "\n") {
		args, found := strings.CutPrefix(strings.TrimSpace(line), "bin/loadtest ")
		if !found {
			continue
		}
		seen++
		said := help(t, "loadtest "+strings.Fields(args)[0])
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(args, -1) {
			if !strings.Contains(said, " "+flag) {
				t.Errorf("%s: there is no %s", line, flag)
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d commands of the lab found", seen)
	}
}

var settingsRow = regexp.MustCompile("(?m)^\\| `(--[a-z-]+)` \\| `(SHOP_[A-Z_]+)` \\| ([a-z, ]+) \\|")

// settings reads the table: the flags of each command. A variable must be its flag's name.
func settings(t *testing.T, text string) map[string][]string {
	t.Helper()
	documented := make(map[string][]string)
	for _, row := range settingsRow.FindAllStringSubmatch(text, -1) {
		flag, variable, commands := row[1], row[2], strings.Split(row[3], ", ")
		if want := "SHOP_" + strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_")); variable != want {
			t.Errorf("the variable of %s is %s, not %s", flag, want, variable)
		}
		if row[3] == "servers" {
			commands = servers
		}
		for _, c := range commands {
			documented[c] = append(documented[c], flag)
		}
	}
	return documented
}

// help returns what a command prints for --help, on one line.
func help(t *testing.T, command string) string {
	t.Helper()
	args := strings.Fields(command)
	if slices.Contains(servers, command) {
		args = append(args, "serve") // the default command
	}
	cmd := exec.Command(filepath.Join(bin, args[0]), append(args[1:], "--help")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

var flagInHelp = regexp.MustCompile(`(--[a-z-]+)[^$]*\(\$(SHOP_[A-Z_]+)\)`)

// flags finds the flags in a help text. Each of ours names its variable; --help has none.
func flags(help string) []string {
	_, list, _ := strings.Cut(help, "--help ")
	var names []string
	for _, m := range flagInHelp.FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	return names
}
