//go:build !purego

package koblitz_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"golang.org/x/sys/cpu"
)

// TestResults logs the implementations in use, and a hash of the results of operations. TestSwitch
// runs it in separate processes.
func TestResults(t *testing.T) {
	hash := sha256.Sum256(results(t, 1))
	t.Logf("implementations %s. %x.", strings.Join(koblitz.Implementations(), " "), hash)
}

// TestSwitch runs TestResults with each value of the environment variable that disables
// instructions, and checks the names of the implementations that were used, and that the results
// are those of this process.
func TestSwitch(t *testing.T) {
	self := reference.Must(os.Executable())
	hash := sha256.Sum256(results(t, 1))
	used := regexp.MustCompile(fmt.Sprintf(`implementations ([^.]*)\. %x\.`, hash))
	run := func(setting string) []string {
		t.Helper()
		c := exec.Command(self, "-test.run=^TestResults$", "-test.v", "-test.count=1")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GODEBUG=") && !strings.HasPrefix(v, "KOBLITZ_CPU_OFF=") {
				c.Env = append(c.Env, v)
			}
		}
		c.Env = append(c.Env, setting)
		out, err := c.CombinedOutput()
		found := used.FindSubmatch(out)
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestResults")) || found == nil {
			t.Fatalf("%s: %v\n%s", setting, err, out)
		}
		return strings.Fields(string(found[1]))
	}
	all := run("KOBLITZ_CPU_OFF=")
	t.Logf("without a setting: %v", all)
	// The fastest implementation in lanes is the first in this list that the CPU has.
	inLanes := []struct {
		name string
		has  bool
	}{
		{"lanes", all[0] == "lanes"},
		{"lanes-FMA", cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL},
		{"lanes-AVX-IFMA", cpu.X86.HasAVX2 && cpu.X86.HasAVXIFMA},
		{"lanes-AVX2", cpu.X86.HasAVX2 && cpu.X86.HasFMA},
	}
	none := []string{"lanes", "lanes-FMA", "lanes-AVX-IFMA", "lanes-AVX2"}
	for _, tt := range []struct {
		setting string
		missing []string
	}{
		{"KOBLITZ_CPU_OFF=lanes", none},
		{"KOBLITZ_CPU_OFF=AVX512IFMA", none[:1]},
		{"KOBLITZ_CPU_OFF=avx512vbmi2", none[:1]},
		{"KOBLITZ_CPU_OFF=AVX512F", none[:2]},
		{"KOBLITZ_CPU_OFF=AVX512F,AVX-IFMA", none[:3]},
		{"KOBLITZ_CPU_OFF=AVX512F,AVX2", none},
		{"KOBLITZ_CPU_OFF=ADX", []string{"ADX"}},
		{"KOBLITZ_CPU_OFF=BMI2", []string{"ADX"}},
		{"KOBLITZ_CPU_OFF=AVX2", none},
		{"KOBLITZ_CPU_OFF=lanes,ADX", append(none, "ADX")},
		{"KOBLITZ_CPU_OFF=all", append(none, "ADX")},
		{"KOBLITZ_CPU_OFF=SSE2,foo,+lanes,portable", nil},
		{"KOBLITZ_CPU_OFF=\xff=;%s\n", nil},
		{"KOBLITZ_CPU_OFF=" + strings.Repeat("x,", 10000), nil},
		{"GODEBUG=cpu.avx512ifma=off", none[:1]},
		{"GODEBUG=cpu.adx=off", []string{"ADX"}},
		{"GODEBUG=cpu.avx2=off", none},
		{"GODEBUG=cpu.all=off", append(none, "ADX")},
		{"GODEBUG=cpu.avx512ifma=on", nil},
	} {
		var want []string
		for _, l := range inLanes {
			if l.has && !slices.Contains(tt.missing, l.name) {
				want = []string{l.name}
				break
			}
		}
		for _, name := range all {
			if !strings.HasPrefix(name, "lanes") && !slices.Contains(tt.missing, name) {
				want = append(want, name)
			}
		}
		if got := run(tt.setting); !slices.Equal(got, want) {
			t.Errorf("%.60q: %v, want %v", tt.setting, got, want)
		}
	}
}
