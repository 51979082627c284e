package info

import (
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

var program = clitest.Program(Add)

func TestMain(m *testing.M) { program.Main(m) }

// TestLanes checks that the command info gives the reason if batches cannot verify eight rows at a
// time in vector lanes.
func TestLanes(t *testing.T) {
	have := strings.HasPrefix(koblitz.Implementations()[0], "lanes")
	if said := lanes(cpuFeatures(), koblitz.Implementations(), false); strings.HasPrefix(said,
		"eight") != have {
		t.Errorf("lanes %v: %q", have, said)
	}
	need := []string{"AVX2", "FMA"}
	for _, test := range []struct {
		features, implementations []string
		off                       bool
		want                      string
	}{
		{need, []string{"lanes", "portable"}, false, "eight at a time"},
		{need, []string{"lanes-FMA", "portable"}, false, "without IFMA"},
		{need, []string{"lanes-AVX-IFMA", "portable"}, false, "by AVX-IFMA"},
		{need, []string{"lanes-AVX2", "portable"}, false, "by AVX2 and FMA"},
		{need, []string{"portable"}, true, "KOBLITZ_CPU_OFF takes away"},
		{need, []string{"portable"}, false, "this build"},
		{[]string{"BMI2", "ADX", "AVX2"}, []string{"ADX", "portable"}, false, "they need AVX2"},
	} {
		got := lanes(test.features, test.implementations, test.off)
		if !strings.Contains(got, test.want) {
			t.Errorf("with %q: %q, want %q", test.features, got, test.want)
		}
	}
}

// TestInfoSwitch checks that KOBLITZ_CPU_OFF removes implementations, but not CPU features, from
// the output of info. The variable must accept the name of every feature that info lists.
func TestInfoSwitch(t *testing.T) {
	read := func(setting string) map[string]string {
		t.Helper()
		out, _ := clitest.RunCommand(t, cli.ExitOK, []string{"GODEBUG=", setting}, "info")
		lines := map[string]string{}
		for line := range strings.Lines(out) {
			lines[strings.TrimSpace(line[:16])] = strings.TrimSpace(line[16:])
		}
		return lines
	}
	before, all := read("KOBLITZ_CPU_OFF="), read("KOBLITZ_CPU_OFF=all,foo")
	if before["switched off"] != "none" || before["platform"] != runtime.GOOS+"/"+runtime.GOARCH ||
		before["implementations"] != strings.Join(koblitz.Implementations(), " ") {
		t.Errorf("without a switch: %q", before)
	}
	if all["features"] != before["features"] || all["implementations"] != "portable" ||
		all["switched off"] != "KOBLITZ_CPU_OFF=all,foo" || strings.HasPrefix(before["lanes"], "eight") &&
		!strings.Contains(all["lanes"], "KOBLITZ_CPU_OFF") {
		t.Errorf("all off: %q", all)
	}
	each := read("KOBLITZ_CPU_OFF=" + before["features"])
	if each["implementations"] != "portable" {
		t.Errorf("each off: %q", each)
	}
	if godebug := read("GODEBUG=cpu.avx2=off"); godebug["switched off"] != "GODEBUG=cpu.avx2=off" {
		t.Errorf("GODEBUG: %q", godebug)
	}
}
