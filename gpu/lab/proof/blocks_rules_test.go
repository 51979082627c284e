package proof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

// parts splits an instruction into its name, its result and its arguments.
func parts(inst string) (op, dst string, args []string) {
	op, rest, _ := strings.Cut(strings.TrimSuffix(inst, ";"), " ")
	args = strings.Split(rest, ", ")
	return op, args[0], args[1:]
}

// run runs b in the interpreter of PTX with the limbs of a and b as inputs, and returns what each
// instruction wrote.
func (b *block) run(in []uint32) ([]uint64, error) {
	var text strings.Builder
	text.WriteString(".version 6.4\n.target sm_75\n.address_size 64\n" +
		".visible .entry k(.param .u64 p)\n{\n.reg .u64 %p;\n.reg .b32 %r<33>;\n" +
		b.regs + "\nld.param.u64 %p, [p];\n")
	for k := range in {
		fmt.Fprintf(&text, "ld.global.u32 %%r%d, [%%p+%d];\n", 8+k, 8*k)
	}
	for k, inst := range b.insts {
		_, dst, _ := parts(inst)
		fmt.Fprintln(&text, strings.ReplaceAll(inst, "%", "%r"))
		kind, value := "u32", strings.ReplaceAll(dst, "%", "%r")
		switch dst[0] {
		case 'q': // a predicate
			fmt.Fprintf(&text, "selp.u32 %%r32, 1, 0, %s;\n", dst)
			value = "%r32"
		case 'w':
			kind = "u64"
		}
		fmt.Fprintf(&text, "st.global.%s [%%p+%d], %s;\n", kind, 8*(len(in)+k), value)
	}
	text.WriteString("ret;\n}\n")
	m, err := ptx.Parse(text.String())
	if err != nil {
		return nil, err
	}
	data := make([]byte, 8*(len(in)+len(b.insts)))
	for k, x := range in {
		binary.LittleEndian.PutUint32(data[8*k:], x)
	}
	if _, err := m.Call("k", ptx.Launch{Groups: 1, Items: 1}, data); err != nil {
		return nil, err
	}
	out := make([]uint64, len(b.insts))
	for k := range out {
		out[k] = binary.LittleEndian.Uint64(data[8*(len(in)+k):])
	}
	return out, nil
}

// A follower keeps the form of each register and of the carry while it follows a block.
type follower struct {
	*proof.System
	reg    map[string]*proof.Form
	carry  *proof.Form // out of the last instruction that left one: 0 or 1
	borrow bool        // the carry is a borrow
	// carries has all carries so far.
	carries []*proof.Form
	// choices has the masks that are assumed: bit k is 1 if mask k is all ones. taken counts them.
	// astray reports whether one of them is not the run's.
	choices, taken uint
	astray         bool
	// By the key of a form: the carry that was added to it, the bit of a mask, the logic of a
	// word, how many of its lowest bits are 0, and the equations that a predicate tests.
	added map[string]*proof.Form
	masks map[string]*proof.Form
	logic map[string]logic
	zeros map[string]uint
	tests map[string][]equation
	// settled has the tests that have a value in this case.
	settled []test
}

// get returns an argument: a register or a constant. A constant of 32 bits is not negative.
func (f *follower) get(op, name string) (*proof.Form, error) {
	if x, ok := number(name); ok && strings.HasSuffix(op, "64") {
		return proof.Int(x), nil
	} else if ok {
		return proof.Int(int64(uint32(x))), nil
	}
	if g := f.reg[name]; g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%s is not defined", name)
}

// sum returns the low word of plus less minus. It takes the carry into account and leaves the next
// one as the suffixes in the name of the instruction say.
func (f *follower) sum(name string, plus, minus []*proof.Form) (*proof.Form, error) {
	negative := len(minus) > 0
	base, _, _ := strings.Cut(name, ".")
	var carry *proof.Form
	if strings.HasSuffix(base, "c") {
		if f.carry == nil || f.borrow != negative {
			return nil, errors.New("no carry of this kind")
		}
		if carry = f.carry; negative {
			minus = append(minus, carry)
			carry = carry.Times(big.NewInt(-1))
		} else {
			plus = append(plus, carry)
		}
	}
	high, low := f.Cut(f.Total(plus, minus), 32, carry)
	if strings.Contains(name, ".cc") {
		if f.carry, f.borrow = high, negative; negative {
			f.carry = high.Times(big.NewInt(-1))
		}
		f.carries = append(f.carries, f.carry)
	} else if base == "addc" {
		// This is the topmost word of a sum. The sum may limit it to a few bits.
		if up := f.Upper(low, big.NewInt(1<<8)); up.BitLen() < 32 {
			f.Know(low, new(big.Int), up)
		}
	} else if base == "subc" && f.taken > 0 {
		// The last borrow is dropped: see whether it is 0.
		if zero := new(big.Int); f.Between(high, zero, zero) == nil {
			if err := f.Assume(high, zero); err != nil {
				return nil, err
			}
		}
	}
	return low, nil
}

// follow returns what the instruction writes, and the name of the register.
func (f *follower) follow(inst string) (*proof.Form, string, error) {
	op, dst, names := parts(inst)
	var a []*proof.Form
	for _, name := range names {
		g, err := f.get(op, name)
		if err != nil {
			return nil, "", err
		}
		a = append(a, g)
	}
	out, err := f.compiled(op, names, a)
	if out != nil || err != nil {
		return out, dst, err
	}
	name := op[:strings.LastIndexByte(op, '.')] // without the type
	base, _, _ := strings.Cut(name, ".")
	switch base {
	case "mov":
		out = a[0]
	case "add", "addc":
		if op == "add.u32" && names[0] == names[1] {
			// The carry is the bit that shf takes from the same word.
			out = a[0].Shift(1).Sub(f.Floor(a[0], 31, nil).Shift(32))
			f.Know(out, new(big.Int), big.NewInt(1<<32-1))
			break
		}
		out, err = f.sum(name, a, nil)
	case "sub", "subc":
		out, err = f.sum(name, a[:1], a[1:])
	case "mul", "mad", "madc":
		high, low := f.Cut(f.Product(a[0], a[1]), 32, nil)
		if strings.Contains(name, ".hi") {
			low = high
		}
		if out = low; base != "mul" {
			out, err = f.sum(name, []*proof.Form{low, a[2]}, nil)
		}
	case "and":
		out, err = f.mask(names[0], a[0], a[1])
	case "shf":
		if names[2] != "1" || name != "shf.l.wrap" {
			return nil, "", errors.New("no rule")
		}
		// 2·a1 + ⌊a0/2^31⌋ is above 2^32 by as much as 2·a1.
		out = a[1].Shift(1).Add(f.Floor(a[0], 31, nil)).Sub(f.Floor(a[1], 31, nil).Shift(32))
		f.Know(out, new(big.Int), big.NewInt(1<<32-1))
	default:
		err = errors.New("no rule")
	}
	return out, dst, err
}

// mask returns the bits that are set in both the register name, which is m, and x. The register
// must be 0 or all ones. If it depends on inputs, one of the two is assumed from here on.
func (f *follower) mask(name string, m, x *proof.Form) (*proof.Form, error) {
	ones, zero := proof.Int(1<<32-1), proof.Int(0)
	if m.Key() != zero.Key() && m.Key() != ones.Key() {
		bit := f.Floor(m, 31, nil)
		if bit.Times(big.NewInt(1<<32-1)).Key() != m.Key() {
			return nil, errors.New("AND without a mask")
		}
		value := big.NewInt(int64(f.choices >> f.taken & 1))
		f.taken++
		f.astray = f.astray || bit.Now().Cmp(value) != 0
		if err := f.Assume(bit, value); err != nil {
			return nil, err
		}
		m = ones.Times(value)
		f.reg[name] = m
	}
	if m.Key() == zero.Key() {
		return m, nil
	}
	return x, nil
}

// errRule says that a rule and the interpreter differ, which is an error of one of the two.
var errRule = errors.New("a rule yields")

// forms follows b with the given inputs, and returns the forms of the operands of c and the result.
// It compares every number with the interpreter's, up to a choice that is not the run's.
func (c *claim) forms(b *block, in []uint32, choices uint, most int) (f *follower,
	operands []*proof.Form, result *proof.Form, err error) {
	ran, err := b.run(in)
	if err != nil {
		return nil, nil, nil, err
	}
	f = &follower{System: proof.NewSystem(), reg: map[string]*proof.Form{}, choices: choices,
		added: map[string]*proof.Form{}, masks: map[string]*proof.Form{}, logic: map[string]logic{},
		zeros: map[string]uint{}, tests: map[string][]equation{}}
	f.Most = most
	for k, x := range in {
		name := fmt.Sprintf("%%%d", 8+k)
		bits := uint(32)
		if some := c.bits[k]; some > 0 {
			bits = some
		}
		f.reg[name] = f.Input(name, bits, new(big.Int).SetUint64(uint64(x)))
	}
	at := 8
	for _, words := range c.operands {
		operands = append(operands, f.number(at, words))
		at += words
	}
	if c.limit != nil {
		c.limit(f, operands)
	}
	for k, inst := range b.insts {
		out, dst, err := f.follow(inst)
		if err != nil {
			return f, nil, nil, fmt.Errorf("%s: %w", inst, err)
		}
		now := out.Now()
		if dst[0] == 'w' {
			now.Mod(now, long)
		}
		if !f.astray && (!now.IsUint64() || now.Uint64() != ran[k]) {
			return nil, nil, nil, fmt.Errorf("%s: %w %#x, and the interpreter %#x", inst, errRule,
				now, ran[k])
		}
		f.reg[dst] = out
	}
	if result = f.number(0, c.result); result == nil {
		return nil, nil, nil, errors.New("no result")
	}
	return f, operands, result, nil
}

// number returns the number whose limbs are words registers from first on, or nil if a register is
// not defined.
func (f *follower) number(first, words int) *proof.Form {
	var limbs []*proof.Form
	for k := range words {
		limb := f.reg[fmt.Sprintf("%%%d", first+k)]
		if limb == nil {
			return nil
		}
		limbs = append(limbs, limb)
	}
	return proof.Join(32, limbs...)
}
