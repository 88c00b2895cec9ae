package runner

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordedPair is two samples, ten seconds apart, of a generator on core 0 and a gateway and Postgres on core 1, as one kernel that
// charges softirq counted them, rounded to hundredths.
func recordedPair() (a, b Sample) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	part := func(name string, cpu time.Duration, cores ...int) PartSample {
		return PartSample{Name: name, PID: 1, CPU: cpu, Cores: cores}
	}
	a = Sample{At: time.Unix(1000, 0), Cores: []CoreTime{{Core: 0}, {Core: 1}}, Others: ms(9000),
		Parts: []PartSample{part("gateway", 0, 1), part("postgres", 0, 1), part("generator", 0, 0)}}
	b = Sample{At: time.Unix(1010, 0), Cores: []CoreTime{
		{Core: 0, Busy: ms(4300), Idle: ms(5700), IRQ: ms(40), SoftIRQ: ms(1200)},
		{Core: 1, Busy: ms(9700), Idle: ms(250), SoftIRQ: ms(2900), Steal: ms(50)}}, Others: ms(9290),
		Parts: []PartSample{part("gateway", ms(5200), 1), part("postgres", ms(4300), 1), part("generator", ms(4100), 0)}}
	return a, b
}

// uncharged takes the cores' interrupts out of the parts' CPU, as a kernel has it that charges nobody for them.
func uncharged(_, b *Sample) {
	b.Parts[0].CPU -= 1600 * time.Millisecond
	b.Parts[1].CPU -= 1300 * time.Millisecond
	b.Parts[2].CPU -= 1240 * time.Millisecond
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	less := func(part int, ms time.Duration) func(_, b *Sample) {
		return func(_, b *Sample) { b.Parts[part].CPU -= ms * time.Millisecond }
	}
	tests := []struct {
		name    string
		charged SoftIRQ
		change  func(a, b *Sample)
		adds    map[int]bool // by the first core of each account
	}{
		{"as counted", SoftIRQOfWhich, func(_, _ *Sample) {}, map[int]bool{0: true, 1: true}},
		{"taken for a kernel that charges nobody: softirq would be added twice", SoftIRQBeside, func(_, _ *Sample) {}, map[int]bool{0: false, 1: false}},
		{"not known: what fits", SoftIRQUnknown, func(_, _ *Sample) {}, map[int]bool{0: true, 1: true}},
		{"a kernel that charges nobody", SoftIRQBeside, uncharged, map[int]bool{0: true, 1: true}},
		{"the same, taken for one that charges", SoftIRQOfWhich, uncharged, map[int]bool{0: false, 1: false}},
		{"the same, not known: what fits", SoftIRQUnknown, uncharged, map[int]bool{0: true, 1: true}},
		{"4 % too little", SoftIRQOfWhich, less(0, 380), map[int]bool{0: true, 1: true}},
		{"9 % too little: the others may have used 3 %, but not on both cores", SoftIRQOfWhich, less(0, 870), map[int]bool{0: false, 1: false}},
		{"8 % too much on one core", SoftIRQOfWhich, less(1, -700), map[int]bool{0: true, 1: false}},
		{"others make up for it", SoftIRQOfWhich, func(_, b *Sample) {
			b.Parts[0].CPU -= 2 * time.Second
			b.Others += 2 * time.Second
		}, map[int]bool{0: true, 1: true}},
		{"others who used more than was left are not believed", SoftIRQOfWhich, func(_, b *Sample) { b.Others += time.Minute },
			map[int]bool{0: true, 1: true}},
		{"a part that ended", SoftIRQOfWhich, func(_, b *Sample) { b.Parts[0] = PartSample{Name: "gateway", Cores: []int{1}} },
			map[int]bool{0: true, 1: false}},
		{"a part that may run anywhere joins the cores", SoftIRQOfWhich, func(_, b *Sample) { b.Parts[2].Cores = nil }, map[int]bool{0: true}},
		{"an idle core, to what the kernel's steps leave open", SoftIRQOfWhich, func(_, b *Sample) {
			b.Cores[0] = CoreTime{Core: 0, Busy: 300 * time.Millisecond, Idle: 9700 * time.Millisecond}
			b.Parts[2].CPU = 110 * time.Millisecond
		}, map[int]bool{0: true, 1: true}},
		{"a core that idled less than it could", SoftIRQOfWhich, func(_, b *Sample) {
			b.Cores[0] = CoreTime{Core: 0, Busy: 700 * time.Millisecond, Idle: 9300 * time.Millisecond}
			b.Parts[2].CPU = 110 * time.Millisecond
		}, map[int]bool{0: false, 1: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := recordedPair()
			tt.change(&a, &b)
			adds := map[int]bool{}
			for _, acc := range Between(a, b, tt.charged).Accounts {
				adds[acc.Cores[0]] = acc.AddsUp()
			}
			if diff := cmp.Diff(tt.adds, adds); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIslands(t *testing.T) {
	t.Parallel()
	s := Sample{}
	for c := range 8 {
		s.Cores = append(s.Cores, CoreTime{Core: c})
	}
	for _, cores := range [][]int{{5, 6, 7}, {6}, {3, 4}, {1, 2}} {
		s.Parts = append(s.Parts, PartSample{Cores: cores})
	}
	if diff := cmp.Diff([][]int{{0}, {1, 2}, {3, 4}, {5, 6, 7}}, islands(s)); diff != "" {
		t.Error(diff)
	}
	s.Parts = append(s.Parts, PartSample{Cores: []int{2, 3}}, PartSample{Cores: []int{99}})
	if diff := cmp.Diff([][]int{{0}, {1, 2, 3, 4}, {5, 6, 7}}, islands(s)); diff != "" {
		t.Error(diff)
	}
}
