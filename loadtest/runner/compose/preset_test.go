package compose

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const shippedPresets = "../../../compose/presets"

// tunedShares are what the tuned presets say they were made of.
var tunedShares = []float64{0.51, 0.33, 0.10, 0.06}

// TestShippedPresets holds the files to the core plan and to the budget: 2/3 of the application's cores.
func TestShippedPresets(t *testing.T) {
	t.Parallel()
	plan := map[int][3]string{8: {"1-2", "3-4", "5-7"}, 4: {"0", "1", "2-3"}, 2: {"0", "1", "1"}}
	for cores, sets := range plan {
		for _, quotas := range []string{QuotasNone, QuotasEven, QuotasTuned} {
			t.Run(fmt.Sprintf("%d-%s", cores, quotas), func(t *testing.T) {
				t.Parallel()
				file, err := PresetFor(shippedPresets, cores, quotas)
				if err != nil {
					t.Fatal(err)
				}
				p, err := ReadPreset(file, cores)
				if err != nil {
					t.Fatal(err)
				}
				got := [3]string{p.vars[coresGenerator], FormatCores(p.Cores(partPostgres)), FormatCores(p.Cores("cart"))}
				if got != sets {
					t.Errorf("cores of generator, Postgres, application: %v, want %v", got, sets)
				}
				budget := math.Round(100*float64(len(p.Cores("cart")))*2/3) / 100
				want := map[string][]float64{QuotasNone: {0, 0, 0, 0}}[quotas]
				switch quotas {
				case QuotasNone:
					budget = 0
				case QuotasEven:
					want, err = Split(budget, []float64{1, 1, 1, 1})
				case QuotasTuned:
					want, err = Split(budget, tunedShares)
				}
				if err != nil {
					t.Fatal(err)
				}
				var quotasOf []float64
				for _, part := range services {
					quotasOf = append(quotasOf, p.Quota(part))
				}
				if diff := cmp.Diff(want, quotasOf, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Error(diff)
				}
				if p.Quota("monolith") != budget || p.Quota("modular") != budget || p.Quota(partPostgres) != 0 {
					t.Errorf("monolith %v, modular %v, Postgres %v; the budget is %v",
						p.Quota("monolith"), p.Quota("modular"), p.Quota(partPostgres), budget)
				}
			})
		}
	}
	files, err := filepath.Glob(filepath.Join(shippedPresets, "*"))
	if err != nil || len(files) != 9 {
		t.Errorf("presets this test does not know: %v, %v", files, err)
	}
}

func TestPresetForOtherMachines(t *testing.T) {
	t.Parallel()
	for cores, want := range map[int]string{1: "", 2: "2-even.env", 3: "2-even.env", 6: "4-even.env", 64: "8-even.env"} {
		file, err := PresetFor("dir", cores, QuotasEven)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "--preset") {
				t.Errorf("%d cores: %q, %v", cores, file, err)
			}
		} else if file != filepath.Join("dir", want) {
			t.Errorf("%d cores: %q, %v", cores, file, err)
		}
	}
}

func TestReadPreset(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, says string }{
		{"empty", "# nothing\n\n", ""},
		{"whole", "SHOP_CORES_APP=0-1\nSHOP_CPUS_GATEWAY=1.5\n", ""},
		{"a core that does not exist", "SHOP_CORES_APP=1-4\n", "SHOP_CORES_APP names core 4, and the engine has 4 cores"},
		{"a quota above its cores", "SHOP_CORES_APP=3\nSHOP_CPUS_CART=1.01\n", "SHOP_CPUS_CART is 1.01, and its parts have only one core"},
		{"a quota above the machine", "SHOP_CPUS_CART=4.5\n", "only 4 cores"},
		{"too small a quota", "SHOP_CPUS_CART=0.04\n", "from 0.05"},
		{"a negative quota", "SHOP_CPUS_CART=-1\n", "from 0.05"},
		{"no number", "SHOP_CPUS_CART=some\n", `SHOP_CPUS_CART is "some"`},
		{"no cores", "SHOP_CORES_POSTGRES=a-b\n", `"a-b" is no list of cores`},
		{"reversed", "SHOP_CORES_POSTGRES=3-1\n", "no list of cores"},
		{"a slip", "SHOP_CPU_CART=0.5\n", "there is no variable SHOP_CPU_CART"},
		{"no variable", "hello\n", "preset.env:1: not NAME=VALUE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "preset.env")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadPreset(file, 4)
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
			if err != nil && !strings.Contains(err.Error(), file) {
				t.Errorf("the file is not named: %v", err)
			}
		})
	}
	if _, err := ReadPreset(filepath.Join(shippedPresets, "3-even.env"), 4); err == nil || !strings.Contains(err.Error(), "2-even.env") {
		t.Errorf("no such file: %v", err)
	}
}

func TestCores(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{"": nil, "0": {0}, "0-2": {0, 1, 2}, "0,2-3, 7": nil, "5,0-1": {0, 1, 5}, "2,2-3": {2, 3}} {
		got, err := ParseCores(text)
		if strings.Contains(text, " ") {
			if err == nil {
				t.Errorf("%q was taken: %v", text, got)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
		if again, err := ParseCores(FormatCores(got)); err != nil || !cmp.Equal(again, got) {
			t.Errorf("%v is written as %q", got, FormatCores(got))
		}
	}
	if got := FormatCores([]int{0, 1, 2, 5, 7, 8}); got != "0-2,5,7-8" {
		t.Errorf("written as %s", got)
	}
}
