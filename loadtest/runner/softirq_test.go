package runner

import (
	"testing"
	"time"
)

func TestBurstJudge(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	waited := func(d time.Duration) *time.Duration { return &d }
	tests := []struct {
		name string
		b    burst
		want SoftIRQ
	}{
		{"charged: the thread has all of the time", burst{wall: 400 * ms, cpu: 398 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 120 * ms},
			SoftIRQOfWhich},
		{"not charged: that time is missing", burst{wall: 400 * ms, cpu: 281 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 120 * ms},
			SoftIRQBeside},
		{"charged, while others had the core", burst{wall: 400 * ms, cpu: 270 * ms, waited: waited(128 * ms), interrupts: 100 * ms,
			softIRQ: 90 * ms}, SoftIRQOfWhich},
		{"stolen time is nobody's", burst{wall: 400 * ms, cpu: 379 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 110 * ms, steal: 20 * ms},
			SoftIRQOfWhich},
		{"something is missing, and waiting is not counted", burst{wall: 400 * ms, cpu: 281 * ms, interrupts: 120 * ms, softIRQ: 120 * ms},
			SoftIRQUnknown},
		{"half of it is missing", burst{wall: 400 * ms, cpu: 340 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 120 * ms}, SoftIRQUnknown},
		{"far more is missing", burst{wall: 400 * ms, cpu: 100 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 120 * ms}, SoftIRQUnknown},
		{"the kernel counts none", burst{wall: 400 * ms, cpu: 400 * ms, waited: waited(0)}, SoftIRQUnknown},
		{"too little", burst{wall: 400 * ms, cpu: 400 * ms, waited: waited(0), interrupts: 20 * ms, softIRQ: 20 * ms}, SoftIRQUnknown},
		{"a machine that is not ours", burst{wall: 400 * ms, cpu: 270 * ms, waited: waited(0), interrupts: 120 * ms, softIRQ: 120 * ms,
			steal: 130 * ms}, SoftIRQUnknown},
	}
	for _, tt := range tests {
		if got := tt.b.judge(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
