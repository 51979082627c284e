package info

import (
	"encoding/json"
	"slices"
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
	i := collectInfo()
	have := strings.HasPrefix(koblitz.Implementations()[0], "lanes")
	if strings.HasPrefix(i.Lanes, "eight") != have {
		t.Errorf("lanes %v: %q", have, i.Lanes)
	}
	for _, test := range []struct {
		features, implementations []string
		off                       bool
		want                      string
	}{
		{lanesNeed, []string{"lanes", "portable"}, false, "eight at a time"},
		{lanesNeed, []string{"lanes-FMA", "portable"}, false, "without IFMA"},
		{lanesNeed, []string{"lanes-AVX-IFMA", "portable"}, false, "by AVX-IFMA"},
		{lanesNeed, []string{"lanes-AVX2", "portable"}, false, "by AVX2 and FMA"},
		{lanesNeed, []string{"portable"}, true, "KOBLITZ_CPU_OFF takes away"},
		{lanesNeed, []string{"portable"}, false, "this build"},
		{[]string{"BMI2", "ADX", "AVX2"}, []string{"ADX", "portable"}, false, "they need AVX2"},
	} {
		got := lanes(test.features, test.implementations, test.off)
		if !strings.Contains(got, test.want) {
			t.Errorf("with %q: %q, want %q", test.features, got, test.want)
		}
	}
}

// TestSwitches checks that info lists the features that environment variables disable, and the
// unknown names in these variables.
func TestSwitches(t *testing.T) {
	off, unknown := switches("foo, ADX bar,sha-ni",
		"madvdontneed=1,cpu.avx512ifma=off,cpu.adx=on,cpu.all=off", []string{"BMI2", "ADX"})
	want := []string{"ADX (KOBLITZ_CPU_OFF)", "sha-ni (KOBLITZ_CPU_OFF)", "avx512ifma (GODEBUG)",
		"all (GODEBUG)"}
	if !slices.Equal(off, want) {
		t.Errorf("switched off: %q, want %q", off, want)
	}
	if want := []string{"foo", "bar"}; !slices.Equal(unknown, want) {
		t.Errorf("unknown: %q, want %q", unknown, want)
	}
	if off, unknown := switches("", "", nil); len(off) > 0 || unknown == nil || off == nil {
		t.Errorf("by default: %q, %q", off, unknown)
	}
}

// TestInfoSwitch checks that KOBLITZ_CPU_OFF removes implementations, but not CPU features, from
// the output of info. The variable must accept the name of every feature that info lists.
func TestInfoSwitch(t *testing.T) {
	read := func(setting string) (i info, text string) {
		t.Helper()
		for _, args := range [][]string{{"info", "--json"}, {"info"}} {
			c := clitest.Command(args...)
			c.Env = append(c.Env, "GODEBUG=", setting)
			out, err := c.Output()
			if err == nil && len(args) == 2 {
				err = json.Unmarshal(out, &i)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", setting, err, out)
			}
			text = string(out)
		}
		return i, text
	}
	before, text := read("KOBLITZ_CPU_OFF=")
	if len(before.SwitchedOff) > 0 || !strings.Contains(text, "\nswitched off     none\n") {
		t.Errorf("without a switch: %v\n%s", before.SwitchedOff, text)
	}
	after, text := read("KOBLITZ_CPU_OFF=all,foo")
	if !slices.Equal(after.Features, before.Features) ||
		!slices.Equal(after.SwitchedOff, []string{"all (KOBLITZ_CPU_OFF)"}) ||
		!slices.Equal(after.Implementations, []string{"portable"}) {
		t.Errorf("all off: %+v", after)
	}
	if !slices.Equal(after.UnknownSwitches, []string{"foo"}) || !strings.Contains(text, `["foo"]`) {
		t.Errorf("unknown: %q\n%s", after.UnknownSwitches, text)
	}
	each, _ := read("KOBLITZ_CPU_OFF=" + strings.Join(before.Features, ","))
	if len(each.SwitchedOff) != len(before.Features) || len(each.UnknownSwitches) > 0 ||
		!slices.Equal(each.Implementations, []string{"portable"}) {
		t.Errorf("each off: %+v", each)
	}
	if strings.HasPrefix(before.Lanes, "eight") && !strings.Contains(after.Lanes, "KOBLITZ_CPU_OFF") {
		t.Errorf("lanes: %q", after.Lanes)
	}
}

func TestInfo(t *testing.T) {
	program.Expect(t, cli.ExitOK, []string{"portable", "platform", "features"}, "", "info")
	program.Expect(t, cli.ExitOK, []string{`"portable"`, `"go": "go1.`}, "", "info", "--json")
}
