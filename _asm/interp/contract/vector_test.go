package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

// parallelOracles holds the oracles of the kernels of package vector.
var parallelOracles = map[string]oracle{
	"vector.doubleIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "")
	},
	"vector.doubleAddIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "addend")
	},
	"vector.doubleAddMultiplesIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "multiples")
	},
	"vector.doubleAddAffineIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "affine")
	},
	"vector.setAddendsIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return addendCalls(r, n/4)
	},
}

// parallelFactors holds the number of multiply-adds, in all lanes, of each kernel of package vector
// without doublings. A doubling has 524, four of them to carry the result.
var parallelFactors = map[string]int{
	"doubleIFMA": 0, "doubleAddIFMA": 1048, "doubleAddMultiplesIFMA": 2*1048 - 8,
	"doubleAddAffineIFMA": 1040, "setAddendsIFMA": 536,
}

// parallelRaw lists the kernels that do not carry the result of the last doubling.
var parallelRaw = []string{"doubleAddIFMA", "doubleAddMultiplesIFMA"}

// apartCalls returns calls of a kernel of package vector: with no doublings, if the kernel allows
// that, and with five, for both signs of an addend, and for all indices in a table.
func apartCalls(name string) (calls []*Call) {
	for _, c := range parallelOracles["vector."+name](source(13, kernel(name)), 64, false)[:8] {
		for k := range c.Numbers {
			if c.Numbers[k].Param == "n" && c.Numbers[k].Value != 0 {
				c.Numbers[k].Value = 5
			}
		}
		calls = append(calls, c)
	}
	return calls
}

// TestRangesApart proves the ranges of the kernels that hold different numbers in the lanes of a
// register.
func TestRangesApart(t *testing.T) {
	for name := range parallelFactors {
		t.Run(name, func(t *testing.T) {
			k := kernel(name)
			run, _ := rangeRunner(t, k)
			largest, err := apart(k, run, run.Program())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("sums in %v", largest)
			for _, u := range run.Uncovered() {
				t.Errorf("never reached: %s", u)
			}
		})
	}
}

// apart proves the ranges of the program p, which is the kernel k or a mutant of it, with every
// lane as a number of its own.
func apart(
	k *kernels.Kernel, run *Runner, p *interp.Program,
) (largest interp.Range, err error) {
	for _, c := range apartCalls(k.Name) {
		r, err := run.Apart(p, c, 49)
		if err != nil {
			return largest, err
		}
		want := parallelFactors[k.Name]
		for _, n := range c.Numbers {
			if n.Param != "n" || n.Value == 0 {
				continue
			}
			want += 524 * int(n.Value)
			if slices.Contains(parallelRaw, k.Name) {
				want -= 4
			}
		}
		if r.Factors != want {
			return largest, fmt.Errorf("%d multiply-adds, want %d", r.Factors, want)
		}
		largest = r.Largest
	}
	return largest, nil
}

// TestRangesApartFind deletes right shifts and masks one at a time, and checks that the proof then
// fails. It also checks that the proof fails if the arguments may be larger.
func TestRangesApartFind(t *testing.T) {
	always := []string{"VPSRLQ", "VPSRAQ", "VPANDQ"}
	for name := range parallelFactors {
		k := kernel(name)
		run, _ := rangeRunner(t, k)
		calls := apartCalls(name)
		if _, err := apart(k, run, run.Program()); err != nil {
			t.Error(err)
		}
		if _, err := run.Apart(run.Program(), calls[0], 53); err == nil {
			t.Errorf("%s: arguments that are too large are not found", name)
		}
		list := slices.DeleteFunc(mutant.All(run.Program()), func(m mutant.Mutant) bool {
			return m.Kind != "deleted" || !slices.Contains(always, m.Original.Opcode)
		})
		found := 0
		for at := 0; at < len(list); at += 1 + len(list)/40 {
			p, err := run.Program().Replace(list[at].Index, list[at].Instruction)
			if err != nil {
				t.Fatal(err)
			}
			_, err = apart(k, run, p)
			if err == nil {
				t.Errorf("%s: not found: %v", name, &list[at])
			} else if strings.Contains(err.Error(), "before this") {
				t.Errorf("%v: ranges are wrong: %v", &list[at], err)
			}
			found++
		}
		if found < 10 {
			t.Errorf("%s: only %d planted errors", name, found)
		}
	}
}
