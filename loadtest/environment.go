package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"splitshop/loadtest/result"
)

// build says which program this is.
func build() result.Build {
	b := result.Build{Revision: "unknown", Go: runtime.Version(), Versions: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		b.Versions[m.Path] = m.Version
	}
	return b
}

// machine says where this runs. What the system does not tell stays null.
func machine() result.Machine {
	m := result.Machine{OS: runtime.GOOS + "/" + runtime.GOARCH, CPU: "unknown", Kernel: "unknown", Cores: runtime.NumCPU()}
	if kernel := firstLine("/proc/sys/kernel/osrelease"); kernel != "" {
		m.Kernel = kernel
	}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		m.CPU = model
	}
	if governor := firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); governor != "" {
		m.Governor = &governor
	}
	if kb, err := strconv.ParseInt(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		bytes := kb << 10
		m.Memory = &bytes
	}
	if load, _, ok := strings.Cut(firstLine("/proc/loadavg"), " "); ok {
		if v, err := strconv.ParseFloat(load, 64); err == nil {
			m.Load1 = &v
		}
	}
	return m
}

func firstLine(path string) string {
	data, _ := os.ReadFile(path) // a file that is not there says nothing
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return string(bytes.TrimSpace(line))
}

// field returns what follows "name:" in a file of such lines.
func field(path, name string) string {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
