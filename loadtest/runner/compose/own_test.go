package compose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwn(t *testing.T) {
	t.Parallel()
	quota := 0.27
	const rootV1 = "1:cpu:/\n0::/\n"
	v1, v2 := "sys/fs/cgroup/cpu/docker/"+recordedID, "sys/fs/cgroup"+scope
	tests := []struct {
		name           string
		groups, mounts string
		files          map[string]string
		want           Limits
		says           string
	}{
		{"v1, a quota", groupsV1, mountsV1, map[string]string{v1 + "/cpu.cfs_quota_us": "27000", v1 + "/cpu.cfs_period_us": "100000"},
			Limits{Quota: &quota, Source: sourceV1}, ""},
		{"v1, none", groupsV1, mountsV1, map[string]string{v1 + "/cpu.cfs_quota_us": "-1"}, Limits{Source: sourceV1}, ""},
		{"v1, the root", rootV1, mountsV1, nil, Limits{Source: sourceV1}, ""},
		{"v1, not mounted", rootV1, mountsV2, nil, Limits{Source: sourceV1}, "mounted nowhere"},
		{"v1, half a quota", groupsV1, mountsV1, map[string]string{v1 + "/cpu.cfs_quota_us": "27000"}, Limits{Source: sourceV1}, "period"},
		{"v2, a quota", groupsV2, mountsV2, map[string]string{v2 + "/cpu.max": "27000 100000"}, Limits{Quota: &quota, Source: sourceV2}, ""},
		{"v2, none", groupsV2, mountsV2, map[string]string{v2 + "/cpu.max": "max 100000"}, Limits{Source: sourceV2}, ""},
		{"v2, the root", "0::/\n", mountsV2, nil, Limits{Source: sourceV2}, ""},
		{"v2, nonsense", groupsV2, mountsV2, map[string]string{v2 + "/cpu.max": "much"}, Limits{Source: sourceV2}, "much"},
		{"no cgroups", "0::/\n", "", nil, Limits{Source: sourceV2}, "mounted nowhere"},
		{"a broken line", "cpu\n", mountsV1, nil, Limits{}, "a cgroup line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := kernel{t.TempDir()}
			record(t, k, "proc/self/mountinfo", tt.mounts)
			record(t, k, "proc/7/cgroup", tt.groups)
			for name, text := range tt.files {
				record(t, k, name, text)
			}
			got, err := k.own(7)
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("error %v, want %q", err, tt.says)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
