package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/runner/cgroup"
)

// recordedTree is control groups of version 1 in files: those of processes, and what each group says.
func recordedTree(t *testing.T, groups map[int]string, files map[string]string) cgroup.Tree {
	t.Helper()
	all := map[string]string{"proc/self/mountinfo": "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"}
	for pid, group := range groups {
		all["proc/"+strconv.Itoa(pid)+"/cgroup"] = "1:cpu:" + group + "\n0::/\n"
	}
	for name, text := range files {
		all["sys/fs/cgroup/cpu/"+name] = text
	}
	root := t.TempDir()
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := cgroup.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestHold(t *testing.T) {
	t.Parallel()
	const stat = "nr_periods 150\nnr_throttled 148\nthrottled_time 8921345678\n"
	files := func(group, quota, stat string) map[string]string {
		return map[string]string{group + "/cpu.cfs_quota_us": quota, group + "/cpu.cfs_period_us": "100000", group + "/cpu.stat": stat}
	}
	quota, throttling := 0.17, cgroup.Throttling{Periods: 150, Throttled: 148, Time: 8921345678}
	held := func(p PartSample) PartSample {
		p.Quota, p.Throttling = &quota, &throttling
		return p
	}
	gateway, cart, generator := PartSample{Name: "gateway", PID: 7}, PartSample{Name: "cart", PID: 8}, PartSample{Name: "generator", PID: 9}
	tests := []struct {
		name   string
		groups map[int]string
		files  map[string]string
		want   []PartSample
	}{
		{"a container's own", map[int]string{7: "/docker/a", 8: "/docker/b", 9: "/"}, files("docker/a", "17000", stat),
			[]PartSample{held(gateway), cart, generator}},
		{"no quota is n/a, not 0", map[int]string{7: "/docker/a", 8: "/docker/b", 9: "/"}, files("docker/a", "-1", stat),
			[]PartSample{gateway, cart, generator}},
		{"two parts in one group", map[int]string{7: "/docker/a", 8: "/docker/a", 9: "/"}, files("docker/a", "17000", stat),
			[]PartSample{gateway, cart, generator}},
		{"local processes: the lab's group, which holds the generator", map[int]string{7: "/lab", 8: "/lab", 9: "/lab"},
			files("lab", "17000", stat), []PartSample{gateway, cart, held(generator)}},
		{"counters that cannot be read", map[int]string{7: "/docker/a", 8: "/docker/b", 9: "/"}, files("docker/a", "17000", "nr_periods"),
			[]PartSample{{Name: "gateway", PID: 7, Quota: &quota}, cart, generator}},
		{"a part that has ended", map[int]string{8: "/docker/b", 9: "/"}, files("docker/b", "17000", stat),
			[]PartSample{gateway, held(cart), generator}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts := []PartSample{gateway, cart, generator}
			hold(recordedTree(t, tt.groups, tt.files), parts)
			if diff := cmp.Diff(tt.want, parts); diff != "" {
				t.Error(diff)
			}
		})
	}
	parts := []PartSample{{Name: "gateway"}}
	if hold(recordedTree(t, map[int]string{0: "/docker/a"}, files("docker/a", "17000", stat)), parts); parts[0].Quota != nil {
		t.Error("a part without a process has a quota")
	}
}

func TestCheckQuotas(t *testing.T) {
	t.Parallel()
	q := func(cores float64) *float64 { return &cores }
	tests := []struct {
		name         string
		planned, had *float64
		says         string
	}{
		{"none planned, none had", nil, nil, ""},
		{"as planned", q(0.17), q(0.17), ""},
		{"as planned, to what the kernel rounds", q(0.17), q(0.17004), ""},
		{"not applied", q(0.17), nil, "has no CPU quota of its own that could be read back, planned are 0.17 cores"},
		{"another", q(0.17), q(0.27), "has a quota of 0.270 cores, planned are 0.170"},
		{"one that nobody planned", nil, q(1), "has a quota of 1.00 cores, none is planned"},
	}
	for _, tt := range tests {
		r := &Running{pgPart: &Part{Name: partPostgres, Quota: tt.planned}}
		err := r.CheckQuotas(Sample{Parts: []PartSample{{Name: partPostgres, Quota: tt.had}, {Name: partGenerator, Quota: q(3)}}})
		if (err != nil) != (tt.says != "") || err != nil && err.Error() != "postgres "+tt.says {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	r := &Running{pgPart: &Part{Name: partPostgres, Quota: q(1)}}
	if err := r.CheckQuotas(Sample{}); err == nil || !strings.Contains(err.Error(), "could be read back") {
		t.Errorf("nothing was read: %v", err)
	}
}
