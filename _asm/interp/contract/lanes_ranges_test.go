package contract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

// laneBounds has the kernels whose ranges are followed: all lane kernels with
// multiplications of factors that are not constants.
var laneBounds = map[string]LaneBounds{
	"mulIFMA": {Top: 49}, "mulAddIFMA": {Top: 49}, "squareNIFMA": {Top: 49}, "squareNPairIFMA": {Top: 49},
	"addIFMA": {Top: 49}, "subIFMA": {Top: 49}, "mulSmallIFMA": {Top: 49, Numbers: map[string]uint64{"k": 16}},
	"normalizeIFMA": {Top: 49}, "isZeroIFMA": {Top: 49}, "selectIFMA": {Top: 49}, "condNegIFMA": {Top: 49},
	"doubleNIFMA": {Top: 49}, "addMixedIFMA": {Top: 49}, "addJacobianIFMA": {Top: 49}, "addAffineIFMA": {Top: 49},
	"mulScalarIFMA": {Top: 48},
}

// rangeCalls returns calls of a kernel that between them have every way to share
// memory, with loops of five rounds.
func rangeCalls(id string) []*Call {
	var out []*Call
	shapes := map[string]bool{}
	for _, c := range oracles[id](rand.New(rand.NewPCG(1, 1)), 200, false) {
		if !shapes[c.shape()] {
			shapes[c.shape()] = true
			for k := range c.Numbers {
				if c.Numbers[k].Param == "n" {
					c.Numbers[k].Value = 5
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// TestRanges proves for every lane kernel and all inputs in range what
// interp.Ranges is about, and that results are in range.
func TestRanges(t *testing.T) {
	seen := 0
	for _, k := range kernels.All() {
		bounds, ok := laneBounds[k.Name]
		if !ok {
			continue
		}
		seen++
		k.Order = nil // in the order in which they are written, carries stand before what they are for
		t.Run(k.Name, func(t *testing.T) {
			file, _ := compile(t, &k)
			run, err := NewRunner(file, k.Name, k.ConstantTime)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range rangeCalls(id(&k)) {
				r, err := run.Ranges(run.Program(), c, bounds)
				if err != nil {
					t.Fatalf("%s: %v", c.shape(), err)
				}
				t.Logf("%d multiply-adds, sums in %v", r.Factors, r.Largest)
			}
		})
	}
	if seen != len(laneBounds) {
		t.Errorf("%d kernels of %d", seen, len(laneBounds))
	}
}

// TestRangesFind widens the inputs, and takes away one by one the shifts, masks,
// additions of multiples of p and multiply-adds of kernels: nearly all of that
// breaks a range. What it does not break is sums that stay in range without one
// of their terms; those are for the oracles.
func TestRangesFind(t *testing.T) {
	all := kernels.All()
	for _, name := range []string{"mulIFMA", "subIFMA", "doubleNIFMA", "addMixedIFMA", "mulScalarIFMA"} {
		k := &all[slices.IndexFunc(all, func(k kernels.Kernel) bool { return k.Name == name })]
		k.Order = nil
		file, fn := compile(t, k)
		run, err := NewRunner(file, k.Name, k.ConstantTime)
		if err != nil {
			t.Fatal(err)
		}
		c := rangeCalls(id(k))[0]
		want := "the factor"
		if name == "subIFMA" { // without factors: a difference becomes negative
			want = "as if it were not negative"
		}
		for _, wider := range []LaneBounds{{Top: 49, Low: 54}, {Top: 53}} {
			if _, err := run.Ranges(run.Program(), c, wider); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %v: %v, want %q", name, wider, err, want)
			}
		}
		planted, found := 0, 0
		for _, m := range mutant.All(fn) {
			if m.Kind != "deleted" || !slices.Contains([]string{"VPSRLQ", "VPADDQ", "VPSUBQ", "VPANDQ", "VPMADD52LUQ", "VPMADD52HUQ"}, m.Original.Opcode) {
				continue
			}
			p, err := run.Program().Replace(m.Index, m.Instruction)
			if err != nil {
				t.Fatal(err)
			}
			planted++
			if _, err := run.Ranges(p, c, laneBounds[name]); err != nil {
				found++
			}
		}
		t.Logf("%s: %d of %d found", name, found, planted)
		if planted < 20 || 10*found < 8*planted {
			t.Errorf("%s: only %d of %d are found", name, found, planted)
		}
	}
}
