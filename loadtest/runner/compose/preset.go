package compose

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Quotas names how a preset divides the application's CPU budget.
const (
	QuotasNone  = "none"  // no quota
	QuotasEven  = "even"  // the same for each service
	QuotasTuned = "tuned" // by each service's measured share
)

// The designs that compose.yaml has, its profiles.
const (
	Mono    = "mono"
	Modular = "modular"
	Micro   = "micro"
)

// Designs lists the names of the designs.
func Designs() []string { return []string{Mono, Modular, Micro} }

// services are the parts of the split shop, the edge first: the order of shares and quotas everywhere.
var services = []string{"gateway", "catalog", "cart", "orders"}

// The variables of a preset. The generator's cores are for the lab's own container.
const (
	coresPrefix    = "SHOP_CORES_"
	cpusPrefix     = "SHOP_CPUS_"
	coresGenerator = coresPrefix + "GENERATOR"
	coresPostgres  = coresPrefix + "POSTGRES"
	coresApp       = coresPrefix + "APP"
)

func quotaVariable(part string) string {
	if part == "modular" {
		part = "monolith" // the same binary
	}
	return cpusPrefix + strings.ToUpper(part)
}

// presetSizes are the core counts that presets are made for.
var presetSizes = []int{8, 4, 2}

// Preset is core sets and quotas, by the variables of compose.yaml.
type Preset struct {
	File string
	vars map[string]string
}

// PresetFor returns the file of the preset for a machine of so many cores: the largest that fits.
func PresetFor(dir string, cores int, quotas string) (string, error) {
	for _, size := range presetSizes {
		if size <= cores {
			return filepath.Join(dir, fmt.Sprintf("%d-%s.env", size, quotas)), nil
		}
	}
	return "", fmt.Errorf("the smallest preset is for %d cores and the engine has %d: "+
		"copy %s, adapt it, and give it as --preset (make: PRESET=)", slices.Min(presetSizes), cores, filepath.Join(dir, "2-"+quotas+".env"))
}

// ReadPreset reads an env file and checks it against the machine that it is for. Errors name the file, the variable and the way out.
func ReadPreset(file string, cores int) (*Preset, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.env")) // its only error is a bad pattern
		return nil, fmt.Errorf("there is no preset %s; there are: %s", file, strings.Join(others, ", "))
	}
	if err != nil {
		return nil, err
	}
	p := &Preset{File: file, vars: make(map[string]string)}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s:%d: not NAME=VALUE", file, i+1)
		}
		p.vars[name] = strings.TrimSpace(value)
	}
	if err := p.check(cores); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func (p *Preset) check(cores int) error {
	sets := []string{coresGenerator, coresPostgres, coresApp}
	known := slices.Clone(sets)
	for _, part := range append([]string{"monolith"}, services...) {
		known = append(known, quotaVariable(part))
	}
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no variable %s, only %s", name, strings.Join(known, ", "))
		}
	}
	for _, name := range sets {
		set, err := ParseCores(p.vars[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(set) > 0 && slices.Max(set) >= cores {
			return fmt.Errorf("%s names core %d, and the engine has %s: take a preset for fewer cores, or change it",
				name, slices.Max(set), coresInWords(cores))
		}
	}
	room := float64(cores)
	if set, _ := ParseCores(p.vars[coresApp]); len(set) > 0 { // it was parsed above
		room = float64(len(set))
	}
	for _, name := range known[len(sets):] {
		quota, err := p.quota(name)
		if err != nil {
			return err
		}
		if quota > room {
			return fmt.Errorf("%s is %.2f, and its parts have only %s (%s=%s): lower the quota or give them more cores",
				name, quota, coresInWords(int(room)), coresApp, p.vars[coresApp])
		}
	}
	return nil
}

func coresInWords(n int) string {
	if n == 1 {
		return "one core, 0"
	}
	return fmt.Sprintf("%d cores", n)
}

func (p *Preset) quota(name string) (float64, error) {
	text := p.vars[name]
	if text == "" {
		return 0, nil
	}
	quota, err := strconv.ParseFloat(text, 64)
	if err != nil || quota < 0 || quota != 0 && quota < float64(leastQuota)/hundredths {
		return 0, fmt.Errorf("%s is %q: a quota is in cores, 0 (none) or from 0.05", name, text)
	}
	return quota, nil
}

// Cores is the planned core set of a part, "generator" among them; nil: any core.
func (p *Preset) Cores(part string) []int {
	name := coresApp
	switch part {
	case partPostgres:
		name = coresPostgres
	case partGenerator:
		name = coresGenerator
	}
	set, _ := ParseCores(p.vars[name]) // it was parsed before
	return set
}

// Quota is the planned quota of a part in cores; 0: none.
func (p *Preset) Quota(part string) float64 {
	quota, _ := p.quota(quotaVariable(part)) // it was parsed before
	return quota
}

// env are the variables as a process's environment.
func (p *Preset) env() []string {
	var list []string
	for name, value := range p.vars {
		list = append(list, name+"="+value)
	}
	return list
}

// ParseCores reads a list of cores as the kernel and the engine write it: "0,2-4". Empty: none.
func ParseCores(text string) ([]int, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	var cores []int
	for piece := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(piece, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err := errors.Join(err1, err2); err != nil || first < 0 || last < first || last > 1<<16 {
			return nil, fmt.Errorf("%q is no list of cores such as 0,2-4", text)
		}
		for core := first; core <= last; core++ {
			cores = append(cores, core)
		}
	}
	slices.Sort(cores)
	return slices.Compact(cores), nil
}

// FormatCores is the reverse of ParseCores.
func FormatCores(cores []int) string {
	var pieces []string
	for i := 0; i < len(cores); {
		j := i
		for j+1 < len(cores) && cores[j+1] == cores[j]+1 {
			j++
		}
		piece := strconv.Itoa(cores[i])
		if j > i {
			piece += "-" + strconv.Itoa(cores[j])
		}
		pieces = append(pieces, piece)
		i = j + 1
	}
	return strings.Join(pieces, ",")
}
