package inorder_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/contract"
	"github.com/koblitz-go/koblitz/_asm/listing/inorder"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

const (
	zero  = riscv64.ZERO
	away  = "away"
	other = "other"
)

// virtual returns the virtual register with number k.
func virtual(k int) riscv64.Reg { return riscv64.Reg(inorder.Virtual + k) }

// pool lists the registers that replace virtual ones. p and q are the registers that hold pointers.
var pool = []int{10, 11, 12, 13, 14, 15, 16, 17}

const (
	p   = riscv64.X5
	q   = riscv64.X6
	own = riscv64.X7 // the list writes this register, which is not virtual
)

// An order is a function with the signature of [inorder.CPU.Order].
type order func(text []interp.Instruction, pool []int) ([]interp.Instruction, int, error)

// function returns a function that contains a list of instructions. body writes the list, schedule
// orders it, and the registers of pool replace virtual ones. After the list, and at the label away,
// the returned function stores the register named own to the result.
func function(t *testing.T, schedule order, pool []int, body func(c riscv64.Code)) *interp.Program {
	t.Helper()
	c := riscv64.New("f", "func(p, q *uint64) (r uint64)")
	c.Argument("p", p)
	c.Argument("q", q)
	c.ADDI(7, zero, own)
	from := c.Len()
	body(c)
	list, _, err := schedule(c.Take(from), pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		c.Add(x.Opcode, x.Operands...)
	}
	c.Label(away)
	c.Result(own, "r")
	c.RET()
	program, err := c.Program()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// run calls a function with two pointers, each to eight words of memory. If same is set, both point
// to the same eight words. It returns the outputs of the call.
func run(t *testing.T, program *interp.Program, words []uint64, same bool) contract.Values {
	t.Helper()
	var left contract.Values
	call := &contract.Call{
		Buffers: []contract.Buffer{
			{Param: "p", Words: 8, In: words[:8], Out: true},
			{Param: "q", Words: 8, In: words[8:], Out: true},
		},
		Results: []string{"r"},
		Check: func(out contract.Values) error {
			left = maps.Clone(out)
			return nil
		},
	}
	if same {
		call.Buffers[1].Same = "p"
	}
	if err := contract.NewRunner(program, false).Run(program, call); err != nil {
		t.Fatal(err)
	}
	return left
}

// random writes a random list of instructions of all kinds. At any point in the list, at most about
// eight results are still needed.
func random(c riscv64.Code, r *rand.Rand) {
	var live []riscv64.Reg
	next := 0
	frame := c.Local(64)
	for i := range 8 { // initialize the frame
		c.SD(p, frame.Offset(8*i))
	}
	place := func() riscv64.Mem {
		at := 8 * r.IntN(8)
		return []riscv64.Mem{riscv64.At(p, at), riscv64.At(q, at), frame.Offset(at)}[r.IntN(3)]
	}
	result := func() riscv64.Reg {
		next++
		live = append(live, virtual(next))
		return virtual(next)
	}
	source := func() riscv64.Reg {
		if len(live) == 0 {
			return own
		}
		k := r.IntN(len(live))
		x := live[k]
		if len(live) > 4 {
			live = slices.Delete(live, k, k+1)
		}
		return x
	}
	for range 20 + r.IntN(40) {
		if len(live) > 6 {
			c.ADD(source(), own, own)
		}
		switch r.IntN(9) {
		case 0, 1:
			c.LD(place(), result())
		case 2:
			c.SD(source(), place())
		case 3:
			a, b := source(), source()
			c.MUL(a, b, result())
		case 4:
			a, b := source(), source()
			c.MULHU(a, b, result())
		case 5:
			a, b := source(), source()
			c.ADD(a, b, result())
		case 6:
			a, b := source(), source()
			c.SLTU(a, b, result())
		case 7:
			c.ADD(source(), own, own)
		case 8:
			if r.IntN(3) == 0 {
				c.BEQ(source(), zero, away)
			}
		}
	}
	for _, x := range live {
		c.ADD(x, own, own)
	}
}

// TestSameResults checks that a reordered list leaves the same values in registers and memory as
// the list in its given order. It also checks early exits and equal pointers.
func TestSameResults(t *testing.T) {
	differ, early := 0, 0
	for seed := range uint64(300) {
		body := func(c riscv64.Code) { random(c, rand.New(rand.NewPCG(seed, 1))) }
		moved := function(t, riscv64.U74().Order, pool, body)
		as := function(t, riscv64.U74().InTurn, slices.Concat(pool, []int{18, 19, 20, 21}), body)
		for k := range as.Len() {
			if as.Instruction(k).Opcode != moved.Instruction(k).Opcode {
				differ++
				break
			}
		}
		r := rand.New(rand.NewPCG(seed, 2))
		for n := range 8 {
			words := make([]uint64, 16)
			for k := range words {
				if words[k] = r.Uint64(); r.IntN(3) == 0 {
					words[k] = 0
				}
			}
			want, got := run(t, as, words, n%2 == 1), run(t, moved, words, n%2 == 1)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("list %d: %x, want %x", seed, got, want)
			}
			if want["r"][0] == 7 {
				early++
			}
		}
	}
	if differ < 250 || early < 100 {
		t.Errorf("%d lists get another order, %d runs end early", differ, early)
	}
}

// text returns the list that body writes, ordered for the U74, as text with one instruction per
// line.
func text(t *testing.T, pool []int, body func(c riscv64.Code)) (
	lines []string, cycles int, err error,
) {
	t.Helper()
	c := riscv64.New("f", "func(p, q *uint64)")
	body(c)
	list, cycles, err := riscv64.U74().Order(c.Take(0), pool)
	for _, x := range list {
		d := riscv64.New("f", "func()")
		d.Add(x.Opcode, x.Operands...)
		d.Label(away)
		d.RET()
		d.Label(other)
		d.RET()
		program, err := d.Program()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, program.Instruction(0).Text)
	}
	return lines, cycles, err
}

// TestOrder checks the order that short lists get for the CPU riscv64.U74.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pool   []int
		body   func(c riscv64.Code)
		want   []string
		cycles int
	}{
		{"sums of a product of sums wait three cycles", []int{10, 11, 12}, func(c riscv64.Code) {
			c.ADD(p, q, virtual(1))
			c.MUL(virtual(1), virtual(1), virtual(2))
			c.ADD(virtual(2), virtual(2), own)
		}, []string{"ADD X5, X6, X10", "MUL X10, X10, X10", "ADD X10, X10, X7"}, 0 + 3 + 1 + 3},
		{"what waits longest is first", []int{10, 11, 12}, func(c riscv64.Code) {
			c.ADD(p, p, virtual(1))
			c.ADD(virtual(1), p, virtual(2))
			c.MUL(p, q, virtual(3))
			c.MUL(virtual(3), virtual(3), virtual(4))
			c.ADD(virtual(4), virtual(2), own)
		}, []string{
			"MUL X5, X6, X10", "ADD X5, X5, X11", "ADD X11, X5, X11", "MUL X10, X10, X10",
			"ADD X10, X11, X7",
		}, 3 + 1 + 3},
		{"one register", []int{10}, func(c riscv64.Code) {
			c.LD(riscv64.At(p, 0), virtual(1))
			c.SD(virtual(1), riscv64.At(q, 0))
			c.LD(riscv64.At(p, 8), virtual(2))
			c.SD(virtual(2), riscv64.At(q, 8))
		}, []string{"LD (X5), X10", "SD X10, (X6)", "LD 8(X5), X10", "SD X10, 8(X6)"}, 6},
		{"pointers may be the same", []int{10, 11}, func(c riscv64.Code) {
			c.SD(q, riscv64.At(q, 0))
			c.LD(riscv64.At(p, 0), virtual(1))
			c.MUL(virtual(1), virtual(1), own)
		}, []string{"SD X6, (X6)", "LD (X5), X10", "MUL X10, X10, X7"}, 7},
		{"places from one pointer are different", []int{10, 11}, func(c riscv64.Code) {
			c.SD(q, riscv64.At(p, 8))
			c.LD(riscv64.At(p, 0), virtual(1))
			c.MUL(virtual(1), virtual(1), own)
		}, []string{"LD (X5), X10", "SD X6, 8(X5)", "MUL X10, X10, X7"}, 6},
		{"a byte is in the word that was stored", []int{10, 11}, func(c riscv64.Code) {
			c.MUL(p, q, virtual(1))
			c.MUL(virtual(1), virtual(1), virtual(2))
			c.SD(virtual(2), riscv64.At(p, 0))
			c.SB(q, riscv64.At(p, 4))
		}, []string{"MUL X5, X6, X10", "MUL X10, X10, X10", "SD X10, (X5)", "SB X6, 4(X5)"}, 7},
		{"a byte of the word was stored", []int{10, 11}, func(c riscv64.Code) {
			c.SB(q, riscv64.At(p, 7))
			c.LD(riscv64.At(p, 0), virtual(1))
			c.MUL(virtual(1), virtual(1), own)
		}, []string{"SB X6, 7(X5)", "LD (X5), X10", "MUL X10, X10, X7"}, 7},
		{"nothing that lasts crosses a jump out of the list", []int{10, 11}, func(c riscv64.Code) {
			c.MUL(p, q, virtual(1))
			c.MUL(virtual(1), virtual(1), virtual(2))
			c.BEQ(virtual(2), zero, away)
			c.SD(q, riscv64.At(p, 8))
			c.ADD(p, p, own)
		}, []string{
			"MUL X5, X6, X10", "MUL X10, X10, X10", "BEQ X10, ZERO, away", "ADD X5, X5, X7",
			"SD X6, 8(X5)",
		}, 7},
		{"jumps out of the list keep their order", []int{10, 11}, func(c riscv64.Code) {
			c.MUL(p, q, virtual(1))
			c.MUL(virtual(1), p, virtual(2))
			c.BEQ(virtual(2), zero, away)
			c.BEQ(p, zero, other)
		}, []string{
			"MUL X5, X6, X10", "MUL X10, X5, X10", "BEQ X10, ZERO, away", "BEQ X5, ZERO, other",
		}, 8},
		{"the second of two values stays", []int{10, 11}, func(c riscv64.Code) {
			c.MUL(p, q, virtual(1))
			c.MUL(virtual(1), virtual(1), own)
			c.ADD(p, p, own)
		}, []string{"MUL X5, X6, X10", "MUL X10, X10, X7", "ADD X5, X5, X7"}, 7},
		{"two in a cycle", nil, func(c riscv64.Code) {
			c.ADD(p, p, 20)
			c.ADD(p, p, 21)
			c.ADD(p, p, 22)
		}, []string{"ADD X5, X5, X20", "ADD X5, X5, X21", "ADD X5, X5, X22"}, 4},
	} {
		got, cycles, err := text(t, tt.pool, tt.body)
		if err != nil || !slices.Equal(got, tt.want) || cycles != tt.cycles {
			t.Errorf("%s: %v, %d cycles\n%s", tt.name, err, cycles, strings.Join(got, "\n"))
		}
	}
}

// TestChanges checks an instruction with out-of-line code that changes registers. The instruction
// must stay between the readers of these registers before it and those after it. The registers must
// stay occupied until the last of these instructions.
func TestChanges(t *testing.T) {
	c := riscv64.New("f", "func()")
	operand := func(r riscv64.Reg) interp.Operand {
		return interp.Operand{Kind: interp.General, Index: int(r), Bits: 64, IndexReg: -1}
	}
	c.MUL(p, p, virtual(4))
	c.MUL(p, virtual(4), virtual(1))
	c.SLTU(p, q, virtual(2))
	c.MUL(p, q, virtual(3))
	c.Add("BNE", operand(virtual(2)), operand(zero),
		interp.Operand{Kind: interp.Label, Label: away, IndexReg: -1}, operand(virtual(1)))
	c.ADD(virtual(1), virtual(3), own)
	list, _, err := riscv64.U74().Order(c.Take(0), []int{10, 11, 12})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for k := range list {
		at[list[k].Opcode] = k // for MUL, this is the index of the last one
	}
	if at["BNE"] > at["ADD"] || at["BNE"] < at["MUL"] {
		t.Errorf("the jump is at %d, between the sum at %d and the product at %d", at["BNE"],
			at["ADD"], at["MUL"])
	}
	jump, sum := list[at["BNE"]], list[at["ADD"]]
	if jump.Operands[3].Index != sum.Operands[0].Index {
		t.Errorf("register %d is changed, and %d read", jump.Operands[3].Index, sum.Operands[0].Index)
	}
}

// TestChangesLast checks an instruction whose out-of-line code changes a register that is not
// virtual. The instruction must not move across a jump out of the list.
func TestChangesLast(t *testing.T) {
	operand := func(r riscv64.Reg) interp.Operand {
		return interp.Operand{Kind: interp.General, Index: int(r), Bits: 64, IndexReg: -1}
	}
	jump := func(c riscv64.Code, to string, changed ...interp.Operand) {
		c.Add("BNE", append([]interp.Operand{operand(p), operand(zero),
			{Kind: interp.Label, Label: to, IndexReg: -1}}, changed...)...)
	}
	for _, first := range []bool{true, false} {
		c := riscv64.New("f", "func()")
		c.MUL(p, q, virtual(1))
		c.MUL(virtual(1), virtual(1), virtual(2))
		if first { // the exit waits longer for its operand than the other jump
			c.BEQ(virtual(2), zero, away)
			jump(c, other, operand(own))
		} else {
			jump(c, other, operand(virtual(2)), operand(own))
			c.BEQ(p, zero, away)
		}
		list, _, err := riscv64.U74().Order(c.Take(0), []int{10, 11, 12})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list, func(x interp.Instruction) bool { return x.Opcode == "BEQ" })
		if before := at < len(list)-1; before != first {
			t.Errorf("the jump out of the list is number %d of %d", at, len(list))
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		body       func(c riscv64.Code)
	}{
		{"nothing", "", func(c riscv64.Code) {}},
		{"too many results", "more than 2 registers", func(c riscv64.Code) {
			for k := range 3 {
				c.LD(riscv64.At(p, 8*k), virtual(k))
			}
			c.ADD(virtual(0), virtual(1), own)
			c.ADD(virtual(1), virtual(2), own)
			c.ADD(virtual(2), virtual(0), own)
		}},
		{"no value", "reads a register before it is written", func(c riscv64.Code) {
			c.ADD(virtual(1), p, own)
		}},
		{"two values", "writes a virtual register again", func(c riscv64.Code) {
			c.ADD(p, p, virtual(1))
			c.ADD(p, virtual(1), virtual(1))
		}},
		{"no reader", "nothing reads the result of instruction 0, ADD", func(c riscv64.Code) {
			c.ADD(p, p, virtual(1))
		}},
		{"a register of its own in the pool", "register 11 of the pool", func(c riscv64.Code) {
			c.ADD(p, p, virtual(1))
			c.ADD(virtual(1), 11, own)
		}},
		{"an address of its own in the pool", "register 10 of the pool", func(c riscv64.Code) {
			c.LD(riscv64.At(10, 0), own)
		}},
		{"a return", "RET in a straight list", func(c riscv64.Code) { c.RET() }},
		{"a jump that is always taken", "JMP in a straight list", func(c riscv64.Code) { c.JMP("away") }},
	} {
		_, _, err := text(t, []int{10, 11}, tt.body)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil ||
			!strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
