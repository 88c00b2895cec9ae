package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"splitshop/loadtest/result"
)

func TestReportOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"one", "two"} {
		r := result.Result{Command: []string{"loadtest", "ramp"}, Mode: "ramp", Plan: result.Plan{Mix: name}, Started: time.Unix(0, 0).UTC()}
		files = append(files, filepath.Join(dir, name+".json"))
		if err := result.WriteFile(files[len(files)-1], r); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"text", "markdown", "csv", "html"} {
		args := append([]string{"report", "--format", format}, files...)
		code, first, stderr := runLab(t.Context(), args...)
		if _, second, _ := runLab(t.Context(), args...); code != 0 || first == "" || first != second {
			t.Errorf("%s: exit %d, %s: %d and %d bytes", format, code, stderr, len(first), len(second))
		}
		if at, then := strings.Index(first, "of one"), strings.Index(first, "of two"); format != "csv" && (at < 0 || then < at) {
			t.Errorf("%s: not both results in order:\n%s", format, first)
		}
	}
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"schema": "splitshop-result/0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{bad, filepath.Join(dir, "none.json")} {
		out := filepath.Join(dir, "out.html")
		code, stdout, stderr := runLab(t.Context(), "report", "--format", "html", "--out", out, files[0], file)
		if _, err := os.Stat(out); code != exitCouldNotRun || stdout != "" || !strings.Contains(stderr, file) || err == nil {
			t.Errorf("%s: exit %d, %q, %q", file, code, stdout, stderr)
		}
	}
}
