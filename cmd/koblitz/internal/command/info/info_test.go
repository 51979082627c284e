package info

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
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
		!slices.Equal(after.SwitchedOff, []string{"KOBLITZ_CPU_OFF=all,foo"}) ||
		!slices.Equal(after.Implementations, []string{"portable"}) ||
		!strings.Contains(text, "\nswitched off     KOBLITZ_CPU_OFF=all,foo\n") {
		t.Errorf("all off: %+v\n%s", after, text)
	}
	each, _ := read("KOBLITZ_CPU_OFF=" + strings.Join(before.Features, ","))
	if !slices.Equal(each.Implementations, []string{"portable"}) {
		t.Errorf("each off: %+v", each)
	}
	if strings.HasPrefix(before.Lanes, "eight") && !strings.Contains(after.Lanes, "KOBLITZ_CPU_OFF") {
		t.Errorf("lanes: %q", after.Lanes)
	}
	godebug, _ := read("GODEBUG=madvdontneed=1,cpu.avx2=off")
	if !slices.Equal(godebug.SwitchedOff, []string{"GODEBUG=madvdontneed=1,cpu.avx2=off"}) {
		t.Errorf("GODEBUG: %q", godebug.SwitchedOff)
	}
}
