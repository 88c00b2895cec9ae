package runner

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	page := int64(os.Getpagesize())
	tests := []struct {
		name, text string
		want       procStat
		wantErr    bool
	}{
		{
			name: "a Go program",
			text: "2197 (monolith) S 2170 2197 2170 0 -1 4194304 1893 0 3 0 1234 567 0 0 20 0 9 0 161337 1271894016 4821 18446744073709551615 " +
				"4194304 9876543 140725 0 0 0 0 0 2143420159 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			want: procStat{parent: 2170, cpu: 18010 * time.Millisecond, threads: 9, rss: 4821 * page},
		},
		{
			name: "a postmaster with ended children",
			text: "881 (postgres) S 1 881 881 0 -1 4194560 5119 98765 0 12 7 13 250 125 20 0 1 0 9001 221962240 6912 18446744073709551615 " +
				"1 1 0 0 0 0 0 19935232 84487 0 0 0 17 0 0 0 0 0 0\n",
			want: procStat{parent: 1, cpu: 200 * time.Millisecond, reaped: 3750 * time.Millisecond, threads: 1, rss: 6912 * page},
		},
		{
			name: "a name made to confuse",
			text: "42 (a) S 1 (b) Z) R 7 42 42 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 1 1 8 1\n",
			want: procStat{parent: 7, cpu: 30 * time.Millisecond, reaped: 70 * time.Millisecond, threads: 5, rss: 8 * page},
		},
		{name: "cut off", text: "42 (cat) R 7 42 42 0", wantErr: true},
		{name: "no name", text: "42 cat R 7", wantErr: true},
		{name: "no number", text: "42 (cat) R 7 42 42 0 -1 0 0 0 0 0 x 2 3 4 20 0 5 0 1 1 8 1\n", wantErr: true},
		{name: "empty", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStat([]byte(tt.text))
			if (err != nil) != tt.wantErr {
				t.Fatalf("error %v, wanted one: %t", err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(procStat{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseCoreTimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []CoreTime
		wantErr    bool
	}{
		{
			name: "two cores, recorded",
			text: "cpu  95342 11 22180 265812 3311 0 1456 9021 0 0\n" +
				"cpu0 47671 1 11090 132906 1655 2 728 4510 0 0\n" +
				"cpu1 47671 10 11090 132906 1656 0 728 4511 100 0\n" +
				"intr 12190043 0 9\nctxt 20941411\nbtime 1796070000\nprocesses 112233\n",
			want: []CoreTime{
				{Core: 0, Busy: 594920 * time.Millisecond, Idle: 1345610 * time.Millisecond, IRQ: 20 * time.Millisecond,
					SoftIRQ: 7280 * time.Millisecond, Steal: 45100 * time.Millisecond},
				{Core: 1, Busy: 594990 * time.Millisecond, Idle: 1345620 * time.Millisecond, SoftIRQ: 7280 * time.Millisecond,
					Steal: 45110 * time.Millisecond},
			},
		},
		{
			name: "a core that is switched off is missing",
			text: "cpu  1 1 1 1 1 1 1 1 1 1\ncpu3 1 2 3 4 5 6 7 8 9 10\n",
			want: []CoreTime{{Core: 3, Busy: 190 * time.Millisecond, Idle: 90 * time.Millisecond, IRQ: 60 * time.Millisecond,
				SoftIRQ: 70 * time.Millisecond, Steal: 80 * time.Millisecond}},
		},
		{name: "no cores", text: "cpu  1 1 1 1 1 1 1 1 1 1\n", wantErr: true},
		{name: "no number", text: "cpu0 1 2 3 4 5 6 x 8 9 10\n", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseCoreTimes([]byte(tt.text))
			if (err != nil) != tt.wantErr {
				t.Fatalf("error %v, wanted one: %t", err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseSchedstat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       time.Duration
		wantErr    bool
	}{
		{name: "recorded", text: "148771532 9100404 3321\n", want: 9100404 * time.Nanosecond},
		{name: "cut off", text: "148771532\n", wantErr: true},
		{name: "no number", text: "1 x 3\n", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseSchedstat([]byte(tt.text))
			if (err != nil) != tt.wantErr || got != tt.want {
				t.Errorf("got %v, %v, want %v, an error: %t", got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestParsePSS(t *testing.T) {
	t.Parallel()
	rollup := "55d3a9e3c000-7ffd6b5f6000 ---p 00000000 00:00 0                          [rollup]\n" +
		"Rss:               30112 kB\nPss:               12345 kB\nPss_Dirty:          9876 kB\n"
	value, err := field([]byte(rollup), "Pss")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseKB(value); err != nil || got != 12345<<10 {
		t.Errorf("Pss %d, %v", got, err)
	}
	if _, err := field([]byte(rollup), "Swap"); err == nil {
		t.Error("found a field that is not there")
	}
	if _, err := parseKB("12345"); err == nil {
		t.Error("took a number without its unit")
	}
}

func TestListeners(t *testing.T) {
	t.Parallel()
	log := `{"time":"t","level":"INFO","msg":"configuration","service":"cart","addr":"127.0.0.1:0"}
goroutine 1 [running]:
{"time":"t","level":"INFO","msg":"listening","service":"cart","listener":"admin","addr":"127.0.0.1:40001"}
{"time":"t","level":"INFO","msg":"listening","service":"cart","listener":"public","addr":"unix:/tmp/cart.sock"}
{"time":"t","level":"INFO","msg":"listening","service":"cart","listener":"publ`
	tests := []struct {
		name, public, admin string
		upTo                int // bytes of the log
	}{
		{name: "all of it", upTo: len(log), public: "unix:/tmp/cart.sock", admin: "127.0.0.1:40001"},
		{name: "so far the admin page only", upTo: len(log) - 150, admin: "127.0.0.1:40001"},
		{name: "nothing yet", upTo: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			public, admin := listeners(strings.NewReader(log[:tt.upTo]))
			if public != tt.public || admin != tt.admin {
				t.Errorf("public %q admin %q, want %q and %q", public, admin, tt.public, tt.admin)
			}
		})
	}
}
