package proof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strconv"
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
func (b *block) run(in []uint32) ([]uint32, error) {
	var text strings.Builder
	text.WriteString(".version 6.4\n.target sm_75\n.address_size 64\n" +
		".visible .entry k(.param .u64 p)\n{\n.reg .u64 %p;\n.reg .b32 %r<24>;\n" +
		b.regs + "\nld.param.u64 %p, [p];\n")
	for k := range in {
		fmt.Fprintf(&text, "ld.global.u32 %%r%d, [%%p+%d];\n", 8+k, 4*k)
	}
	for k, inst := range b.insts {
		_, dst, _ := parts(inst)
		fmt.Fprintf(&text, "%s\nst.global.u32 [%%p+%d], %s;\n",
			strings.ReplaceAll(inst, "%", "%r"), 4*(len(in)+k), strings.ReplaceAll(dst, "%", "%r"))
	}
	text.WriteString("ret;\n}\n")
	m, err := ptx.Parse(text.String())
	if err != nil {
		return nil, err
	}
	mem := ptx.NewMemory(1 << 20)
	at, err := mem.Alloc(4 * (len(in) + len(b.insts)))
	if err != nil {
		return nil, err
	}
	data, err := mem.Bytes(at, 4*(len(in)+len(b.insts)))
	if err != nil {
		return nil, err
	}
	for k, x := range in {
		binary.LittleEndian.PutUint32(data[4*k:], x)
	}
	img, err := m.Load(mem)
	if err != nil {
		return nil, err
	}
	kernel, err := m.Kernel("k")
	if err != nil {
		return nil, err
	}
	params, err := kernel.NewParams(at)
	if err != nil {
		return nil, err
	}
	if _, err := img.Run(kernel, ptx.Launch{Groups: [3]uint32{1}, Items: [3]uint32{1, 1, 1},
		Params: params}); err != nil {
		return nil, err
	}
	out := make([]uint32, len(b.insts))
	for k := range out {
		out[k] = binary.LittleEndian.Uint32(data[4*(len(in)+k):])
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
}

// get returns an argument: a register or a constant.
func (f *follower) get(name string) (*proof.Form, error) {
	if x, err := strconv.ParseUint(name, 0, 32); err == nil {
		return proof.Constant(new(big.Int).SetUint64(x)), nil
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
		g, err := f.get(name)
		if err != nil {
			return nil, "", err
		}
		a = append(a, g)
	}
	var out *proof.Form
	var err error
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

// forms follows b with the given inputs, and returns the forms of the operands and the result. It
// compares every number with the interpreter's, up to a choice that is not the run's.
func (b *block) forms(in []uint32, choices uint, most int) (f *follower, operands []*proof.Form,
	result *proof.Form, err error) {
	ran, err := b.run(in)
	if err != nil {
		return nil, nil, nil, err
	}
	f = &follower{System: proof.NewSystem(), reg: map[string]*proof.Form{},
		choices: choices}
	f.Most = most
	for k, x := range in {
		name := fmt.Sprintf("%%%d", 8+k)
		f.reg[name] = f.Input(name, 32, new(big.Int).SetUint64(uint64(x)))
	}
	for k, inst := range b.insts {
		out, dst, err := f.follow(inst)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", inst, err)
		}
		if now := out.Now(); !f.astray && (!now.IsUint64() || now.Uint64() != uint64(ran[k])) {
			return nil, nil, nil, fmt.Errorf("%s: %w %#x, and the interpreter %#x", inst, errRule,
				now, ran[k])
		}
		f.reg[dst] = out
	}
	join := func(first int) (*proof.Form, error) {
		var words []*proof.Form
		for k := range 8 {
			word := f.reg[fmt.Sprintf("%%%d", first+k)]
			if word == nil {
				return nil, errors.New("no result")
			}
			words = append(words, word)
		}
		return proof.Join(32, words...), nil
	}
	for k := 8; k < 8+len(in); k += 8 {
		operand, err := join(k)
		if err != nil {
			return nil, nil, nil, err
		}
		operands = append(operands, operand)
	}
	result, err = join(0)
	return f, operands, result, err
}
