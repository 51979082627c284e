//go:build !purego

package cpu

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// godebug lists all features that GODEBUG=cpu.NAME=off turns off in package golang.org/x/sys/cpu.
const godebug = `adx aes avx avx2 avx512 avx512f avx512cd avx512er avx512pf avx512vl avx512bw
	avx512dq avx512ifma avx512vbmi avx512vnniw avx5124fmaps avx512vpopcntdq avx512vpclmulqdq
	avx512vnni avx512gfni avx512vaes avx512vbmi2 avx512bitalg avx512bf16 amxtile amxint8 amxbf16
	bmi1 bmi2 cx16 erms fma osxsave pclmulqdq popcnt rdrand rdseed sse3 sse41 sse42 ssse3 avxifma
	avxvnni avxvnniint8 sse2 all`

// TestGODEBUG turns off each feature that GODEBUG can turn off, in a process of its own. Every
// feature whose kernels use it must be missing then, and no other.
func TestGODEBUG(t *testing.T) {
	const avx512 = AVX512F | AVX512DQ | AVX512VL | AVX512VBMI2 | AVX512IFMA
	lost := map[string]Feature{
		"adx": ADX, "bmi1": BMI2, "bmi2": BMI2, "ssse3": SHANI, "fma": FMA, "avxifma": AVXIFMA,
		"avx": AVX2 | FMA | AVXIFMA | avx512, "avx2": AVX2 | FMA | AVXIFMA | avx512,
		"avx512": avx512, "avx512f": avx512, "popcnt": avx512, "avx512dq": AVX512DQ,
		"avx512vl": AVX512VL, "avx512vbmi2": AVX512VBMI2, "avx512ifma": AVX512IFMA, "all": end - 1,
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
	for name := range strings.FieldsSeq(godebug) {
		off := lost[name].names()
		want := slices.DeleteFunc(slices.Clone(all), func(s string) bool {
			return slices.Contains(off, s)
		})
		if got := features("cpu." + name + "=off"); !slices.Equal(got, want) {
			t.Errorf("without %s: %v, want %v", name, got, want)
		}
	}
}
