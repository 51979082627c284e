package contract

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

// laneRanges holds the bounds of the kernels whose ranges TestRanges proves: all lane kernels
// except splitOdd, which computes modulo 2^156, and readRound and readShared, which select words by
// numbers. After the selection, readRound does the same as loadRows, and readShared as readDigits.
// The claim of splitOdd includes that no lane overflows.
var laneRanges = withLevels(map[string]laneRange{
	"mulIFMA":     {65, LaneBounds{Top: 49}},
	"squareNIFMA": {225, LaneBounds{Top: 49}}, "squareNPairIFMA": {450, LaneBounds{Top: 49}},
	"addIFMA": {1, LaneBounds{Top: 49}}, "subIFMA": {1, LaneBounds{Top: 49}},
	"mulSmallIFMA":  {9, LaneBounds{Top: 49, Numbers: map[string]uint64{"k": 16}}},
	"normalizeIFMA": {1, LaneBounds{Top: 49, Below: p}}, "isZeroIFMA": {1, LaneBounds{Top: 49}},
	"selectLanesIFMA": {0, LaneBounds{Top: 49}}, "condNegIFMA": {1, LaneBounds{Top: 49}},
	"doubleNIFMA": {1800, LaneBounds{Top: 49}}, "addMixedIFMA": {640, LaneBounds{Top: 49}},
	"addJacobianIFMA": {945, LaneBounds{Top: 49}}, "addAffineIFMA": {177, LaneBounds{Top: 49}},
	"addCoZIFMA":    {353, LaneBounds{Top: 49}},
	"mulScalarIFMA": {102, LaneBounds{Top: 48, Below: reference.N()}},

	"unpackIFMA": {0, LaneBounds{Top: 48, Memory: map[string]Memory{"rows": anyRows}}},
	"packIFMA":   {2, LaneBounds{Top: 49, Memory: map[string]Memory{"rows": canonicalRows}}},
	"loadRowsIFMA": {0, LaneBounds{Top: 48, Memory: map[string]Memory{
		"tables": canonicalRows, "digits": addressed,
	}}},
	"lookupPackedIFMA": {0, LaneBounds{Top: 48, Memory: map[string]Memory{
		"packed tables": canonicalRows, "tables": addressed, "words": addressed,
	}}},
	"prefetchPackedIFMA": {0, LaneBounds{Memory: map[string]Memory{
		"packed tables": canonicalRows, "tables": addressed, "words": addressed,
	}}},
	"readDigitsAVX512": {0, LaneBounds{Top: 49, Memory: map[string]Memory{"words": addressed}}},
	"readDigitsAVX2":   {0, LaneBounds{Top: 49, Memory: map[string]Memory{"words": addressed}}},
	// Only the first two elements of acc hold a value when the kernel begins. The kernel copies
	// them to products, so the first two products are not results of multiply-adds.
	"differencesIFMA": {632, LaneBounds{Top: 49, Memory: map[string]Memory{
		"rows": anyRows, "a": addressed, "b": addressed,
		"products": {Stream: true, Top: 52}, "differences": {Stream: true}, "acc": {Top: 52, First: 2},
	}}},
	"timesLambdaIFMA": {330, LaneBounds{Top: 49, Memory: map[string]Memory{"rows": anyRows}}},
	// The kernel's first iteration stores sums that belong to no group. It stores them in the last
	// row, which is scratch memory.
	"chordsIFMA": {2940, LaneBounds{Top: 49, Memory: map[string]Memory{
		"rows": {Rows: two256, Scratch: 1}, "a": addressed, "b": addressed, "out": addressed,
		"products": {Stream: true, Top: 52}, "differences": {Stream: true},
		"acc": {First: 2, Spent: true},
	}}},
})

// A laneRange holds the bounds of a kernel, and the number of multiply-adds that every call
// executes.
type laneRange struct {
	factors int
	LaneBounds
}

// withLevels adds the kernels of other levels to those of the level IFMA. A product counts as one
// multiply-add at the levels FMA512 and FMA256, and as two, one for each half, at the levels with
// IFMA. At the levels FMA256 and IFMA256, each half of the lanes has its own instructions.
func withLevels(ranges map[string]laneRange) map[string]laneRange {
	for name, factors := range map[string]int{
		"selectLanes": 0, "addJacobian": 435, "mulScalar": 52, "normalize": 0,
		"lookupPacked": 0, "condNeg": 0, "loadRows": 0, "differences": 300, "squareNPair": 200,
		"prefetchPacked": 0, "pack": 0, "addAffine": 80, "unpack": 0, "timesLambda": 150,
		"isZero": 0, "mulSmall": 0, "doubleN": 825, "addCoZ": 160, "mul": 30, "sub": 0,
		"chords": 1400, "squareN": 100, "add": 0, "addMixed": 295,
	} {
		x := ranges[name+"IFMA"]
		ranges[name+"FMA512"] = laneRange{factors, x.LaneBounds}
		ranges[name+"FMA256"] = laneRange{2 * factors, x.LaneBounds}
		ranges[name+"IFMA256"] = laneRange{2 * x.factors, x.LaneBounds}
	}
	// At the level IFMA256, every fold is one with three multiply-adds fewer. At the level IFMA,
	// only kernels with few free registers do so.
	for name, folds := range map[string]int{
		"mul": 1, "squareN": 5, "squareNPair": 10, "addMixed": 10, "addAffine": 3,
		"addCoZ": 6, "timesLambda": 5, "doubleN": 30, "addJacobian": 15,
	} {
		x := ranges[name+"IFMA256"]
		x.factors -= 2 * 3 * folds
		ranges[name+"IFMA256"] = x
	}
	return ranges
}

var (
	addressed     = Memory{References: true}
	anyRows       = Memory{Rows: two256}
	canonicalRows = Memory{Rows: p}
)

// with returns the bounds b with the description m of the memory of the argument param added.
func (b LaneBounds) with(param string, m Memory) LaneBounds {
	b.Memory = maps.Clone(b.Memory)
	b.Memory[param] = m
	return b
}

// rangeCalls returns calls of the kernel id. They cover every way in which its arguments can share
// memory, and every path. Loops run for the given number of rounds.
func rangeCalls(id string, rounds int) []*Call {
	r := rand.New(rand.NewPCG(1, 1))
	switch name := strings.TrimPrefix(id, "sums."); {
	case strings.HasPrefix(name, "differences"):
		return []*Call{pairDifferences(true)(r, 0, 2*rounds)}
	case strings.HasPrefix(name, "chords"):
		return []*Call{pairChords(r, 0, 2*rounds)}
	case strings.HasPrefix(name, "timesLambda"):
		return []*Call{timesLambda(r, 0, rounds)}
	}
	var out []*Call
	shapes := map[string]bool{}
	for _, c := range oracles[id](r, 200, false) {
		if !shapes[c.shape()] && !c.few() {
			shapes[c.shape()] = true
			for k := range c.Numbers {
				if c.Numbers[k].Param == "n" {
					c.Numbers[k].Value = uint64(rounds)
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// few reports whether the table of readDigits has fewer than three entries in the call. The loop
// over the entries then ends before its state can be the same in two rounds.
func (c *Call) few() bool {
	return slices.ContainsFunc(c.Numbers, func(n Number) bool {
		return n.Param == "table.len" && n.Value < 3
	})
}

// rangeRunner returns a runner for the kernel k. The kernel's instructions are in source order, not
// scheduled, so that each carry comes before the instruction that uses it.
func rangeRunner(t *testing.T, k *kernels.Kernel) (*Runner, *ir.File) {
	k.Order = nil
	file, _ := compile(t, k)
	return NewRunner(load(t, file, k.Name), k.ConstantTime), file
}

// kernel returns the kernel with the given name.
func kernel(name string) *kernels.Kernel {
	all := kernels.All()
	return &all[slices.IndexFunc(all, func(k kernels.Kernel) bool { return k.Name == name })]
}

// TestRanges runs every lane kernel with interp.Ranges. It checks, for all inputs in range, that
// the properties which Ranges proves hold, and that the results are in range.
func TestRanges(t *testing.T) {
	for name, bounds := range laneRanges {
		t.Run(name, func(t *testing.T) {
			k := kernel(name)
			run, _ := rangeRunner(t, k)
			largest, err := bounds.prove(k, run, run.Program())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d multiply-adds, sums in %v", bounds.factors, largest)
			for _, u := range run.Uncovered() {
				t.Errorf("never reached: %s", u)
			}
		})
	}
}

// prove proves the ranges of the program p, which is the kernel k or a mutant of it.
func (b laneRange) prove(
	k *kernels.Kernel, run *Runner, p *interp.Program,
) (largest interp.Range, err error) {
	for _, c := range rangeCalls(id(k), 5) {
		r, err := run.Ranges(p, c, b.LaneBounds)
		if err != nil {
			return largest, fmt.Errorf("%s: %w", c.shape(), err)
		}
		if r.Factors != b.factors {
			return largest, fmt.Errorf("%d multiply-adds, want %d", r.Factors, b.factors)
		}
		largest = r.Largest
	}
	return largest, nil
}

// TestRangesOfAll checks that every kernel that multiplies lanes is in laneRanges or
// parallelFactors.
func TestRangesOfAll(t *testing.T) {
	all := kernels.All()
	for i := range all {
		k := &all[i]
		if k.List != nil {
			continue // the kernel has no lanes
		}
		f, err := k.Context().Result()
		if err != nil {
			t.Fatal(err)
		}
		_, followed := laneRanges[k.Name]
		if _, apart := parallelFactors[k.Name]; apart {
			followed = true // by TestRangesApart
		}
		for _, fn := range f.Functions() {
			multiplies := slices.ContainsFunc(fn.Instructions(), func(i *ir.Instruction) bool {
				return strings.HasPrefix(i.Opcode, "VPMADD52") || strings.HasPrefix(i.Opcode, "VFM")
			})
			if multiplies && !followed && !strings.HasPrefix(k.Name, "splitOdd") {
				t.Errorf("%s is not followed", k.Name)
			}
		}
	}
}

// TestFoldScalar checks two bounds in the comment of vectors.FoldScalar: column 4 is below 2^56,
// and limb 4 of the result is below 2^48 + 2^4. The kernel shifts column 4 by 48 bits, and later
// limb 4 plus a carry of at most 1. With registers of four lanes, it does so once for each half.
func TestFoldScalar(t *testing.T) {
	for _, level := range []string{"IFMA", "FMA512", "IFMA256", "FMA256"} {
		k := kernel("mulScalar" + level)
		run, _ := rangeRunner(t, k)
		bounds := laneRanges[k.Name].LaneBounds
		last := map[string]*big.Int{} // the largest number in a register
		var shifted []*big.Int
		bounds.Trace = func(i *interp.Inst, r interp.Range) {
			name, text, _ := strings.Cut(i.Text, " ")
			operands := strings.Split(text, ", ")
			if name == "VPSRLQ" && operands[0] == "$0x30" {
				shifted = append(shifted, last[operands[1]])
			}
			last[operands[len(operands)-1]] = r.Hi
		}
		if _, err := run.Ranges(run.Program(), rangeCalls(id(k), 1)[0], bounds); err != nil {
			t.Fatal(err)
		}
		for i, x := range shifted {
			limit := big.NewInt(1 << 56)
			if i%2 == 1 {
				limit.SetInt64(1<<48 + 1<<4 + 1)
			}
			if x.Cmp(limit) >= 0 {
				t.Errorf("%s: %d of %d is %#x, want below %#x", k.Name, i, len(shifted), x, limit)
			}
		}
		t.Logf("%s: %x", k.Name, shifted)
	}
}

// TestRangesWide checks that the proof of a kernel fails if its inputs may be slightly larger than
// its contract allows.
func TestRangesWide(t *testing.T) {
	with := func(param string, m Memory) func(b LaneBounds) LaneBounds {
		return func(b LaneBounds) LaneBounds { return b.with(param, m) }
	}
	for _, x := range []struct {
		name  string
		wider func(b LaneBounds) LaneBounds
		want  string
	}{
		{"mulIFMA", lowLimbs, "the factor"}, {"mulIFMA", topLimb, "the factor"},
		{"doubleNIFMA", lowLimbs, "the factor"}, {"doubleNIFMA", topLimb, "the factor"},
		{"addMixedIFMA", lowLimbs, "the factor"}, {"addMixedIFMA", topLimb, "the factor"},
		{"mulScalarIFMA", lowLimbs, "the factor"}, {"mulScalarIFMA", topLimb, "the factor"},
		// subIFMA has no multiplications. Its fault is that a difference may become negative.
		{"subIFMA", lowLimbs, "as if it were not negative"},
		{"subIFMA", topLimb, "as if it were not negative"},
		// The difference of p and a number in a row may be negative.
		{"loadRowsIFMA", with("tables", anyRows), "limb 4 of element 1"},
		{"lookupPackedIFMA", with("packed tables", anyRows), "limb 4 of element 1"},
		{"loadRowsIFMA", with("tables", addressed), "references"},
		{"differencesIFMA", with("acc", Memory{First: 2, Top: 53}), "stores"},
		{"differencesIFMA", with("differences", Memory{Stream: true, Top: 53}), "the factor"},
		{"differencesIFMA", with("differences", Memory{Stream: true, Top: 48}), "stores"},
		{"differencesIFMA", with("rows", Memory{References: true}), "references"},
		{"chordsIFMA", with("products", Memory{Stream: true, Top: 53}), "the factor"},
		{"chordsIFMA", with("differences", Memory{Stream: true, Top: 53}), "the factor"},
		{"chordsIFMA", with("rows", Memory{Rows: two256}), "is poison"},
		{"chordsIFMA", with("rows", Memory{Rows: p, Scratch: 1}), "not below"},
		{"mulFMA512", lowLimbs, "may be rounded"}, {"mulFMA512", topLimb, "may be rounded"},
		{"doubleNFMA512", lowLimbs, "may be rounded"}, {"mulScalarFMA512", topLimb, "may be rounded"},
		{"loadRowsFMA512", with("tables", anyRows), "limb 4 of element 1"},
		{"chordsFMA512", with("rows", Memory{Rows: p, Scratch: 1}), "not below"},
		{"mulFMA256", lowLimbs, "may be rounded"}, {"mulFMA256", topLimb, "may be rounded"},
		{"subFMA256", topLimb, "as if it were not negative"},
		{"mulIFMA256", lowLimbs, "the factor"}, {"doubleNIFMA256", topLimb, "the factor"},
		{"mulScalarIFMA256", lowLimbs, "the factor"},
		{"chordsIFMA256", with("products", Memory{Stream: true, Top: 53}), "the factor"},
		{"doubleNFMA256", lowLimbs, "may be rounded"}, {"mulScalarFMA256", topLimb, "may be rounded"},
		{"readDigitsAVX512", lowLimbs, "as if it were not negative"},
		{"readDigitsAVX512", topLimb, "as if it were not negative"},
		{"readDigitsAVX2", lowLimbs, "as if it were not negative"},
		{"readDigitsAVX2", with("table", addressed), "limb 0 of element 0"},
		{"loadRowsFMA256", with("tables", anyRows), "limb 4 of element 1"},
		{"loadRowsFMA256", with("tables", addressed), "limb 0 of element 0"},
		{"chordsFMA256", with("rows", Memory{Rows: p, Scratch: 1}), "not below"},
		{"chordsFMA256", with("differences", Memory{Stream: true, Top: 53}), "may be rounded"},
	} {
		k := kernel(x.name)
		run, _ := rangeRunner(t, k)
		c := rangeCalls(id(k), 3)[0]
		if _, err := run.Ranges(run.Program(), c, laneRanges[x.name].LaneBounds); err != nil {
			t.Error(err)
		}
		if _, err := run.Ranges(run.Program(), c, x.wider(laneRanges[x.name].LaneBounds)); err == nil ||
			!strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}

func lowLimbs(b LaneBounds) LaneBounds {
	b.Low = 54
	return b
}

func topLimb(b LaneBounds) LaneBounds {
	b.Top = 53
	return b
}

// TestRangesConstants makes the constants of kernels smaller, and checks that the proof then fails.
// Masks lose one bit, and multiples of p are divided by eight: half of a multiple would still
// suffice for some limbs, and a quarter for numbers from rows. The test leaves out C and R, which
// are factors, and sign masks, since their values hardly affect ranges. If a kernel has several
// copies of a constant for the lanes of a register, all of them change.
func TestRangesConstants(t *testing.T) {
	const c = 1<<32 + 977
	unused := vectors.Multiple(8, 4) // a multiple of p that differencesIFMA does not use
	for _, name := range []string{
		"subIFMA", "loadRowsIFMA", "packIFMA", "differencesIFMA", "chordsIFMA",
		"subFMA256", "loadRowsFMA256", "packFMA256",
	} {
		k := kernel(name)
		run, file := rangeRunner(t, k)
		call := rangeCalls(id(k), 3)[0]
		if _, err := run.Ranges(run.Program(), call, laneRanges[name].LaneBounds); err != nil {
			t.Error(err)
		}
		for _, s := range file.Sections {
			g, ok := s.(*ir.Global)
			for at := 0; ok && at < len(g.Data); at++ {
				was := g.Data[at].Value.(operand.U64)
				shorter := was >> 1
				switch {
				case slices.Contains([]operand.U64{c, c << 4, c - 1<<32, 1, 1 << 32}, was):
					continue
				case was <= 1<<7 || was == 0x7f80: // bits of masks, MXCSR
					continue
				case name == "differencesIFMA" && slices.Contains(unused[:], uint64(was)):
					continue
				case was&(was+1) != 0:
					shorter = was >> 3
				}
				copies := 1
				for at+copies < len(g.Data) && g.Data[at+copies].Value == was {
					copies++
				}
				set := func(v operand.U64) {
					for k := range copies {
						g.Data[at+k].Value = v
					}
				}
				set(shorter)
				run := NewRunner(load(t, file, name), k.ConstantTime)
				if _, err := run.Ranges(run.Program(), call, laneRanges[name].LaneBounds); err == nil {
					t.Errorf("%s: %#x instead of %#x is not found", name, shorter, was)
				}
				set(was)
				at += copies - 1
			}
		}
	}
}

// TestRangesFind deletes each computing instruction of a kernel in turn. It checks that the proof
// fails without a right shift, a mask or a move of lanes. A deleted addition or subtraction may
// leave a sum that is in range, and a register of four lanes may still hold those of another row;
// the oracles find such errors. In long kernels only some instructions are tried.
func TestRangesFind(t *testing.T) {
	most := 40
	if deep() {
		most = 100
	}
	always := []string{"VPSRLQ", "VPSRAQ", "VPSHRDQ", "VPAND", "VPANDQ", "VPUNPCKLQDQ", "VPUNPCKHQDQ",
		"VINSERTI64X4"}
	computing := append([]string{"VPADDQ", "VPSUBQ", "VPMADD52LUQ", "VPMADD52HUQ",
		"VPERM2I128", "VPXOR", "VPBLENDVB",
		"VFMADD231PD", "VFMSUB231PD", "VSUBPD"}, always...)
	for _, name := range []string{
		"mulIFMA", "subIFMA", "doubleNIFMA", "addMixedIFMA", "mulScalarIFMA",
		"loadRowsIFMA", "packIFMA", "differencesIFMA", "chordsIFMA",
		"mulFMA512", "doubleNFMA512", "mulScalarFMA512", "loadRowsFMA512", "chordsFMA512",
		"mulFMA256", "doubleNFMA256", "mulScalarFMA256", "loadRowsFMA256", "packFMA256", "chordsFMA256",
		"mulIFMA256", "doubleNIFMA256", "chordsIFMA256",
	} {
		k := kernel(name)
		run, _ := rangeRunner(t, k)
		c := rangeCalls(id(k), 3)[0]
		if _, err := run.Ranges(run.Program(), c, laneRanges[name].LaneBounds); err != nil {
			t.Error(err)
		}
		list := mutant.All(run.Program())
		list = slices.DeleteFunc(list, func(m mutant.Mutant) bool {
			from := m.Original.Operands
			return m.Kind != "deleted" || !slices.Contains(computing, m.Original.Opcode) ||
				from[0].IndexReg > 0 || // a bit of a mask argument
				m.Original.Opcode == "VPSRAQ" && strings.HasPrefix(name, "loadRows") || // a bit of a digit
				from[0].Same(&from[1]) // VPXOR that clears
		})
		planted, found := 0, 0
		for at := 0; at < len(list); at += 1 + len(list)/most {
			m := list[at]
			p, err := run.Program().Replace(m.Index, m.Instruction)
			if err != nil {
				t.Fatal(err)
			}
			planted++
			_, err = run.Ranges(p, c, laneRanges[name].LaneBounds)
			if err != nil && strings.Contains(err.Error(), "before this") {
				t.Errorf("%v: ranges are wrong: %v", &m, err)
			}
			if err != nil {
				found++
			} else if slices.Contains(always, m.Original.Opcode) && !(strings.HasSuffix(name, "256") &&
				strings.HasPrefix(m.Original.Opcode, "VPUNPCK")) {
				t.Errorf("%s: not found: %v", name, &m)
			}
		}
		t.Logf("%s: %d of %d found", name, found, planted)
		if planted < 20 || 10*found < 8*planted {
			t.Errorf("%s: only %d of %d are found", name, found, planted)
		}
	}
}
