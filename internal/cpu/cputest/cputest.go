// Package cputest runs tests at levels of implementations that only some CPUs have.
//
// A test runs at a level by [Use] or [Run]. If the CPU or the build lacks the level, the test is
// skipped, or it fails if the environment variable KOBLITZ_REQUIRE names the level:
//
//	KOBLITZ_REQUIRE=lanes,ADX go test ./...
//
// The tests' logs name the levels that ran and those that did not, for lab/ci.
package cputest

import (
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// Deep reports whether tests should try many cases, as in CI, instead of only a few.
func Deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// Cases returns the number of random cases that a test should try: a few, or many in CI, or a
// million with KOBLITZ_DEEP=every.
func Cases(few, many int) int {
	switch {
	case os.Getenv("KOBLITZ_DEEP") == "every":
		return 1_000_000
	case Deep():
		return many
	}
	return few
}

// A Level is a set of CPU instructions for which this module has separate code, such as ADX. Its
// value is its name in package cpu or in the vendors' manuals.
type Level string

// The levels. Each level of amd64 includes the ones before it, except LanesAVX2 and LanesAVXIFMA,
// which are for CPUs without AVX-512. A64 and RV64 are the levels of arm64 and riscv64.
const (
	Portable     Level = "portable"       // the Go code, on any CPU
	ADX          Level = "ADX"            // MULX and two carry chains
	AVX2         Level = "AVX2"           // table reads in 256-bit vectors
	SHANI        Level = "SHA-NI"         // two hashes at a time by SHA-256 instructions
	LanesAVX2    Level = "lanes-AVX2"     // eight rows at a time by AVX2 and FMA
	LanesAVXIFMA Level = "lanes-AVX-IFMA" // eight rows at a time by AVX-IFMA
	AVX512F      Level = "AVX512F"        // table reads and hashes in 512-bit vectors
	LanesFMA     Level = "lanes-FMA"      // eight rows at a time by AVX-512 without IFMA
	Lanes        Level = "lanes"          // eight rows at a time by AVX-512 IFMA
	A64          Level = "A64"            // general registers of arm64
	RV64         Level = "RV64"           // general registers of riscv64
)

var all = []Level{Portable, ADX, AVX2, SHANI, LanesAVX2, LanesAVXIFMA, AVX512F, LanesFMA, Lanes,
	A64, RV64}

// AllLanes returns the levels with kernels for lanes.
func AllLanes() []Level { return []Level{LanesAVX2, LanesAVXIFMA, LanesFMA, Lanes} }

// Registers returns the level of this architecture's kernels that use general registers, or
// Portable if there are none.
func Registers() Level {
	switch runtime.GOARCH {
	case "amd64":
		return ADX
	case "arm64":
		return A64
	case "riscv64":
		return RV64
	}
	return Portable
}

// Features returns the features that the level requires, including the features of lower levels.
func (l Level) Features() (f cpu.Feature) {
	if l == A64 || l == RV64 {
		return l.features()
	}
	for _, below := range all[:slices.Index(all, l)] {
		if below != LanesAVX2 && below != LanesAVXIFMA {
			f |= below.features()
		}
	}
	return f | l.features()
}

// features returns the features that the level adds to those of lower levels.
func (l Level) features() cpu.Feature {
	return map[Level]cpu.Feature{
		ADX: cpu.BMI2 | cpu.ADX, AVX2: cpu.AVX2, SHANI: cpu.SHANI, AVX512F: cpu.AVX512F,
		LanesAVX2: cpu.LanesAVX2, LanesAVXIFMA: cpu.LanesAVXIFMA,
		LanesFMA: cpu.LanesFMA, Lanes: cpu.Lanes, A64: cpu.A64, RV64: cpu.RV64,
	}[l]
}

// Need skips the test if this build on this CPU lacks the level, or fails it if KOBLITZ_REQUIRE
// names the level. It is for tests that check for features but run no kernel.
func Need(t testing.TB, l Level) {
	t.Helper()
	if !slices.Contains(all, l) {
		t.Fatalf("there is no level %q", l)
	}
	for _, name := range required() {
		if !slices.Contains(all, Level(name)) {
			t.Fatalf("KOBLITZ_REQUIRE names the level %q, which there is not", name)
		}
	}
	switch {
	case cpu.Has(l.features()):
	case slices.Contains(required(), string(l)):
		t.Fatalf("level %s: KOBLITZ_REQUIRE asks for it, "+
			"and this build on this CPU does not have it", l)
	default:
		t.Skipf("level %s: this build on this CPU does not have it", l)
	}
}

// required returns the names of levels in KOBLITZ_REQUIRE.
func required() []string {
	separator := func(r rune) bool { return r == ',' || r == ' ' }
	return strings.FieldsFunc(os.Getenv("KOBLITZ_REQUIRE"), separator)
}

// Use is [Need] for tests that run the level. Until the test ends it disables the features of
// higher levels than l. If the test passes, it logs that l ran. No other test may run at the same
// time.
func Use(t testing.TB, l Level) {
	t.Helper()
	Need(t, l)
	restore := cpu.Restrict(l.Features())
	t.Cleanup(func() {
		restore()
		if !t.Failed() && !t.Skipped() {
			t.Logf("level %s: ran", l)
		}
	})
}

// Run calls f as a subtest at each level, with [Use], and once if the levels name one twice.
// Without KOBLITZ_DEEP it skips some: it runs only Portable, the best of the levels that the CPU
// has, and the levels that KOBLITZ_REQUIRE names.
func Run(t *testing.T, f func(t *testing.T), levels ...Level) {
	t.Helper()
	for i, l := range levels {
		if slices.Contains(levels[:i], l) {
			continue
		}
		t.Run(string(l), func(t *testing.T) {
			if !chosen(l, levels) {
				t.Skip("without KOBLITZ_DEEP: it is neither the portable level nor the best one")
			}
			Use(t, l)
			f(t)
		})
	}
}

// Tests returns a test that runs the given tests as subtests, with their names.
func Tests(tests ...func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) {
		for _, test := range tests {
			name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
			t.Run(name[strings.LastIndex(name, ".Test")+1:], test)
		}
	}
}

// chosen reports whether Run, called with the given levels, runs the level l if the CPU has it.
func chosen(l Level, levels []Level) bool {
	better := func(m Level) bool {
		return slices.Index(all, m) > slices.Index(all, l) && cpu.Has(m.features())
	}
	return Deep() || l == Portable || !slices.ContainsFunc(levels, better) ||
		slices.Contains(required(), string(l))
}
