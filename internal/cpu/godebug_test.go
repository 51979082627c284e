//go:build (amd64 || arm64 || riscv64) && !purego

package cpu

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// godebug lists all features that GODEBUG=cpu.NAME=off turns off in package golang.org/x/sys/cpu.
var godebug = map[string]string{
	"amd64": `adx aes avx avx2 avx512 avx512f avx512cd avx512er avx512pf avx512vl avx512bw avx512dq
		avx512ifma avx512vbmi avx512vnniw avx5124fmaps avx512vpopcntdq avx512vpclmulqdq avx512vnni
		avx512gfni avx512vaes avx512vbmi2 avx512bitalg avx512bf16 amxtile amxint8 amxbf16 bmi1 bmi2
		cx16 erms fma osxsave pclmulqdq popcnt rdrand rdseed sse3 sse41 sse42 ssse3 avxifma avxvnni
		avxvnniint8 sse2 all`,
	"arm64": `fp asimd evstrm aes fphp jscvt lrcpc pmull sha1 sha2 sha3 sha512 sm3 sm4 sve sve2
		crc32 atomics asimdhp cpuid asimdrdm fcma dcpop asimddp asimdfhm dit i8mm all`,
	"riscv64": `fastmisaligned c v zba zbb zbs zbc zvbb zvbc zvkb zvkg zvkt zvkn zvknc zvkng zvks
		zvksc zvksg all`,
}

// TestGODEBUG turns off each feature that GODEBUG can turn off, in a process of its own. Every
// feature whose kernels use it must be missing then, and no other. Kernels of arm64 and riscv64 use
// only instructions that Go uses on every such CPU, so GODEBUG has no effect there.
func TestGODEBUG(t *testing.T) {
	const avx512 = AVX512F | AVX512DQ | AVX512VL | AVX512VBMI2 | AVX512IFMA
	lost := map[string]Feature{
		"adx": ADX, "bmi1": BMI2, "bmi2": BMI2, "ssse3": SHANI, "fma": FMA, "avxifma": AVXIFMA,
		"avx": AVX2 | FMA | AVXIFMA | avx512, "avx2": AVX2 | FMA | AVXIFMA | avx512,
		"avx512": avx512, "avx512f": avx512, "popcnt": avx512, "avx512dq": AVX512DQ,
		"avx512vl": AVX512VL, "avx512vbmi2": AVX512VBMI2, "avx512ifma": AVX512IFMA, "all": end - 1,
	}
	if runtime.GOARCH != "amd64" {
		lost = nil
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logged := regexp.MustCompile(`features \[([^\]]*)\]`)
	features := func(setting string) []string {
		c := exec.Command(self, "-test.run=^TestNames$", "-test.v")
		c.Env = append(os.Environ(), "GODEBUG="+setting)
		out, err := c.CombinedOutput()
		found := logged.FindSubmatch(out)
		if err != nil || found == nil || strings.Contains(string(out), "sys/cpu: unknown") {
			t.Fatalf("%s: %v\n%s", setting, err, out)
		}
		return strings.Fields(string(found[1]))
	}
	all := features("")
	for name := range strings.FieldsSeq(godebug[runtime.GOARCH]) {
		off := lost[name].names()
		want := slices.DeleteFunc(slices.Clone(all), func(s string) bool {
			return slices.Contains(off, s)
		})
		if got := features("cpu." + name + "=off"); !slices.Equal(got, want) {
			t.Errorf("without %s: %v, want %v", name, got, want)
		}
	}
}
