// Package cpu says which instruction sets of the CPU this build may use.
//
// The answer is one word, computed once when the program starts: what the CPU has, less what
// the environment variable KOBLITZ_CPU_OFF takes away. It is the only state of the library
// that changes after that, and only tests change it: Restrict takes features away, so that one
// machine can test every implementation below its own.
package cpu

// A Feature is a set of instruction set extensions.
type Feature uint32

// The extensions that implementations ask for. The operating system must save
// the registers of those that need it, or they count as missing.
const (
	BMI2        Feature = 1 << iota // MULX, SHLX, RORX; it counts only with BMI1: ANDN, TZCNT
	ADX                             // ADCX, ADOX: two carry chains at a time
	AVX2                            // 256-bit integer vectors
	AVXIFMA                         // 52-bit multiply-add on 256-bit vectors
	AVX512F                         // 512-bit vectors, masks, VPERMI2Q
	AVX512DQ                        // 64-bit low multiply
	AVX512VL                        // AVX-512 on shorter vectors
	AVX512VBMI2                     // funnel shifts
	AVX512IFMA                      // 52-bit multiply-add on 512-bit vectors
	A64                             // general registers of arm64: every CPU of it has them
	RV64                            // general registers of riscv64, and products
	end
)

// Lanes is what the kernels ask for that compute with eight numbers at a time.
// VL and VBMI2 came after F and DQ, and IFMA exists without VBMI2: a CPU has
// lanes if it has all of them.
const Lanes = AVX512F | AVX512DQ | AVX512VL | AVX512VBMI2 | AVX512IFMA

// names holds the names of the features in the order of their bits, as
// /proc/cpuinfo and the vendors' manuals mean them.
var names = [...]string{
	"BMI2", "ADX", "AVX2", "AVX-IFMA",
	"AVX512F", "AVX512DQ", "AVX512VL", "AVX512VBMI2", "AVX512IFMA",
	"A64", "RV64",
}

// usable is the one word. It is written by Restrict and by nothing else.
var usable = detect()

// Has returns whether every feature of want may be used.
func Has(want Feature) bool { return usable&want == want }

// Features returns the names of the extensions that this build may use on this
// CPU. It is empty on other architectures than amd64, arm64 and riscv64, and under the build
// tag purego.
func Features() []string { return usable.names() }

// Implementations returns the names of the implementations in use, fastest
// first: "lanes" computes eight rows at a time where there are many, "ADX", "A64", "RV64" and
// "portable" one. The last is always "portable".
func Implementations() []string {
	s := []string{}
	if Has(Lanes) {
		s = append(s, "lanes")
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

// Restrict takes every feature that is not in keep away until restore is
// called. It is for tests, and nothing else may run while it is called.
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
