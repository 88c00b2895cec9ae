package compose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	recordedID = "9f2c7c1d3b0c4f7a8e5d6b1a2c3d4e5f60718293a4b5c6d7e8f9000112233445"
	sourceV1   = "kernel, cgroup v1"
	sourceV2   = "kernel, cgroup v2"
	noLimit    = "9223372036854771712" // what version 1 says where memory has no limit, with pages of 4 KiB

	// Recorded: controllers mounted each for itself, version 2 beside them without controllers.
	mountsV1 = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
	groupsV1 = "9:name=systemd:/docker/" + recordedID + "\n4:memory:/docker/" + recordedID + "\n3:cpuset:/docker/" + recordedID +
		"\n2:cpuacct:/docker/" + recordedID + "\n1:cpu:/docker/" + recordedID + "\n0::/\n"

	// As distributions with systemd have it: cpu and cpuacct together.
	mountsV1Joined = `25 18 0:22 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:7 - tmpfs tmpfs ro,mode=755
29 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid,nodev,noexec,relatime shared:11 - cgroup cgroup rw,cpu,cpuacct
30 25 0:27 / /sys/fs/cgroup/cpuset rw,nosuid,nodev,noexec,relatime shared:12 - cgroup cgroup rw,cpuset
31 25 0:28 / /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:13 - cgroup cgroup rw,memory
`
	groupsV1Joined = "10:cpu,cpuacct:/docker/" + recordedID + "\n6:memory:/docker/" + recordedID + "\n5:cpuset:/docker/" + recordedID +
		"\n1:name=systemd:/docker/" + recordedID + "\n"

	mountsV2 = `24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
`
	scope    = "/system.slice/docker-" + recordedID + ".scope"
	groupsV2 = "0::" + scope + "\n"

	// Inside a container that was given the whole hierarchy from its own group on.
	mountsV2Below = "35 24 0:30 /outer /sys/fs/cgroup rw - cgroup2 cgroup rw\n"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	quota, memory := 0.27, int64(256<<20)
	v1 := "sys/fs/cgroup/"
	joined := v1 + "cpu,cpuacct/docker/" + recordedID
	tests := []struct {
		name           string
		groups, mounts string
		files          map[string]string
		want           Limits
		says           string
	}{
		{"v1", groupsV1, mountsV1, map[string]string{
			v1 + "cpu/docker/" + recordedID + "/cpu.cfs_quota_us":         "27000",
			v1 + "cpu/docker/" + recordedID + "/cpu.cfs_period_us":        "100000",
			v1 + "cpuset/docker/" + recordedID + "/cpuset.cpus":           "1",
			v1 + "memory/docker/" + recordedID + "/memory.limit_in_bytes": "268435456",
		}, Limits{Cores: []int{1}, Quota: &quota, Memory: &memory, Source: "kernel, cgroup v1"}, ""},
		{"v1, joined, no limits", groupsV1Joined, mountsV1Joined, map[string]string{
			joined + "/cpu.cfs_quota_us":                                  "-1",
			joined + "/cpu.cfs_period_us":                                 "100000",
			v1 + "cpuset/docker/" + recordedID + "/cpuset.cpus":           "0-7",
			v1 + "memory/docker/" + recordedID + "/memory.limit_in_bytes": noLimit,
		}, Limits{Cores: []int{0, 1, 2, 3, 4, 5, 6, 7}, Source: "kernel, cgroup v1"}, ""},
		{"v1, a file is missing", groupsV1, mountsV1, nil, Limits{}, "cpu.cfs_quota_us"},
		{"v2", groupsV2, mountsV2, map[string]string{
			v1 + scope + "/cpu.max":               "27000 100000",
			v1 + scope + "/cpuset.cpus.effective": "5-7",
			v1 + scope + "/memory.max":            "268435456",
		}, Limits{Cores: []int{5, 6, 7}, Quota: &quota, Memory: &memory, Source: "kernel, cgroup v2"}, ""},
		{"v2, no limits", groupsV2, mountsV2, map[string]string{
			v1 + scope + "/cpu.max":               "max 100000",
			v1 + scope + "/cpuset.cpus.effective": "0-1",
			v1 + scope + "/memory.max":            "max",
		}, Limits{Cores: []int{0, 1}, Source: "kernel, cgroup v2"}, ""},
		{"v2, mounted from below the root", "0::/outer" + scope + "\n", mountsV2Below, map[string]string{
			v1 + scope + "/cpu.max":               "max 100000",
			v1 + scope + "/cpuset.cpus.effective": "0-1",
			v1 + scope + "/memory.max":            "max",
		}, Limits{Cores: []int{0, 1}, Source: "kernel, cgroup v2"}, ""},
		{"v2, mounted elsewhere", "0::/another" + scope + "\n", mountsV2Below, nil, Limits{}, "mounted nowhere"},
		{"v2, nonsense", groupsV2, mountsV2, map[string]string{
			v1 + scope + "/cpu.max": "much", v1 + scope + "/cpuset.cpus.effective": "0", v1 + scope + "/memory.max": "max",
		}, Limits{}, `a quota of "much"`},
		{"another process of that number", "0::/user.slice\n", mountsV2, nil, Limits{}, errNotThere.Error()},
		{"no such process", "", mountsV2, nil, Limits{}, errNotThere.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := kernel{t.TempDir()}
			files := map[string]string{"proc/self/mountinfo": tt.mounts}
			if tt.groups != "" {
				files["proc/4711/cgroup"] = tt.groups
			}
			for name, text := range files {
				record(t, k, name, text)
			}
			for name, text := range tt.files {
				record(t, k, name, text+"\n")
			}
			got, err := k.limits(4711, recordedID)
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func record(t *testing.T, k kernel, name, text string) {
	t.Helper()
	file := filepath.Join(k.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
