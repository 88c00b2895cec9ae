package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	// Recorded: controllers mounted each for itself, version 2 beside them without controllers.
	mountsV1 = `31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 30 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
34 30 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
	groupsV1 = "4:memory:/docker/9f2c\n3:cpuset:/docker/9f2c\n2:cpuacct:/\n1:cpu:/docker/9f2c\n0::/\n"

	mountsV2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	groupsV2 = "0::/system.slice/docker-9f2c.scope\n"

	dirV1 = "sys/fs/cgroup/cpu/docker/9f2c/"
	dirV2 = "sys/fs/cgroup/system.slice/docker-9f2c.scope/"

	// Recorded of a busy container with 0.3 cores.
	statV1 = "nr_periods 150\nnr_throttled 148\nthrottled_time 8921345678\nnr_bursts 0\nburst_time 0\n"
	statV2 = "usage_usec 4500000\nuser_usec 4000000\nsystem_usec 500000\nnr_periods 150\nnr_throttled 148\nthrottled_usec 8921345\nnr_bursts 0\n"
)

// recorded is a group of process 7 in recorded files.
func recorded(t *testing.T, mounts, groups string, files map[string]string) (Group, error) {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{"proc/self/mountinfo": mounts, "proc/7/cgroup": groups}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Of(7)
}

func TestThrottling(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		mounts, groups string
		files          map[string]string
		want           Throttling
		says           string
	}{
		{"v1: nanoseconds", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.stat": statV1},
			Throttling{Periods: 150, Throttled: 148, Time: 8921345678}, ""},
		{"v2: microseconds", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.stat": statV2},
			Throttling{Periods: 150, Throttled: 148, Time: 8921345 * time.Microsecond}, ""},
		{"v2's file where version 1 is", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.stat": statV2}, Throttling{}, "no throttled_time"},
		{"v2 without the controller", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.stat": "usage_usec 4500000"}, Throttling{}, "no nr_periods"},
		{"no file", mountsV1, groupsV1, nil, Throttling{}, "cpu.stat"},
		{"no number", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.stat": "nr_periods many"}, Throttling{}, "many"},
		{"not mounted", mountsV2, groupsV1, nil, Throttling{}, "mounted nowhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, err := recorded(t, tt.mounts, tt.groups, tt.files)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Throttling()
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	a := Throttling{Periods: 100, Throttled: 50, Time: time.Second}
	b := Throttling{Periods: 150, Throttled: 60, Time: 3 * time.Second}
	if d, ok := b.Since(a); !ok || d != (Throttling{Periods: 50, Throttled: 10, Time: 2 * time.Second}) {
		t.Errorf("%+v, %t", d, ok)
	}
	if d, ok := a.Since(b); ok {
		t.Errorf("counters that went backwards make %+v", d)
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		mounts, groups string
		files          map[string]string
		want           float64 // 0: none
		missing        bool
		says           string
	}{
		{"v1", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.cfs_quota_us": "27000", dirV1 + "cpu.cfs_period_us": "100000"}, 0.27, false, ""},
		{"v1, none", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.cfs_quota_us": "-1"}, 0, false, ""},
		{"v1, half a quota", mountsV1, groupsV1, map[string]string{dirV1 + "cpu.cfs_quota_us": "27000"}, 0, false, "without its period"},
		{"v1, no such file", mountsV1, groupsV1, nil, 0, true, "cpu.cfs_quota_us"},
		{"v2", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.max": "150000 100000"}, 1.5, false, ""},
		{"v2, none", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.max": "max 100000"}, 0, false, ""},
		{"v2, the topmost group", mountsV2, "0::/\n", nil, 0, true, "cpu.max"},
		{"v2, nonsense", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.max": "much"}, 0, false, `a quota of "much"`},
		{"no time at all", mountsV2, groupsV2, map[string]string{dirV2 + "cpu.max": "1000 0"}, 0, false, "a period of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, err := recorded(t, tt.mounts, tt.groups, tt.files)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Quota()
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) || Missing(err) != tt.missing {
				t.Errorf("it says %v, want %q, missing: %t", err, tt.says, tt.missing)
			}
			if (got != nil) != (tt.want != 0) || got != nil && *got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, mounts, groups, path, source string }{
		{"v1 beside v2", mountsV1, groupsV1, "/docker/9f2c", "kernel, cgroup v1"},
		{"v1, joined", mountsV1, "10:cpu,cpuacct:/docker/9f2c\n", "/docker/9f2c", "kernel, cgroup v1"},
		{"v2", mountsV2, groupsV2, "/system.slice/docker-9f2c.scope", "kernel, cgroup v2"},
	} {
		g, err := recorded(t, tt.mounts, tt.groups, nil)
		if err != nil || g.Path() != tt.path || g.Source() != tt.source || !g.Within("9f2c") || g.Within("9f2d") {
			t.Errorf("%s: %q, %q, %v", tt.name, g.Path(), g.Source(), err)
		}
	}
	if _, err := recorded(t, mountsV1, "cpu\n", nil); err == nil {
		t.Error("took half a line")
	}
	g, err := recorded(t, mountsV1, groupsV1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.tree.Of(8); !Missing(err) {
		t.Errorf("a process that is not there: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("opened a machine without mounts")
	}
}
