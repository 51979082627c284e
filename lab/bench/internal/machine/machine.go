// Package machine describes the machine on which a benchmark runs, and observes what disturbs it.
package machine

import (
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz"
)

// Machine describes the machine and the time of a run of benchmarks.
type Machine struct {
	CPU, Flags, OS, Arch, Go string
	Cores                    int
	Koblitz                  string // names of the implementations that koblitz uses on this CPU
	Began                    time.Time
	Took                     time.Duration
	LoadBefore, LoadAfter    string
	// Lowest, first and highest estimate of the CPU's clock in GHz. Core makes the estimates.
	GHzLow, GHzFirst, GHzHigh float64
	// Most independent additions per cycle that both readings of Core around a round reached.
	Adds float64
}

// Describe returns a description of this machine.
func Describe() Machine {
	m := Machine{
		CPU: "unknown", OS: runtime.GOOS, Arch: runtime.GOARCH,
		Go: runtime.Version(), Cores: runtime.NumCPU(),
		Koblitz: strings.Join(koblitz.Implementations(), ", "),
		Began:   time.Now().UTC().Round(time.Second), LoadBefore: Load(),
	}
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU, m.Flags = readCPU(string(b))
	}
	if b, err := os.ReadFile("/sys/firmware/devicetree/base/model"); err == nil && m.CPU == "unknown" {
		m.CPU = strings.Trim(string(b), "\x00 ")
	}
	if name := brand(); name != "" {
		m.CPU = name
	}
	m.GHzFirst, _ = Core()
	m.GHzLow, m.GHzHigh = m.GHzFirst, m.GHzFirst
	return m
}

// readCPU returns the name of the CPU and its flags from /proc/cpuinfo. On riscv64, this
// file names a microarchitecture. On arm64 it has only numbers, so the name is "unknown".
func readCPU(info string) (name, flags string) {
	name = "unknown"
	for line := range strings.Lines(info) {
		k, v, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(k) {
		case "model name", "uarch":
			name = strings.TrimSpace(v)
		case "flags":
			flags = interesting(v)
		}
	}
	return name, flags
}

// See records estimates of the clock in GHz, which Core returned.
func (m *Machine) See(f ...float64) {
	for _, f := range f {
		m.GHzLow, m.GHzHigh = math.Min(m.GHzLow, f), math.Max(m.GHzHigh, f)
	}
}

// Finish records the time at which the run ended.
func (m *Machine) Finish() {
	m.Took = time.Since(m.Began).Round(time.Second)
	m.LoadAfter = Load()
}

// interesting returns those of the given CPU flags that matter for this library's arithmetic.
func interesting(flags string) string {
	var keep []string
	for _, f := range strings.Fields(flags) {
		switch f {
		case "bmi2", "adx", "avx2", "avx_ifma", "avx512f", "avx512dq", "avx512vl", "avx512ifma",
			"avx512_vbmi2", "sha_ni":
			keep = append(keep, f)
		}
	}
	return strings.Join(keep, " ")
}
