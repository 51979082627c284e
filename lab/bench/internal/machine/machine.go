// Package machine says on what a run is made, and what disturbs it.
package machine

import (
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz"
)

// Machine is where a run was made.
type Machine struct {
	CPU, Flags, OS, Arch, Go string
	Cores                    int
	Koblitz                  string // implementations in use
	Began                    time.Time
	Took                     time.Duration
	LoadBefore, LoadAfter    string
	// GHz is an estimate, from a chain of multiplications and additions of
	// four cycles each; lowest, first and highest that was seen.
	GHzLow, GHzFirst, GHzHigh float64
	CyclesNote                string
}

// Describe describes this machine.
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
	m.GHzFirst = Frequency()
	m.GHzLow, m.GHzHigh = m.GHzFirst, m.GHzFirst
	if _, ok := CountCycles(func() {}); !ok {
		m.CyclesNote = "the CPU's cycle counter is not available here"
	}
	return m
}

// readCPU returns what /proc/cpuinfo calls the CPU, and its flags. Kernels for riscv64 name a
// microarchitecture, and those for arm64 nothing but numbers: there the name is unknown.
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

// See takes note of readings of Frequency.
func (m *Machine) See(f ...float64) {
	for _, f := range f {
		m.GHzLow, m.GHzHigh = math.Min(m.GHzLow, f), math.Max(m.GHzHigh, f)
	}
}

// Finish is called at the end of the run.
func (m *Machine) Finish() {
	m.Took = time.Since(m.Began).Round(time.Second)
	m.LoadAfter = Load()
}

// interesting keeps the flags that matter to this arithmetic.
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

var sink uint64

// Frequency estimates the clock in GHz: the best of some short chains, so that
// one interruption is not taken for a slower CPU. It takes about a millisecond.
func Frequency() float64 {
	const n = 100_000
	best := time.Duration(math.MaxInt64)
	x := sink | 1
	for range 8 {
		start := time.Now()
		for range n {
			x = x*0x5851f42d4c957f2d + 1
		}
		best = min(best, time.Since(start))
	}
	sink = x
	return 4 * n / float64(best.Nanoseconds())
}
