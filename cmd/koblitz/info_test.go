package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestLanes: info says why there are no lanes, and names AVX-IFMA where a CPU has
// that alone.
func TestLanes(t *testing.T) {
	have := cpu.Has(cpu.Lanes)
	if got := lanes(); strings.HasPrefix(got, "eight") != have {
		t.Errorf("lanes %v: %q", have, got)
	}
	restore := cpu.Restrict(cpu.BMI2 | cpu.ADX | cpu.AVX2)
	want := "none: they need AVX-512 IFMA"
	if cpu.OffLanes() {
		want = "none: KOBLITZ_CPU_OFF takes away what they need"
	}
	if got := lanes(); got != want {
		t.Errorf("without AVX-512: %q, want %q", got, want)
	}
	restore()
	t.Run("AVX512F alone", func(t *testing.T) {
		cputest.Need(t, cputest.AVX512F)
		defer cpu.Restrict(cpu.AVX512F)()
		if got := lanes(); !strings.Contains(got, "without the extensions") {
			t.Errorf("with AVX512F alone: %q", got)
		}
	})
}

// TestSwitches: info names what the environment takes away, and what means nothing there.
func TestSwitches(t *testing.T) {
	off, unknown := switches("foo, ADX bar",
		"madvdontneed=1,cpu.avx512ifma=off,cpu.adx=on,cpu.all=off")
	off = off[len(cpu.Off()):]
	if want := []string{"avx512ifma (GODEBUG)", "all (GODEBUG)"}; !slices.Equal(off, want) {
		t.Errorf("switched off: %q, want %q", off, want)
	}
	if want := []string{"foo", "bar"}; !slices.Equal(unknown, want) {
		t.Errorf("unknown: %q, want %q", unknown, want)
	}
	if off, unknown := switches("", ""); len(off) != len(cpu.Off()) || unknown == nil || off == nil {
		t.Errorf("by default: %q, %q", off, unknown)
	}
}

// TestInfoSwitch: what KOBLITZ_CPU_OFF takes away moves from one line of info to another.
func TestInfoSwitch(t *testing.T) {
	read := func(setting string) (i info, text string) {
		t.Helper()
		for _, args := range [][]string{{"info", "--json"}, {"info"}} {
			c := exec.Command(os.Args[0], args...)
			c.Env = append(os.Environ(), asCommand+"=1", "GODEBUG=", setting)
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
	var want []string
	for _, name := range before.Features {
		want = append(want, name+" (KOBLITZ_CPU_OFF)")
	}
	if len(after.Features) > 0 || !slices.Equal(after.SwitchedOff, want) ||
		!slices.Equal(after.Implementations, []string{"portable"}) {
		t.Errorf("all off: %+v, want %q switched off", after, want)
	}
	if !slices.Equal(after.UnknownSwitches, []string{"foo"}) || !strings.Contains(text, `["foo"]`) {
		t.Errorf("unknown: %q\n%s", after.UnknownSwitches, text)
	}
	if strings.HasPrefix(before.Lanes, "eight") && !strings.Contains(after.Lanes, "KOBLITZ_CPU_OFF") {
		t.Errorf("lanes: %q", after.Lanes)
	}
}
