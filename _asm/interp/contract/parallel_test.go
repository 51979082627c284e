package contract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
)

// parallelOracles has the oracles of the kernels of package parallel.
var parallelOracles = map[string]oracle{
	"parallel.doubleIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "")
	},
	"parallel.doubleAddIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "addend")
	},
	"parallel.doubleAddReadIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "multiples")
	},
	"parallel.doubleAddAffineIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "affine")
	},
	"parallel.setAddendsIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return addendCalls(r, n/4)
	},
}

// parallelFactors has the number of multiply-adds, in all lanes, of each kernel of package parallel
// without doublings. A doubling has 524, four of them to carry the result.
var parallelFactors = map[string]int{
	"doubleIFMA": 0, "doubleAddIFMA": 1048, "doubleAddReadIFMA": 2*1048 - 8,
	"doubleAddAffineIFMA": 1040, "setAddendsIFMA": 536,
}

// parallelRaw has the kernels that do not carry the result of the last doubling.
var parallelRaw = []string{"doubleAddIFMA", "doubleAddReadIFMA"}

// apartCalls returns calls of a kernel of package parallel: with no doublings, if the kernel allows
// that, and with five, for both signs of an addend, and for all indices in a table.
func apartCalls(name string) (calls []*Call) {
	for _, c := range parallelOracles["parallel."+name](source(13, kernel(name)), 64, false)[:8] {
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
			for _, c := range apartCalls(name) {
				r, err := run.Apart(run.Program(), c, 49)
				if err != nil {
					t.Fatal(err)
				}
				want := parallelFactors[name]
				for _, n := range c.Numbers {
					if n.Param != "n" || n.Value == 0 {
						continue
					}
					want += 524 * int(n.Value)
					if slices.Contains(parallelRaw, name) {
						want -= 4
					}
				}
				if r.Factors != want {
					t.Errorf("%d multiply-adds, want %d", r.Factors, want)
				}
				t.Logf("%d multiply-adds, sums in %v", r.Factors, r.Largest)
			}
			for _, u := range run.Uncovered() {
				t.Errorf("never reached: %s", u)
			}
		})
	}
}

// TestRangesApartFind deletes right shifts and masks one at a time, and checks that the proof then
// fails. It also checks that the proof fails if the arguments may be larger.
func TestRangesApartFind(t *testing.T) {
	always := []string{"VPSRLQ", "VPSRAQ", "VPANDQ"}
	for name := range parallelFactors {
		k := kernel(name)
		run, _ := rangeRunner(t, k)
		calls := apartCalls(name)
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
			for _, c := range calls {
				if _, err = run.Apart(p, c, 49); err != nil {
					break
				}
			}
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
