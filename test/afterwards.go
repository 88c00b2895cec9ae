package test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// searchLogs returns an error for each log under dir that holds a password, or the report of a data race. Case 34.
func searchLogs(dir string, passwords []string) error {
	var errs []error
	searched := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		searched++
		name := strings.TrimPrefix(path, dir)
		for _, password := range passwords {
			if at := bytes.Index(text, []byte(password)); at >= 0 {
				errs = append(errs, fmt.Errorf("%s holds a password, at byte %d", name, at))
			}
		}
		if _, report, found := bytes.Cut(text, []byte("WARNING: DATA RACE")); found {
			errs = append(errs, fmt.Errorf("%s reports a data race:%.4000s", name, report))
		}
		return nil
	})
	if searched == 0 {
		errs = append(errs, fmt.Errorf("there are no logs in %s", dir))
	}
	return errors.Join(append(errs, err)...)
}

// nothingRuns returns an error for each process that is a child of this one. Where there is no /proc it sees none.
func nothingRuns() error {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state parent ...", where the name may hold anything.
		name, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			errs = append(errs, fmt.Errorf("process %s) is left, in state %s", name, fields[0]))
		}
	}
	return errors.Join(errs...)
}
