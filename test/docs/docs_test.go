// Package docs holds the documentation to what is there: its make targets, links, settings and commands. It knows the
// documents' headings and tables, and nothing of the shop.
package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const top = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMakeTargets(t *testing.T) {
	t.Parallel()
	makefile := read(t, "Makefile")
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		complain(t, name, missingTargets(code(read(t, name)), makefile))
	}
	complain(t, ".ci/run", missingTargets(read(t, ".ci/run"), makefile))
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		complain(t, name, brokenLinks(read(t, name)))
	}
}

// TestFaultsAreFound is the negative control of the checks above.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		found []string
		want  string
	}{
		{"unknown target in a block", missingTargets(code("```sh\nmake fly\n```\n"), "test: build\n"), "make fly"},
		{"unknown target in a span", missingTargets(code("Then `make fly` it.\n"), "test: build\n"), "make fly"},
		{"known target", missingTargets(code("`make test`"), "test: build\n"), ""},
		{"prose is no target", missingTargets(code("They make tables."), "test: build\n"), ""},
		{"broken file link", brokenLinks("[x](no/such/file.md)"), "no/such/file.md"},
		{"broken anchor", brokenLinks("# One Heading\n[x](#another)"), "#another"},
		{"good links", brokenLinks("# One Heading: two\n[x](#one-heading-two) [y](README.md) [z](https://example.org)"), ""},
		{"undocumented flag", differences([]string{"--a"}, []string{"--a", "--b"}), "--b is not documented"},
		{"invented flag", differences([]string{"--a", "--c"}, []string{"--a"}), "--c does not exist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(tt.found, ", "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func complain(t *testing.T, where string, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Errorf("%s: %s", where, f)
	}
}

var (
	fence      = regexp.MustCompile("(?ms)^```.*?^```")
	span       = regexp.MustCompile("`[^`\n]+`")
	makeTarget = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notAnchor  = regexp.MustCompile(`[^a-z0-9 -]`)
)

// code returns the code blocks and code spans of a document.
func code(doc string) string {
	blocks := fence.FindAllString(doc, -1)
	spans := span.FindAllString(fence.ReplaceAllString(doc, ""), -1)
	return strings.Join(append(blocks, spans...), "\n")
}

func missingTargets(text, makefile string) []string {
	var faults []string
	for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
		if !strings.Contains("\n"+makefile, "\n"+m[1]+":") {
			faults = append(faults, m[0])
		}
	}
	return faults
}

func brokenLinks(doc string) []string {
	var anchors []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(doc, ""), -1) {
		anchors = append(anchors, "#"+strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	var faults []string
	for _, m := range link.FindAllStringSubmatch(doc, -1) {
		switch target := m[1]; {
		case strings.Contains(target, "://"):
		case strings.HasPrefix(target, "#"):
			if !slices.Contains(anchors, target) {
				faults = append(faults, target)
			}
		default:
			if _, err := os.Stat(filepath.Join(top, target)); err != nil {
				faults = append(faults, target)
			}
		}
	}
	return faults
}

// section returns what stands under a heading of the second level.
func section(t *testing.T, doc, title string) string {
	t.Helper()
	_, rest, found := strings.Cut(doc, "\n## "+title+"\n")
	if !found {
		t.Fatalf("there is no section %q", title)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// differences compares the flags of a document with those of a binary.
func differences(documented, real []string) []string {
	var faults []string
	for _, f := range documented {
		if !slices.Contains(real, f) {
			faults = append(faults, fmt.Sprintf("%s does not exist", f))
		}
	}
	for _, f := range real {
		if !slices.Contains(documented, f) {
			faults = append(faults, fmt.Sprintf("%s is not documented", f))
		}
	}
	return faults
}
