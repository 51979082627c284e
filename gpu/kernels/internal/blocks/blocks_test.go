package blocks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A step is an instruction as machine runs it. Its operands are numbers: small numbers are
// registers, larger ones are constants.
type step struct {
	op      string
	in, out bool // whether the instruction takes a carry, and leaves one
	dst     int
	args    [3]int
}

const registers = 26 * 32 // 32 registers for each letter

// steps translates instructions to steps.
func steps(t *testing.T, insts []Inst) []step {
	t.Helper()
	number := func(name string) int {
		var i int
		if c := name[0]; c >= 'a' {
			if _, err := fmt.Sscan(name[1:], &i); err != nil {
				t.Fatal(err)
			}
			return 32*int(c-'a') + i
		}
		if _, err := fmt.Sscan(name, &i); err != nil {
			t.Fatal(err)
		}
		return registers + i
	}
	list := make([]step, len(insts))
	for i, inst := range insts {
		s := &list[i]
		s.op, s.out = strings.CutSuffix(inst.Op, ".cc")
		first, rest, _ := strings.Cut(s.op, ".")
		if first, s.in = strings.CutSuffix(first, "c"); s.in {
			s.op = strings.TrimSuffix(first+"."+rest, ".")
		}
		s.dst = number(inst.Dst)
		s.args = [3]int{registers, registers, registers}
		for k, arg := range inst.Args {
			s.args[k] = number(arg)
		}
	}
	return list
}

// A machine runs the instructions of blocks as the PTX manual defines them.
type machine struct {
	regs    [registers]uint32
	written [registers]bool
	carry   uint64
}

// errRead is returned if a register is read before it is written.
var errRead = errors.New("a register is read before it is written")

func (m *machine) run(s *step) error {
	var x [3]uint64
	for i, arg := range s.args {
		switch {
		case arg >= registers:
			x[i] = uint64(arg - registers)
		case m.written[arg]:
			x[i] = uint64(m.regs[arg])
		default:
			return errRead
		}
	}
	in := uint64(0)
	if s.in {
		in = m.carry
	}
	var sum uint64
	switch s.op {
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
		return fmt.Errorf("no instruction %s", s.op)
	}
	m.regs[s.dst], m.written[s.dst] = uint32(sum), true
	if s.out {
		m.carry = sum >> 32 & 1
	}
	return nil
}

// run runs a block on operands and returns its result.
func run(program []step, inputs string, operands []*big.Int) (*big.Int, error) {
	var m machine
	for k, letter := range inputs {
		var b [32]byte
		operands[k].FillBytes(b[:])
		for i := range 8 {
			at := 32*int(letter-'a') + i
			m.regs[at], m.written[at] = binary.BigEndian.Uint32(b[28-4*i:]), true
		}
	}
	for i := range program {
		if err := m.run(&program[i]); err != nil {
			return nil, err
		}
	}
	var b [32]byte
	for i := range 8 {
		at := 32*int('r'-'a') + i
		if !m.written[at] {
			return nil, errRead
		}
		binary.BigEndian.PutUint32(b[28-4*i:], m.regs[at])
	}
	return new(big.Int).SetBytes(b[:]), nil
}

// wanted holds, for each block, the function that it must compute.
var wanted = map[string]func(a, b *big.Int) *big.Int{
	"fe_mul":     func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	"fe_sqr":     func(a, _ *big.Int) *big.Int { return new(big.Int).Mul(a, a) },
	"fe_add":     func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	"fe_sub":     func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
	"sc_product": func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
}

// all returns the blocks of both headers.
func all() []*Block { return append(Field(), MulOrder()) }

// rowsOf returns pairs of operands for a block: those of the function operands, and for a block
// modulo n also those of the function orders.
func rowsOf(b *Block, r *rand.Rand, count int) [][]*big.Int {
	rows := operands(r, count)
	if b.Type == "sc" {
		rows = append(rows, orders(r)...)
	}
	return rows
}

// operands returns pairs of operands for blocks modulo p: pairs whose results need rare carries,
// edge cases, and random numbers.
func operands(r *rand.Rand, count int) [][]*big.Int {
	rows := append(sums(), products(r)...)
	rows = append(rows, folds(r)...)
	for _, x := range reference.EdgeInts() {
		rows = append(rows, []*big.Int{x, x}, []*big.Int{x, reference.RandInt(r)})
	}
	for range count {
		rows = append(rows, []*big.Int{reference.RandInt(r), reference.RandInt(r)})
	}
	return rows
}

var (
	p   = reference.P()
	top = new(big.Int).Lsh(big.NewInt(1), 256)
	c   = new(big.Int).Sub(top, p)
)

// sums returns operands for which an addition carries a second time or a subtraction borrows a
// second time, with or without a carry from limb 0 into limb 1, and operands that narrowly avoid
// it.
func sums() [][]*big.Int {
	var rows [][]*big.Int
	for _, x := range []int64{0, 1, 2, 976, 977, 978, 1500, 1953, 1954, 1<<32 - 1, 1 << 32, C - 1, C} {
		for i := range int64(3) {
			// For a small number x, the first pair of operands has the sum 2^257 − x, and the
			// second pair the difference x − 2^256.
			high := new(big.Int).Sub(top, big.NewInt(i+1))
			low := new(big.Int).Sub(top, big.NewInt(x-i-1))
			if low.Cmp(top) < 0 {
				rows = append(rows, []*big.Int{high, low})
			}
			if low.Sub(top, big.NewInt(x-i)); low.Cmp(top) < 0 {
				rows = append(rows, []*big.Int{big.NewInt(i), low})
			}
		}
	}
	return rows
}

// C is the constant c = 2^256 − p.
const C = 1<<32 + 977

// products returns operands for a special case of the method accumulator.row: a pair of limbs is
// written for the first time, and the lower half of the product is all ones, so the incoming carry
// propagates into the upper half.
func products(r *rand.Rand) [][]*big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), 32)
	var rows [][]*big.Int
	for i := range 8 {
		for range 8 {
			x := int64(r.Uint32() | 1<<31 | 1)
			y := new(big.Int).ModInverse(big.NewInt(-x+1<<32), m)
			a := new(big.Int).Sub(top, big.NewInt(1+r.Int64N(3)))
			a.Sub(a, new(big.Int).Lsh(big.NewInt(1<<32-1-x), 224))
			b := new(big.Int).Sub(top, big.NewInt(1))
			b.Sub(b, new(big.Int).Lsh(new(big.Int).Sub(big.NewInt(1<<32-1), y), uint(32*i)))
			rows = append(rows, []*big.Int{a, b})
			if i < 7 { // the limbs x and y in one operand
				both := new(big.Int).Sub(a, new(big.Int).Sub(top, b))
				rows = append(rows, []*big.Int{both, b})
			}
		}
	}
	return rows
}

// folds returns operands whose products carry in rare places of the reduction.
func folds(r *rand.Rand) [][]*big.Int {
	var rows [][]*big.Int
	// For a product h·2^256 + l, the reduction first computes c·h + l. Choose products for which
	// the part of this sum above 2^256 is s, a number near 2^32.
	for k := range 200 {
		s := big.NewInt(1<<32 - 1000 + r.Int64N(1977))
		if k%2 == 0 {
			s.SetInt64(1<<32 - 1 + r.Int64N(3))
		}
		product := new(big.Int).Lsh(s, 256)
		product.Div(product, c)
		product.Lsh(product, 256).Or(product, reference.RandInt(r))
		a := new(big.Int).Sub(top, new(big.Int).Rsh(reference.RandInt(r), 33))
		a.Sub(a, big.NewInt(1))
		root := new(big.Int).Sqrt(product)
		rows = append(rows, []*big.Int{a, new(big.Int).Div(product, a)}, []*big.Int{root, root})
	}
	// Let v be the sum after the second fold, just below 2^64, so that adding c carries into limb
	// 2. The operands are a = p − u and b = p − w with a·b ≡ u·w = v + c + p. The numbers u and w
	// are small enough for the part above 2^256 to be between 2^32 − 978 and c.
	for k := range 200 {
		w := big.NewInt(1<<22 + r.Int64N(1<<28))
		if k%4 == 0 {
			w.SetInt64(1<<22 + r.Int64N(1<<20))
		}
		v := new(big.Int).SetUint64(-uint64(1 + r.Int64N(C-1)))
		if k%2 == 0 {
			v.SetUint64(r.Uint64()).Lsh(v, uint(r.IntN(2)))
		}
		sum := new(big.Int).Add(v, c)
		sum.Add(sum, p)
		u := sum.Div(sum, w) // rounding lowers v by less than w
		rows = append(rows, []*big.Int{new(big.Int).Sub(p, u), new(big.Int).Sub(p, w)})
	}
	// Squares of numbers p − u can reach the same carry if u is a square root of v + c, for a sum v
	// just below 2^64. These roots were found by trying millions of v. Limb 1 of v is all ones, or
	// limb 0 is nearly all ones.
	for _, hex := range []string{
		"ffffff8777c4f0d081c7383b27f31fa9d5f1f5a6c3bc9cede0a5d6d5cd49eb90",
		"fffffd5029ccab5b391472d552bfe09a1d081ae0e2644a59eee374faaf963ce5",
		"ffffff10dad2aef26c5007211879d91429753b2e426e04beea10686e780a46d6",
		"ffffffaa7659a0f279f120481703052dc56b99972305fea2a9afa09b5b912ce0",
	} {
		a, _ := new(big.Int).SetString(hex, 16)
		rows = append(rows, []*big.Int{a, a})
	}
	return rows
}

// right returns an error unless a program gives the right results for all rows. want holds the
// reduced results. A result modulo n must be reduced; a result modulo p may be any number below
// 2^256.
func right(program []step, b *Block, rows [][]*big.Int, want []*big.Int) error {
	for i, row := range rows {
		got, err := run(program, b.Inputs, row)
		if err != nil {
			return err
		}
		// At most two numbers below 2^256 have the same residue modulo p: x and x + p.
		if got.Cmp(want[i]) != 0 && (b.Type == "sc" || got.Sub(got, p).Cmp(want[i]) != 0) {
			return fmt.Errorf("(%x, %x) is %x", row[0], row[1], got)
		}
	}
	return nil
}

// results returns the expected results of a block.
func results(b *Block, rows [][]*big.Int) []*big.Int {
	want := make([]*big.Int, len(rows))
	modulus := p
	if b.Type == "sc" {
		modulus = n
	}
	for i, row := range rows {
		want[i] = wanted[b.Name](row[0], row[1])
		want[i].Mod(want[i], modulus)
	}
	return want
}

// TestBlocks checks that each block computes the right results.
func TestBlocks(t *testing.T) {
	seed := rand.Uint64()
	for _, b := range all() {
		t.Run(b.Name, func(t *testing.T) {
			rows := rowsOf(b, rand.New(rand.NewPCG(seed, 0)), 10000)
			if err := right(steps(t, b.Insts), b, rows, results(b, rows)); err != nil {
				t.Errorf("seed %#x: %v", seed, err)
			}
		})
	}
}

// TestFaults checks that operands like those of TestBlocks reveal faults in every instruction of
// the blocks: it is missing, it loses the incoming or the outgoing carry, or an argument is 0.
func TestFaults(t *testing.T) {
	for _, b := range all() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			rows := rowsOf(b, rand.New(rand.NewPCG(1, 2)), 1000)
			want := results(b, rows)
			if err := right(steps(t, b.Insts), b, rows, want); err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			found := 0
			for i, inst := range b.Insts {
				for _, fault := range faults(inst) {
					insts := slices.Clone(b.Insts)
					insts[i] = fault
					if right(steps(t, insts), b, rows, want) == nil {
						t.Errorf("instruction %d: %v instead of %v is not detected", i, fault, inst)
						continue
					}
					found++
				}
			}
			t.Logf("%d faults found", found)
		})
	}
}

// faults returns variants of an instruction with one fault each.
func faults(inst Inst) []Inst {
	list := []Inst{{"mov", inst.Dst, []string{"0"}}}
	name, out := strings.CutSuffix(inst.Op, ".cc")
	if out {
		// Without the suffix ".cc" the instruction leaves the carry as it was.
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

// TestHeaders checks that the committed headers equal the output of Headers.
func TestHeaders(t *testing.T) {
	for name, want := range Headers() {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs: go generate", name)
		}
	}
}
