// Package cpu reports which instruction sets of the CPU this build may use.
//
// The answer is one word, computed when the program starts: the CPU's features, without those that
// the environment variable KOBLITZ_CPU_OFF names. This word is the library's only mutable state.
// Only tests change it: Restrict removes features, so one machine can test the implementations for
// CPUs with fewer features.
package cpu

// A Feature is a set of instruction set extensions.
type Feature uint32

// The extensions that implementations require. If the operating system does not save an extension's
// registers, the extension counts as missing.
const (
	BMI2        Feature = 1 << iota // MULX, SHLX, RORX; counted only with BMI1: ANDN, TZCNT
	ADX                             // ADCX, ADOX: two carry chains in parallel
	AVX2                            // 256-bit integer vectors; counted only with AVX
	FMA                             // fused multiply-adds on 256-bit vectors
	AVXIFMA                         // 52-bit multiply-add on 256-bit vectors
	AVX512F                         // 512-bit vectors, masks; counted only with POPCNT
	AVX512DQ                        // 64-bit low multiply
	AVX512VL                        // AVX-512 on shorter vectors
	AVX512VBMI2                     // funnel shifts
	AVX512IFMA                      // 52-bit multiply-add on 512-bit vectors
	SHANI                           // SHA-256 instructions; counted only with SSSE3
	A64                             // general registers of arm64, on every arm64 CPU
	RV64                            // general registers of riscv64, and multiplication
	end
)

// These are the sets of features that the kernels for eight values at a time need. Those of
// LanesAVX2 and LanesFMA multiply in floating point, the others by IFMA. A CPU has the fastest
// kernels only if it has all features of Lanes: some CPUs have IFMA without VBMI2.
const (
	LanesAVX2    = AVX2 | FMA
	LanesAVXIFMA = AVX2 | AVXIFMA
	LanesFMA     = AVX512F | AVX512DQ | AVX512VL
	Lanes        = LanesFMA | AVX512VBMI2 | AVX512IFMA
)

// names holds the names of the features, in the order of their bits, as in /proc/cpuinfo and the
// vendors' manuals.
//
//layers:allow an array of constants
var names = [...]string{
	"BMI2", "ADX", "AVX2", "FMA", "AVX-IFMA",
	"AVX512F", "AVX512DQ", "AVX512VL", "AVX512VBMI2", "AVX512IFMA",
	"SHA-NI", "A64", "RV64",
}

// usable holds the features that this build may use on this CPU. Only Restrict and Assume change
// it.
//
//layers:writable tests lower it
var usable = detect()

// complete returns f without the features whose kernels use another feature that f lacks.
func (f Feature) complete() Feature {
	if f&AVX2 == 0 {
		f &^= FMA | AVXIFMA | AVX512F
	}
	if f&AVX512F == 0 {
		f &^= AVX512DQ | AVX512VL | AVX512VBMI2 | AVX512IFMA
	}
	return f
}

// Has reports whether all of the given features may be used.
func Has(features Feature) bool { return usable&features == features }

// Features returns the names of the extensions that this build may use on this CPU. The result is
// empty under the build tag purego, and on architectures other than amd64, arm64 and riscv64.
func Features() []string { return usable.names() }

// Implementations returns the names of the implementations in use, fastest first. "lanes" computes
// eight rows at a time in calls with many rows, by AVX-512 IFMA. On CPUs without it, "lanes-FMA"
// does so by AVX-512, "lanes-AVX-IFMA" by AVX-IFMA, and "lanes-AVX2" by AVX2 and FMA. "ADX", "A64",
// "RV64" and "portable" compute one row at a time. The last name is always "portable".
func Implementations() []string {
	s := []string{}
	switch {
	case Has(Lanes):
		s = append(s, "lanes")
	case Has(LanesFMA):
		s = append(s, "lanes-FMA")
	case Has(LanesAVXIFMA):
		s = append(s, "lanes-AVX-IFMA")
	case Has(LanesAVX2):
		s = append(s, "lanes-AVX2")
	}
	if Has(BMI2 | ADX) {
		s = append(s, "ADX")
	}
	if Has(A64) {
		s = append(s, "A64")
	}
	if Has(RV64) {
		s = append(s, "RV64")
	}
	return append(s, "portable")
}

// Restrict removes every feature that is not in keep until restore is called. Only tests may call
// it. No other code may run during the call of Restrict or of restore.
func Restrict(keep Feature) (restore func()) {
	before := usable
	usable &= keep
	return func() { usable = before }
}

func (f Feature) names() []string {
	s := []string{}
	for i, name := range names {
		if f>>i&1 == 1 {
			s = append(s, name)
		}
	}
	return s
}
