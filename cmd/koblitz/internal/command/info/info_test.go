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
		all["switched off"] != "KOBLITZ_CPU_OFF=all,foo" {
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
