package blocks

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A machine carries out blocks.
type machine struct {
	regs  map[string]uint32
	carry uint32
}

// value returns what an argument stands for. A register that was never written is a fault.
func (m *machine) value(arg string) (uint64, error) {
	if x, ok := m.regs[arg]; ok {
		return uint64(x), nil
	}
	var x uint64
	if _, err := fmt.Sscanf(arg, "%d", &x); err != nil {
		return 0, fmt.Errorf("%s was not written", arg)
	}
	return x, nil
}

// run carries out one instruction, as the PTX manual describes it. A carry that is read but was
// not left by the instruction before it is a fault of the program too: another compiler's
// instruction could stand there.
func (m *machine) run(inst Inst) error {
	var x [3]uint64
	for i, arg := range inst.Args {
		var err error
		if x[i], err = m.value(arg); err != nil {
			return err
		}
	}
	name, out := strings.CutSuffix(inst.Op, ".cc")
	in := uint64(0)
	if short, carries := strings.CutSuffix(strings.Split(name, ".")[0], "c"); carries {
		_, rest, _ := strings.Cut(name, ".")
		name = strings.TrimSuffix(short+"."+rest, ".")
		if m.carry > 1 {
			return fmt.Errorf("%v: there is no carry", inst)
		}
		in = uint64(m.carry)
	}
	var sum uint64
	switch name {
	case "add":
		sum = x[0] + x[1] + in
	case "sub":
		sum = x[0] - x[1] - in
	case "mul.lo":
		sum = uint64(uint32(x[0] * x[1]))
	case "mul.hi":
		sum = x[0] * x[1] >> 32
	case "mad.lo":
		sum = uint64(uint32(x[0]*x[1])) + x[2] + in
	case "mad.hi":
		sum = x[0]*x[1]>>32 + x[2] + in
	case "and":
		sum = x[0] & x[1]
	case "mov":
		sum = x[0]
	case "shf.l.wrap":
		sum = (x[1]<<32 | x[0]) << x[2] >> 32
	default:
		return fmt.Errorf("no instruction %s", inst.Op)
	}
	m.regs[inst.Dst] = uint32(sum)
	if out {
		m.carry = uint32(sum>>32) & 1
	}
	return nil
}

// run carries out a block.
func run(insts []Inst, inputs string, operands []*big.Int) (*big.Int, error) {
	m := &machine{regs: map[string]uint32{}, carry: 2}
	for k, letter := range inputs {
		for i := range 8 {
			limb := new(big.Int).Rsh(operands[k], uint(32*i))
			m.regs[reg(string(letter), i)] = uint32(limb.Uint64())
		}
	}
	for _, inst := range insts {
		if err := m.run(inst); err != nil {
			return nil, err
		}
	}
	r := new(big.Int)
	for i := 7; i >= 0; i-- {
		limb, err := m.value(reg("r", i))
		if err != nil {
			return nil, err
		}
		r.Lsh(r, 32).Or(r, new(big.Int).SetUint64(limb))
	}
	return r, nil
}

// wanted computes what a block is for.
var wanted = map[string]func(a, b *big.Int) *big.Int{
	"fe_mul": func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	"fe_sqr": func(a, _ *big.Int) *big.Int { return new(big.Int).Mul(a, a) },
	"fe_add": func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	"fe_sub": func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
}

// operands returns pairs of numbers: edges, random ones, and those whose results need the last
// carries.
func operands(r *rand.Rand, count int) [][]*big.Int {
	p, top := reference.P(), new(big.Int).Lsh(big.NewInt(1), 256)
	c := new(big.Int).Sub(top, p)
	var rows [][]*big.Int
	for i := range int64(6) {
		for j := range int64(6) {
			high := func(k int64) *big.Int { return new(big.Int).Sub(top, big.NewInt(k+1)) }
			rows = append(rows,
				[]*big.Int{big.NewInt(i), high(j)},
				[]*big.Int{high(i), high(j)},
				[]*big.Int{big.NewInt(i), big.NewInt(j)})
		}
	}
	edges := reference.EdgeInts()
	for _, x := range edges {
		rows = append(rows, []*big.Int{x, x}, []*big.Int{x, edges[r.IntN(len(edges))]})
		// Sums and differences whose first carry leaves little below, or above, zero.
		y := new(big.Int).SetUint64(r.Uint64() >> r.UintN(64))
		rest := new(big.Int).Sub(top, x)
		rows = append(rows,
			[]*big.Int{x, new(big.Int).Mod(rest.Add(rest, y), top)},
			[]*big.Int{x, new(big.Int).Mod(new(big.Int).Add(x, y), top)})
	}
	// Products that are small modulo p: the second fold carries (docs/field-bounds.md).
	for range count / 4 {
		a := reference.RandInt(r)
		a.SetBit(a, 255, 1).Mod(a, p)
		if a.Sign() == 0 {
			continue
		}
		j := new(big.Int).SetUint64(r.Uint64())
		j.Mul(j, big.NewInt(r.Int64N(3))).Add(j, big.NewInt(r.Int64N(1<<40)))
		b := new(big.Int).ModInverse(a, p)
		rows = append(rows, []*big.Int{a, b.Mul(b, j).Mod(b, p)})
		if root := new(big.Int).ModSqrt(j.Mod(j, p), p); root != nil {
			rows = append(rows, []*big.Int{root, root}, []*big.Int{new(big.Int).Sub(p, root), c})
		}
	}
	for range count {
		rows = append(rows, []*big.Int{reference.RandInt(r), reference.RandInt(r)})
	}
	return rows
}

// right returns whether a block, with such instructions, is right for all rows.
func right(b *Block, insts []Inst, rows [][]*big.Int) error {
	p := reference.P()
	for _, row := range rows {
		got, err := run(insts, b.Inputs, row)
		if err != nil {
			return err
		}
		want := wanted[b.Name](row[0], row[1])
		if new(big.Int).Mod(got, p).Cmp(want.Mod(want, p)) != 0 {
			return fmt.Errorf("(%x, %x) is %x", row[0], row[1], got)
		}
	}
	return nil
}

// TestBlocks: the blocks compute what they are for.
func TestBlocks(t *testing.T) {
	seed := rand.Uint64()
	rows := operands(rand.New(rand.NewPCG(seed, 0)), 4000)
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			if err := right(b, b.Insts, rows); err != nil {
				t.Errorf("seed %#x: %v", seed, err)
			}
		})
	}
}

// TestFaults: the operands of TestBlocks find every fault of some kinds in every instruction: it
// is missing, it loses the carry in or the carry out, or it has another argument.
func TestFaults(t *testing.T) {
	rows := operands(rand.New(rand.NewPCG(1, 2)), 4000)
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for i, inst := range b.Insts {
				for _, fault := range faults(inst) {
					insts := slices.Clone(b.Insts)
					insts[i] = fault
					if right(b, insts, rows) == nil {
						t.Errorf("instruction %d: %v instead of %v is not found", i, fault, inst)
						continue
					}
					found++
				}
			}
			t.Logf("%d faults found", found)
		})
	}
}

// faults returns what may stand in the place of an instruction by mistake.
func faults(inst Inst) []Inst {
	list := []Inst{{"mov", inst.Dst, []string{"0"}}}
	name, out := strings.CutSuffix(inst.Op, ".cc")
	if out {
		// The carry stays what it was.
		list = append(list, Inst{name, inst.Dst, inst.Args})
	}
	if first, rest, _ := strings.Cut(inst.Op, "."); strings.HasSuffix(first, "c") {
		op := strings.TrimSuffix(strings.TrimSuffix(first, "c")+"."+rest, ".")
		list = append(list, Inst{op, inst.Dst, inst.Args})
	}
	for k, arg := range inst.Args {
		if arg != "0" {
			args := slices.Clone(inst.Args)
			args[k] = "0"
			list = append(list, Inst{inst.Op, inst.Dst, args})
		}
	}
	return list
}

// TestHeader: ptx.h is what the generator makes.
func TestHeader(t *testing.T) {
	got, err := os.ReadFile("../../ptx.h")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Header() {
		t.Error("ptx.h differs: go generate")
	}
}
