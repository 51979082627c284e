package vectors

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// This file turns a kernel for 512-bit vectors, which a Machine has written, into one for AVX2: 16
// registers of 256 bits, no mask registers, no broadcast of operands in memory. The kernel computes
// lanes 0 to 3 and then lanes 4 to 7, with the same instructions. It first replaces registers by
// slots (see lower), and then assigns registers to the slots (see allocator).

// A slot is a value that the 512-bit kernel holds in a register: a vector register (0 to 31), a
// mask register (32 to 39), or an intermediate result of an instruction that AVX2 lacks (from 40).
type slot int

// Asm makes a slot an operand.Op. Nothing prints it.
func (s slot) Asm() string { return "slot" }

const (
	firstMask  slot = 32
	firstExtra slot = 40

	slotBytes = 32 // in the frame
)

// A step is an AVX2 instruction on slots. The last operand is the destination.
type step struct {
	name string
	imm  operand.Op // or nil
	args []operand.Op
	// short, if not 0, says that the instruction uses only the lowest 128 bits of args[short-1].
	short int
}

// A builder returns an instruction with the given operands.
type builder = func(ops ...operand.Op) (*ir.Instruction, error)

// avx2 has the builders of AVX2 instructions by name.
var avx2 = map[string]builder{
	"VPADDQ": x86.VPADDQ, "VPSUBQ": x86.VPSUBQ, "VPMULUDQ": x86.VPMULUDQ,
	"VPSRLQ": x86.VPSRLQ, "VPSLLQ": x86.VPSLLQ, "VSUBPD": x86.VSUBPD,
	"VFMADD231PD": x86.VFMADD231PD, "VFMSUB231PD": x86.VFMSUB231PD,
	"VPBROADCASTQ": x86.VPBROADCASTQ, "VPCMPEQQ": x86.VPCMPEQQ,
	"VPUNPCKLQDQ": x86.VPUNPCKLQDQ, "VPUNPCKHQDQ": x86.VPUNPCKHQDQ,
	"VPMADD52LUQ": x86.VPMADD52LUQ, "VPMADD52HUQ": x86.VPMADD52HUQ,
	"VMOVQ": two(x86.VMOVQ), "VMOVMSKPD": two(x86.VMOVMSKPD), "VMOVDQU": two(x86.VMOVDQU),
	"VPAND": three(x86.VPAND), "VPOR": three(x86.VPOR), "VPXOR": three(x86.VPXOR),
	"VPERM2I128": four(x86.VPERM2I128), "VPBLENDVB": four(x86.VPBLENDVB),
	"VPBLENDD": four(x86.VPBLENDD),
	"VPERMQ":   x86.VPERMQ, "VPSHUFD": x86.VPSHUFD, "VPSLLVQ": x86.VPSLLVQ,
}

// two, three and four convert a function with that number of operands to one with a list of them.
func two(f func(a, b operand.Op) (*ir.Instruction, error)) builder {
	return func(o ...operand.Op) (*ir.Instruction, error) { return f(o[0], o[1]) }
}

func three(f func(a, b, c operand.Op) (*ir.Instruction, error)) builder {
	return func(o ...operand.Op) (*ir.Instruction, error) { return f(o[0], o[1], o[2]) }
}

func four(f func(a, b, c, d operand.Op) (*ir.Instruction, error)) builder {
	return func(o ...operand.Op) (*ir.Instruction, error) { return f(o[0], o[1], o[2], o[3]) }
}

// commutes has the instructions whose first two operands may be exchanged.
var commutes = map[string]bool{
	"VPADDQ": true, "VPMULUDQ": true, "VPAND": true, "VPOR": true, "VPXOR": true,
	"VFMADD231PD": true, "VFMSUB231PD": true, "VPMADD52LUQ": true, "VPMADD52HUQ": true,
}

// renamed maps instructions of AVX-512 to those of AVX2 with another name.
var renamed = map[string]string{
	"VPANDQ": "VPAND", "VPORQ": "VPOR", "VPXORQ": "VPXOR",
	"VMOVDQU64": "VMOVDQU", "VMOVDQA64": "VMOVDQU",
}

// op returns the step with the given name, immediate operand (or nil) and other operands.
func op(name string, imm operand.Op, args ...operand.Op) step { return step{name, imm, args, 0} }

// lower returns AVX2 instructions with the effect of i on four lanes.
func (m *Machine) lower(i *ir.Instruction) []step {
	var ops []operand.Op
	for _, o := range i.Operands {
		if r, ok := o.(reg.VecPhysical); ok {
			o = slot(r.PhysicalIndex())
		} else if isMask(o) {
			o = firstMask + slot(o.(reg.Physical).PhysicalIndex())
		}
		ops = append(ops, o)
	}
	var imm operand.Op
	if v, ok := ops[0].(operand.U8); ok {
		imm, ops = v, ops[1:]
	}
	for _, s := range i.Suffixes {
		// Constants are in read-only data once for each lane, and MXCSR has the rounding mode.
		if s != "RZ_SAE" && !(s == "BCST" && isConstant(ops[0])) {
			panic("vectors: " + m.name + ": no AVX2 for the suffix of " + i.OpcodeWithSuffixes())
		}
	}
	last := len(ops) - 1
	extra := firstExtra
	next := func() slot {
		extra++
		return extra - 1
	}
	switch {
	case i.Opcode == "VPSRAQ": // shift as if there were no sign, then extend the bit where the sign is
		t, u := next(), next()
		sign := m.Constant(1 << (63 - uint(imm.(operand.U8))))
		return []step{
			op("VPSRLQ", imm, ops[0], t),
			op("VPXOR", nil, sign, t, t),
			op("VMOVDQU", nil, sign, u),
			op("VPSUBQ", nil, u, t, ops[1]),
		}
	case i.Opcode == "VPMULLQ": // the product has 64 bits, and the second factor is below 2^32
		a, low, high := next(), next(), next()
		return []step{
			op("VMOVDQU", nil, ops[0], a),
			op("VPMULUDQ", nil, a, ops[1], low),
			op("VPSRLQ", operand.U8(32), a, high),
			op("VPMULUDQ", nil, high, ops[1], high),
			op("VPSLLQ", operand.U8(32), high, high),
			op("VPADDQ", nil, high, low, ops[2]),
		}
	case i.Opcode == "VPTESTNMQ" && ops[0] == ops[1]:
		zero := next()
		return []step{op("VPXOR", nil, zero, zero, zero), op("VPCMPEQQ", nil, ops[0], zero, ops[2])}
	case i.Opcode == "VPTESTMQ" && ops[0] == ops[1]:
		zero := next()
		return []step{
			op("VPXOR", nil, zero, zero, zero), op("VPCMPEQQ", nil, ops[0], zero, ops[2]),
			op("VPXOR", nil, m.Constant(1<<64-1), ops[2], ops[2]),
		}
	case i.Opcode == "KORB":
		return []step{op("VPOR", nil, ops...)}
	case (i.Opcode == "VMOVDQA64" || i.Opcode == "VMOVDQU64") && last == 2:
		return []step{op("VPBLENDVB", nil, ops[1], ops[0], ops[2], ops[2])}
	case (i.Opcode == "VPSUBQ" || i.Opcode == "VPADDQ") && last == 3:
		t := next()
		return []step{
			op(i.Opcode, nil, ops[0], ops[1], t), op("VPBLENDVB", nil, ops[2], t, ops[3], ops[3]),
		}
	case i.Opcode == "VPBROADCASTQ" && isConstant(ops[0]):
		return []step{op("VMOVDQU", nil, ops...)}
	case i.Opcode == "VPBROADCASTQ" && !operand.IsMem(ops[0]): // from a general register
		t := next()
		return []step{
			{"VMOVQ", nil, []operand.Op{ops[0], t}, 2}, {"VPBROADCASTQ", nil, []operand.Op{t, ops[1]}, 1},
		}
	case i.Opcode == "VMOVQ":
		return []step{{"VMOVQ", nil, ops, 2}}
	case strings.HasPrefix(i.Opcode, "VPMADD52") && isConstant(ops[0]):
		t := next()
		return []step{op("VMOVDQU", nil, ops[0], t), op(i.Opcode, nil, t, ops[1], ops[2])}
	case (i.Opcode == "VPSRLQ" || i.Opcode == "VPSLLQ") && imm == nil:
		return []step{{i.Opcode, nil, ops, 1}}
	}
	name := cmp.Or(renamed[i.Opcode], i.Opcode)
	if avx2[name] == nil || len(ops) > 3 {
		panic("vectors: " + m.name + ": no AVX2 for " + i.Opcode)
	}
	return []step{op(name, imm, ops...)}
}

// isConstant reports whether o is a constant in read-only data.
func isConstant(o operand.Op) bool {
	x, ok := o.(operand.Mem)
	return ok && x.Base == reg.StaticBase
}

// rounds reports whether s rounds a double-precision number.
func (s step) rounds() bool { return strings.HasSuffix(s.name, "PD") && s.name != "VMOVMSKPD" }

// slots returns the slots that the step s reads, and the slot that it writes, or −1.
func (s *step) slots() (reads []slot, writes slot) {
	writes = -1
	last := len(s.args) - 1
	if d, ok := s.args[last].(slot); ok {
		writes = d
	}
	if s.name == "VPXOR" && s.args[0] == s.args[1] {
		return nil, writes
	}
	for k, o := range s.args {
		if x, ok := o.(slot); ok && (k < last || s.accumulates()) {
			reads = append(reads, x)
		}
	}
	return reads, writes
}

// A block is a sequence of instructions without labels and jumps, except a label at its begin and a
// jump at its end.
type block struct {
	nodes []ir.Node // nil stands for the next step
	steps []step
	label string
	jump  string        // the label to which the last instruction may jump
	end   bool          // whether the last instruction always jumps
	in    map[slot]bool // slots that are live before the first step
	out   map[slot]bool // slots that are live after the last step
}

// A Layout describes how a kernel for AVX2 finds the lanes of each half.
type Layout struct {
	// Frame and Half are registers that the kernel does not use. Frame gets the address of the
	// scratch memory and of the slots. Half is 0 while the kernel computes lanes 0 to 3, and then
	// 32. If Lane is not nil, it is an eighth of Half. If Half is nil, the kernel has lanes 0 to 3
	// only.
	Frame, Half, Lane reg.GPPhysical
	// Data, if not nil, is another such register. It gets an address near the constants, which makes
	// instructions shorter than the address of the constants itself.
	Data reg.GPPhysical
	// Steps has the number of bytes from lane 0 to lane 4 for each pointer argument.
	Steps map[string]int
}

// NewNarrow returns a machine for a kernel that Narrow will rewrite for AVX2.
func NewNarrow(c *build.Context, name string, mul Multiplier, l Layout) *Machine {
	m := New(c, name, mul)
	m.lean = mul == IFMA && l.Half != nil
	m.narrow = &l
	m.base = m.StaticGlobal(m.name + "Data")
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	m.Attributes(0)
	return m
}

// Keep makes a kernel for AVX2 hold e in the same registers at all labels and jumps, instead of in
// memory.
func (m *Machine) Keep(e Element) {
	m.keep = map[slot]int{}
	for i, o := range e {
		m.keep[slot(o.(reg.VecPhysical).PhysicalIndex())] = i
	}
}

// Lanes returns the number of lanes of a register.
func (m *Machine) Lanes() int {
	if m.narrow != nil {
		return 4
	}
	return 8
}

// repeat puts v(0) to v(n−1) into read-only data, and returns the address of v(0).
func (m *Machine) repeat(n int, v func(k int) uint64) operand.Mem {
	if m.bytes == 0 && m.narrow == nil {
		m.base = m.StaticGlobal(m.name + "Data")
		m.DataAttributes(attr.RODATA | attr.NOPTR)
	}
	at := m.base.Offset(m.bytes)
	for k := range n {
		m.AppendDatum(operand.U64(v(k)))
	}
	m.bytes += 8 * n
	return at
}

// Narrow rewrites fn, which m has written for 512-bit vectors, for AVX2. The kernel computes lanes
// 0 to 3, and then lanes 4 to 7 by the same instructions.
func (m *Machine) Narrow(fn *ir.Function) {
	blocks := m.blocks(fn)
	liveness(blocks)
	a := &allocator{frame: Pointer(m.narrow.Frame).Offset(m.scratch), places: map[slot]int{},
		data: m.narrow.Data, fixed: fixed(blocks), keep: m.keep}
	var list []ir.Node
	rounds := false
	for _, b := range blocks {
		list = append(list, a.run(b)...)
		rounds = rounds || slices.ContainsFunc(b.steps, step.rounds)
	}
	word := a.frame.Offset(slotBytes * len(a.places))
	bytes := word.Disp
	if rounds {
		bytes += 8
	}
	var local operand.Mem
	if bytes > 0 {
		local = fn.AllocLocal(bytes + frameAlign)
	}

	half := m.narrow.Half
	fn.Nodes = nodes(func(c *build.Context) {
		if bytes > 0 {
			c.LEAQ(local, m.narrow.Frame)
			c.ADDQ(operand.I8(frameAlign-1), m.narrow.Frame)
			c.ANDQ(operand.I8(-frameAlign), m.narrow.Frame)
		}
		if rounds {
			c.STMXCSR(word)
			c.LDMXCSR(m.Constant(towardZero))
		}
		if m.narrow.Data != nil {
			c.LEAQ(m.base.Offset(dataMiddle), m.narrow.Data)
		}
		if half != nil {
			c.XORL(half.As32(), half.As32())
			if m.masks {
				c.XORL(reg.R11L, reg.R11L)
			}
			c.Label("half")
		}
		if m.narrow.Lane != nil {
			c.MOVQ(half, m.narrow.Lane)
			c.SHRQ(operand.U8(3), m.narrow.Lane)
		}
		for _, n := range list {
			if i, ok := n.(*ir.Instruction); !ok || !i.IsTerminal {
				add(c, n)
				continue
			}
			if half != nil {
				c.ADDQ(operand.I8(32), half)
				c.CMPQ(half, operand.I8(64))
				c.JNE(operand.LabelRef("half"))
			}
			if rounds {
				c.LDMXCSR(word)
			}
			c.VZEROALL()
			c.RET()
		}
	})
}

const (
	frameAlign = 32 // bytes

	// dataMiddle is the address in Layout.Data minus that of the first constant. The encoding of an
	// address from 128 bytes below a register to 127 bytes above is short.
	dataMiddle = 128

	// towardZero is a value of the register MXCSR: it rounds toward zero, masks all exceptions, and
	// treats subnormal numbers as IEEE 754 does.
	towardZero = 0x7f80
)

// nodes returns the instructions that write adds to its argument.
func nodes(write func(c *build.Context)) []ir.Node {
	c := build.NewContext()
	c.Function("")
	write(c)
	f, err := c.Result()
	if err != nil {
		panic(err)
	}
	return f.Functions()[0].Nodes
}

// add appends n to the function in c.
func add(c *build.Context, n ir.Node) {
	switch n := n.(type) {
	case ir.Label:
		c.Label(string(n))
	case *ir.Instruction:
		c.Instruction(n)
	case *ir.Comment:
		c.Comment(n.Lines...)
	}
}

// blocks returns the blocks of fn, with steps in place of vector instructions.
func (m *Machine) blocks(fn *ir.Function) []*block {
	var blocks []*block
	b := &block{}
	cut := func(label string) {
		blocks = append(blocks, b)
		b = &block{label: label}
	}
	for _, n := range fn.Nodes {
		if l, ok := n.(ir.Label); ok {
			cut(string(l))
		}
		i, ok := n.(*ir.Instruction)
		switch {
		case !ok:
			b.nodes = append(b.nodes, n)
		case strings.HasPrefix(i.Opcode, "VZERO"): // Narrow clears all registers at the end
		case strings.HasPrefix(i.Opcode, "V") || i.Opcode == "KORB":
			b.add(m.lower(i)...)
		case i.Opcode == "KMOVB":
			m.moveMask(b, i)
		default:
			b.nodes = append(b.nodes, n)
			b.nodes = append(b.nodes, m.pointer(i)...)
			if i.IsBranch {
				b.jump, b.end = string(i.Operands[0].(operand.LabelRef)), !i.IsConditional
				cut("")
			}
		}
	}
	return append(blocks, b)
}

// add appends steps to b.
func (b *block) add(steps ...step) {
	for _, s := range steps {
		b.nodes, b.steps = append(b.nodes, nil), append(b.steps, s)
	}
}

// pointer returns the instructions that follow i if i loads a pointer argument. They move the
// pointer from lane 0 to the first lane of the current half.
func (m *Machine) pointer(i *ir.Instruction) []ir.Node {
	if i.Opcode != "MOVQ" || m.narrow.Half == nil {
		return nil
	}
	from, ok := i.Operands[0].(operand.Mem)
	if !ok || from.Base != reg.FramePointer {
		return nil
	}
	return nodes(func(c *build.Context) {
		half, to := m.narrow.Half, i.Operands[1].(reg.GP).As64()
		step := m.narrow.Steps[strings.TrimSuffix(from.Symbol.Name, "_base")]
		for ; step > 256; step -= 256 {
			c.LEAQ(operand.Mem{Base: to, Index: half, Scale: 8}, to)
		}
		if step > 0 {
			c.LEAQ(operand.Mem{Base: to, Index: half, Scale: uint8(step / 32)}, to)
		}
	})
}

// moveMask adds to b the move i of a mask from or to register EAX. A move to a vector overwrites
// R10, and a move to EAX overwrites RCX and the flags. R11 collects the mask bits of both halves,
// so a kernel can return one mask.
func (m *Machine) moveMask(b *block, i *ir.Instruction) {
	half := m.narrow.Half
	if !slices.Contains(i.Operands, operand.Op(reg.EAX)) || m.masks {
		panic("vectors: " + m.name + " moves a mask by another register than EAX, or returns two masks")
	}
	if isMask(i.Operands[1]) {
		bits := m.repeat(8, func(lane int) uint64 { return 1 << lane })
		to := firstMask + slot(i.Operands[1].(reg.Physical).PhysicalIndex())
		b.nodes = append(b.nodes, nodes(func(c *build.Context) { c.LEAQ(bits, reg.R10) })...)
		x, at := firstExtra, operand.Mem{Base: reg.R10, Index: half, Scale: 1}
		b.add(
			step{"VMOVQ", nil, []operand.Op{reg.RAX, x}, 2},
			step{"VPBROADCASTQ", nil, []operand.Op{x, to}, 1},
			op("VPAND", nil, at, to, to),
			op("VPCMPEQQ", nil, at, to, to),
		)
		return
	}
	m.masks = true
	from := firstMask + slot(i.Operands[0].(reg.Physical).PhysicalIndex())
	b.add(op("VMOVMSKPD", nil, from, reg.EAX))
	b.nodes = append(b.nodes, nodes(func(c *build.Context) {
		c.MOVL(half.As32(), reg.ECX)
		c.SHRL(operand.U8(3), reg.ECX)
		c.SHLL(reg.CL, reg.EAX)
		c.ORL(reg.EAX, reg.R11L)
		c.MOVL(reg.R11L, reg.EAX)
	})...)
}

// liveness sets the fields in and out of all blocks.
func liveness(blocks []*block) {
	for _, b := range blocks {
		b.in, b.out = map[slot]bool{}, map[slot]bool{}
	}
	for changed := true; changed; {
		changed = false
		for k := len(blocks) - 1; k >= 0; k-- {
			b := blocks[k]
			for j, next := range blocks {
				if j == k+1 && !b.end || next.label != "" && next.label == b.jump {
					maps.Copy(b.out, next.in)
				}
			}
			in := maps.Clone(b.out)
			for i := len(b.steps) - 1; i >= 0; i-- {
				reads, writes := b.steps[i].slots()
				delete(in, writes)
				for _, s := range reads {
					in[s] = true
				}
			}
			changed = changed || !maps.Equal(in, b.in)
			b.in = in
		}
	}
}

// PairSigns sets sign to the lanes whose references at a and b differ in bit 0, and same to the
// other lanes. The references of the lower four lanes are in the lower halves of four 64-bit words,
// and those of the upper four lanes in the upper halves. t is a scratch register.
func (m *Machine) PairSigns(a, b operand.Mem, t reg.VecPhysical, sign, same reg.OpmaskPhysical) {
	y := t.AsY()
	count := m.Register()
	m.VMOVQ(m.narrow.Half, count.AsX())
	m.VMOVDQU64(a, y)
	m.VPXORQ(b, y, y)
	m.VPSRLQ(count.AsX(), y, y)
	m.Release(count)
	m.VPANDQ_BCST(m.Constant(1), y, y)
	m.VPTESTMQ(y, y, sign)
	m.VPTESTNMQ(y, y, same)
}

// Lane returns the register Layout.Lane, or nil.
func (m *Machine) Lane() reg.Register {
	if m.narrow == nil || m.narrow.Lane == nil {
		return nil
	}
	return m.narrow.Lane
}
