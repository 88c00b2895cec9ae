package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlanCores(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cores int
		want  Cores
	}{
		{"one: everything together", 1, Cores{Generator: []int{0}, Postgres: []int{0}, App: []int{0}}},
		{"two: Postgres beside the application", 2, Cores{Generator: []int{0}, Postgres: []int{1}, App: []int{1}}},
		{"three", 3, Cores{Generator: []int{0}, Postgres: []int{1}, App: []int{2}}},
		{"four", 4, Cores{Generator: []int{0}, Postgres: []int{1}, App: []int{2, 3}}},
		{"five", 5, Cores{Generator: []int{0}, Postgres: []int{1}, App: []int{2, 3, 4}}},
		{"six: the first is the system's", 6, Cores{Generator: []int{1}, Postgres: []int{2}, App: []int{3, 4, 5}}},
		{"eight", 8, Cores{Generator: []int{1, 2}, Postgres: []int{3, 4}, App: []int{5, 6, 7}}},
		{"twelve", 12, Cores{Generator: []int{1, 2, 3}, Postgres: []int{4, 5, 6}, App: []int{7, 8, 9, 10, 11}}},
		{"none is one", 0, Cores{Generator: []int{0}, Postgres: []int{0}, App: []int{0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, PlanCores(tt.cores)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPlanKeepsApart holds for every machine: no core is planned twice, except where there are less than three, and all
// planned cores exist.
func TestPlanKeepsApart(t *testing.T) {
	t.Parallel()
	for n := 3; n <= 256; n++ {
		c := PlanCores(n)
		all := slices.Concat(c.Generator, c.Postgres, c.App)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) || all[0] < 0 || all[len(all)-1] != n-1 {
			t.Errorf("%d cores: %+v", n, c)
		}
		if len(c.App) < len(c.Generator) || len(c.App) < len(c.Postgres) {
			t.Errorf("%d cores: the application has less than the others: %+v", n, c)
		}
	}
}

func TestPlanUsesTheCoresThereAre(t *testing.T) {
	t.Parallel()
	want := Cores{Generator: []int{2}, Postgres: []int{7}, App: []int{9, 11}}
	if diff := cmp.Diff(want, plan([]int{2, 7, 9, 11})); diff != "" {
		t.Error(diff)
	}
	if _, err := PlanHere(); err != nil {
		t.Error(err)
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	release, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(path); err == nil || !strings.Contains(err.Error(), "pid "+strconv.Itoa(os.Getpid())) {
		t.Errorf("a second holder: %v, want an error that names the first", err)
	}
	release()
	again, err := lockFile(path)
	if err != nil {
		t.Fatalf("after its release: %v", err)
	}
	again()
}
