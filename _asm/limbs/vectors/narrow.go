package vectors

import (
	"fmt"
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
// registers of 256 bits, no masks, no operands that are spread to all lanes. Such a kernel computes
// lanes 0 to 3 and then lanes 4 to 7, with the same instructions.

// A slot is a value that the 512-bit kernel holds in a register: a vector register (0 to 31), a mask
// register (32 to 39), or an intermediate result of an instruction that AVX2 lacks (from 40).
type slot int

func (s slot) Asm() string { return "slot" }

const (
	firstMask  slot = 32
	firstExtra slot = 40

	home = 64 // bytes of a slot in the frame: both halves of a vector
)

// A step is an AVX2 instruction on slots. The last operand is the destination.
type step struct {
	name string
	imm  operand.Op // or nil
	args []operand.Op
	// short is the index of an operand of which the instruction uses the lowest 128 bits; 0: none,
	// since such operands are counted from 1.
	short int
}

// These functions build AVX2 instructions by name.
var avx2 = map[string]func(ops ...operand.Op) (*ir.Instruction, error){
	"VPADDQ": x86.VPADDQ, "VPSUBQ": x86.VPSUBQ, "VPMULUDQ": x86.VPMULUDQ,
	"VPSRLQ": x86.VPSRLQ, "VPSLLQ": x86.VPSLLQ, "VSUBPD": x86.VSUBPD,
	"VFMADD231PD": x86.VFMADD231PD, "VFMSUB231PD": x86.VFMSUB231PD,
	"VPBROADCASTQ": x86.VPBROADCASTQ, "VPCMPEQQ": x86.VPCMPEQQ, "VPUNPCKLQDQ": x86.VPUNPCKLQDQ,
	"VPUNPCKHQDQ": x86.VPUNPCKHQDQ,
	"VMOVQ":       func(o ...operand.Op) (*ir.Instruction, error) { return x86.VMOVQ(o[0], o[1]) },
	"VMOVMSKPD":   func(o ...operand.Op) (*ir.Instruction, error) { return x86.VMOVMSKPD(o[0], o[1]) },
	"VPERM2I128":  func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPERM2I128(o[0], o[1], o[2], o[3]) },
	"VPAND":       func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPAND(o[0], o[1], o[2]) },
	"VPOR":        func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPOR(o[0], o[1], o[2]) },
	"VPXOR":       func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPXOR(o[0], o[1], o[2]) },
	"VMOVDQU":     func(o ...operand.Op) (*ir.Instruction, error) { return x86.VMOVDQU(o[0], o[1]) },
	"VPMADD52LUQ": x86.VPMADD52LUQ, "VPMADD52HUQ": x86.VPMADD52HUQ,
	"VPBLENDVB": func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPBLENDVB(o[0], o[1], o[2], o[3]) },
}

// commutes has the instructions whose first two operands may be exchanged.
var commutes = map[string]bool{
	"VPADDQ": true, "VPMULUDQ": true, "VPAND": true, "VPOR": true, "VPXOR": true,
	"VFMADD231PD": true, "VFMSUB231PD": true, "VPMADD52LUQ": true, "VPMADD52HUQ": true,
}

// renamed maps instructions of AVX-512 to those of AVX2.
var renamed = map[string]string{
	"VPANDQ": "VPAND", "VPORQ": "VPOR", "VPXORQ": "VPXOR", "VPXOR": "VPXOR",
	"VPADDQ": "VPADDQ", "VPSUBQ": "VPSUBQ", "VPMULUDQ": "VPMULUDQ", "VSUBPD": "VSUBPD",
	"VPSRLQ": "VPSRLQ", "VPSLLQ": "VPSLLQ", "VPBROADCASTQ": "VPBROADCASTQ",
	"VFMADD231PD": "VFMADD231PD", "VFMSUB231PD": "VFMSUB231PD",
	"VPMADD52LUQ": "VPMADD52LUQ", "VPMADD52HUQ": "VPMADD52HUQ",
	"VMOVDQU64": "VMOVDQU", "VMOVDQA64": "VMOVDQU", "VMOVDQU": "VMOVDQU",
	"VPUNPCKLQDQ": "VPUNPCKLQDQ", "VPUNPCKHQDQ": "VPUNPCKHQDQ", "VPERM2I128": "VPERM2I128",
}

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
	case i.Opcode == "VPBROADCASTQ" && m.constant(ops[0]):
		return []step{op("VMOVDQU", nil, ops...)}
	case i.Opcode == "VPBROADCASTQ" && !operand.IsMem(ops[0]): // from a general register
		t := next()
		return []step{
			{"VMOVQ", nil, []operand.Op{ops[0], t}, 2}, {"VPBROADCASTQ", nil, []operand.Op{t, ops[1]}, 1},
		}
	case i.Opcode == "VMOVQ":
		return []step{{"VMOVQ", nil, ops, 2}}
	case strings.HasPrefix(i.Opcode, "VPMADD52") && m.constant(ops[0]):
		t := next()
		return []step{op("VMOVDQU", nil, ops[0], t), op(i.Opcode, nil, t, ops[1], ops[2])}
	case (i.Opcode == "VPSRLQ" || i.Opcode == "VPSLLQ") && imm == nil:
		return []step{{i.Opcode, nil, ops, 1}}
	}
	name := renamed[i.Opcode]
	if name == "" || len(ops) > 3 {
		panic("vectors: " + m.name + ": no AVX2 for " + i.Opcode)
	}
	return []step{op(name, imm, ops...)}
}

// constant reports whether o is in read-only data.
func (m *Machine) constant(o operand.Op) bool {
	x, ok := o.(operand.Mem)
	return ok && x.Symbol.Name != "" && x.Base == reg.StaticBase
}

// reads returns the slots that the step s reads, and the slot that it writes, or −1.
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

// A piece is a sequence of instructions without labels and jumps, except a jump at its end. Nodes
// that are no vector instructions stay where they are.
type piece struct {
	nodes []ir.Node // nil stands for the next step
	steps []step
	label string
	jump  string          // the label to which the last instruction may jump
	end   bool            // whether the last instruction returns or always jumps
	more  bool            // whether the next piece continues this one: no jump ends here or there
	live  []map[slot]bool // before each step, and after the last
}

// A Layout describes how a kernel for AVX2 finds the lanes of each half.
type Layout struct {
	// Frame and Half are registers that the kernel does not use. Frame gets the address of the
	// scratch memory and of the slots. Half is 0 while the kernel computes lanes 0 to 3, and then
	// 32. If Lane is not nil, it is an eighth of Half.
	Frame, Half, Lane reg.GPPhysical
	// Steps has the number of bytes from lane 0 to lane 4 for each pointer argument.
	Steps map[string]int
	// Pieces cuts the kernel into pieces of about a multiplication, and computes each for both
	// halves before the next. So the CPU can begin the second half while the first waits for the
	// end of a chain of dependent instructions. It requires that all pointers point to vectors.
	// Otherwise the whole kernel computes one half and then the other.
	Pieces bool
}

// NewNarrow returns a machine for a kernel that Narrow will rewrite for AVX2.
func NewNarrow(c *build.Context, name string, mul Multiplier, l Layout) *Machine {
	m := New(c, name, mul)
	m.lean = mul == IFMA
	m.narrow = &l
	m.base = m.StaticGlobal(m.name + "Data")
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	m.Attributes(0)
	return m
}

// Lanes returns the number of lanes of a register.
func (m *Machine) Lanes() int {
	if m.narrow != nil {
		return 4
	}
	return 8
}

// repeat puts v into read-only data n times.
func (m *Machine) repeat(n int, v func(k int) uint64) operand.Mem {
	at := m.base.Offset(m.bytes)
	for k := range n {
		m.AppendDatum(operand.U64(v(k)))
	}
	m.bytes += 8 * n
	return at
}

// Narrow rewrites fn, which m has written for 512-bit vectors, for AVX2.
func (m *Machine) Narrow(fn *ir.Function) {
	pieces := m.pieces(fn)
	if m.narrow.Pieces {
		for k := 0; k < len(pieces); k++ {
			liveness(pieces)
			if at := pieces[k].cut(); at > 0 {
				pieces = slices.Insert(pieces, k+1, pieces[k].split(at))
			}
		}
	}
	liveness(pieces)
	a := &allocator{home: map[slot]operand.Mem{}, fixed: fixed(pieces), places: map[slot]int{}}
	a.frame = Pointer(m.narrow.Frame).Offset(m.scratch)
	var list []ir.Node
	floats := false
	for k, p := range pieces {
		for _, s := range p.steps {
			floats = floats || strings.HasSuffix(s.name, "PD") && s.name != "VMOVMSKPD"
		}
		nodes := a.run(p)
		if m.narrow.Pieces && len(p.steps) > 0 {
			nodes = m.bothHalves(p, nodes, fmt.Sprint("piece", k))
		}
		list = append(list, nodes...)
	}
	word := a.frame.Offset(home * len(a.places))
	bytes := word.Disp + 8
	saved := fn.AllocLocal(bytes + 56)

	c := build.NewContext()
	c.Function(fn.Name)
	c.LEAQ(saved, m.narrow.Frame)
	c.ADDQ(operand.I8(63), m.narrow.Frame)
	c.ANDQ(operand.I8(-64), m.narrow.Frame)
	if floats {
		c.STMXCSR(word)
		c.LDMXCSR(m.Constant(towardZero))
	}
	c.XORL(m.narrow.Half.As32(), m.narrow.Half.As32())
	if m.masks {
		c.XORL(reg.R11L, reg.R11L)
	}
	if !m.narrow.Pieces {
		c.Label("half")
		if m.narrow.Lane != nil {
			c.MOVQ(m.narrow.Half, m.narrow.Lane)
			c.SHRQ(operand.U8(3), m.narrow.Lane)
		}
	}
	for _, n := range list {
		i, ok := n.(*ir.Instruction)
		if !ok || !i.IsTerminal {
			add(c, n)
			continue
		}
		if !m.narrow.Pieces {
			c.ADDQ(operand.I8(home/2), m.narrow.Half)
			c.CMPQ(m.narrow.Half, operand.I8(home))
			c.JNE(operand.LabelRef("half"))
		}
		if floats {
			c.LDMXCSR(word)
		}
		c.VZEROALL()
		c.RET()
	}
	f, err := c.Result()
	if err != nil {
		panic(err)
	}
	fn.Nodes = f.Functions()[0].Nodes
}

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

// towardZero is a value of the register MXCSR: it rounds toward zero, masks all exceptions, and
// treats subnormal numbers as IEEE 754 does.
const towardZero = 0x7f80

// body returns the index in p.nodes of the jump at the end of p, or of the instruction before that
// sets the flags for it.
func (p *piece) body() int {
	last := len(p.nodes)
	if last == 0 || p.nodes[last-1] == nil {
		return last
	}
	if i, ok := p.nodes[last-1].(*ir.Instruction); ok && i.IsConditional {
		return last - 2
	} else if ok && (i.IsBranch || i.IsTerminal) {
		return last - 1
	}
	return last
}

// bothHalves returns the instructions of p in a loop over both halves. Between the halves, it moves
// the frame register and Half from the lower half of each vector to the upper one, and back.
func (m *Machine) bothHalves(p *piece, nodes []ir.Node, label string) []ir.Node {
	c := build.NewContext()
	c.Function(m.name)
	first := 0
	if l, ok := nodes[0].(ir.Label); ok {
		c.Label(string(l))
		first = 1
	}
	last := len(nodes) - (len(p.nodes) - p.body())
	c.Label(label)
	for _, n := range nodes[first:last] {
		add(c, n)
	}
	c.XORQ(operand.I8(home/2), m.narrow.Frame)
	c.XORL(operand.I8(home/2), m.narrow.Half.As32())
	c.JNE(operand.LabelRef(label))
	for _, n := range nodes[last:] {
		add(c, n)
	}
	f, err := c.Result()
	if err != nil {
		panic(err)
	}
	return f.Functions()[0].Nodes
}

// pieces returns the instructions of fn, rewritten for AVX2 and cut at labels and jumps.
func (m *Machine) pieces(fn *ir.Function) []*piece {
	var pieces []*piece
	p := &piece{}
	next := func(label string) {
		pieces = append(pieces, p)
		p = &piece{label: label}
	}
	used := map[string]bool{}
	for _, n := range fn.Nodes {
		i, ok := n.(*ir.Instruction)
		if l, label := n.(ir.Label); label {
			next(string(l))
		}
		if !ok {
			p.nodes = append(p.nodes, n)
			continue
		}
		switch {
		case strings.HasPrefix(i.Opcode, "VZERO"):
			// Narrow clears all registers at the end.
		case strings.HasPrefix(i.Opcode, "V") || i.Opcode == "KORB":
			for _, s := range m.lower(i) {
				for k, o := range s.args {
					if x, ok := o.(operand.Mem); ok && m.narrow.Pieces && x.Symbol.Name == "" &&
						x.Base.Asm() != m.narrow.Frame.Asm() {
						x.Index, x.Scale = m.narrow.Half, 1
						s.args[k] = x
						used[x.Base.Asm()] = true
					}
				}
				p.nodes, p.steps = append(p.nodes, nil), append(p.steps, s)
			}
		case i.Opcode == "KMOVB":
			m.moveMask(p, i)
		default:
			if from, ok := m.load(i); ok {
				to := i.Operands[1].(reg.Register)
				if m.narrow.Pieces && used[to.Asm()] {
					// The second half must not begin with a later value of the register.
					p.more = true
					next("")
					clear(used)
				}
				p.nodes = append(p.nodes, n)
				p.nodes = append(p.nodes, m.pointer(from, i.Operands[1])...)
				continue
			}
			p.nodes = append(p.nodes, n)
			if i.IsBranch {
				p.jump, p.end = string(i.Operands[0].(operand.LabelRef)), !i.IsConditional
				next("")
				clear(used)
			}
		}
	}
	return append(pieces, p)
}

// load reports whether i loads an argument, and returns the argument's name.
func (m *Machine) load(i *ir.Instruction) (string, bool) {
	if i.Opcode != "MOVQ" {
		return "", false
	}
	from, ok := i.Operands[0].(operand.Mem)
	return from.Symbol.Name, ok && from.Base == reg.FramePointer
}

// pointer returns the instructions that move the pointer in r from lane 0 to the first lane of the
// current half.
func (m *Machine) pointer(name string, r operand.Op) []ir.Node {
	step, ok := m.narrow.Steps[strings.TrimSuffix(name, "_base")]
	if !ok || step == 0 || m.narrow.Pieces {
		return nil
	}
	c := build.NewContext()
	c.Function(name)
	half, to := m.narrow.Half, r.(reg.GP).As64()
	for ; step > 256; step -= 256 {
		c.LEAQ(operand.Mem{Base: to, Index: half, Scale: 8}, to)
	}
	c.LEAQ(operand.Mem{Base: to, Index: half, Scale: uint8(step / 32)}, to)
	f, err := c.Result()
	if err != nil {
		panic(err)
	}
	return f.Functions()[0].Nodes
}

// moveMask adds to p the move i of a mask from or to register EAX. R11 collects the mask bits of
// both halves.
func (m *Machine) moveMask(p *piece, i *ir.Instruction) {
	c := build.NewContext()
	c.Function(m.name)
	add := func() {
		f, err := c.Result()
		if err != nil {
			panic(err)
		}
		p.nodes = append(p.nodes, f.Functions()[0].Nodes...)
	}
	run := func(s step) { p.nodes, p.steps = append(p.nodes, nil), append(p.steps, s) }
	half := m.narrow.Half
	if isMask(i.Operands[1]) {
		bits := m.repeat(8, func(lane int) uint64 { return 1 << lane })
		to := firstMask + slot(i.Operands[1].(reg.Physical).PhysicalIndex())
		c.LEAQ(bits, reg.R10)
		add()
		x, at := firstExtra, operand.Mem{Base: reg.R10, Index: half, Scale: 1}
		run(step{"VMOVQ", nil, []operand.Op{reg.RAX, x}, 2})
		run(step{"VPBROADCASTQ", nil, []operand.Op{x, to}, 1})
		run(op("VPAND", nil, at, to, to))
		run(op("VPCMPEQQ", nil, at, to, to))
		return
	}
	m.masks = true
	from := firstMask + slot(i.Operands[0].(reg.Physical).PhysicalIndex())
	run(op("VMOVMSKPD", nil, from, reg.EAX))
	c.MOVL(half.As32(), reg.ECX)
	c.SHRL(operand.U8(3), reg.ECX)
	c.SHLL(reg.CL, reg.EAX)
	c.ORL(reg.EAX, reg.R11L)
	c.MOVL(reg.R11L, reg.EAX)
	add()
}

// cut returns the index of the step before which to cut p, or 0 if p is short. A cut costs a store
// and a load for each value that is live there, so cut chooses, at about the length of a
// multiplication, the place with the fewest.
func (p *piece) cut() int {
	const length = 200
	if len(p.steps) < 2*length {
		return 0
	}
	best := length / 2
	for k := best; k < length*3/2; k++ {
		if len(p.live[k]) <= len(p.live[best]) {
			best = k
		}
	}
	return best
}

// split removes the steps from at on from p, and returns them as a piece.
func (p *piece) split(at int) *piece {
	q := &piece{steps: p.steps[at:], jump: p.jump, end: p.end, more: p.more}
	k := 0
	for n := at; ; k++ {
		if p.nodes[k] == nil {
			if n == 0 {
				break
			}
			n--
		}
	}
	q.nodes = p.nodes[k:]
	p.nodes, p.steps, p.jump, p.end, p.more = p.nodes[:k:k], p.steps[:at:at], "", false, true
	return q
}

// liveness computes the slots that are live before and after each step of all pieces.
func liveness(pieces []*piece) {
	for _, p := range pieces {
		p.live = make([]map[slot]bool, len(p.steps)+1)
		p.live[0] = map[slot]bool{}
	}
	for changed := true; changed; {
		changed = false
		for k := len(pieces) - 1; k >= 0; k-- {
			p := pieces[k]
			out := map[slot]bool{}
			for j, q := range pieces {
				if j == k+1 && !p.end || q.label != "" && q.label == p.jump {
					maps.Copy(out, q.live[0])
				}
			}
			before := p.live[0]
			p.live[len(p.steps)] = out
			for i := len(p.steps) - 1; i >= 0; i-- {
				in := maps.Clone(p.live[i+1])
				reads, writes := p.steps[i].slots()
				delete(in, writes)
				for _, s := range reads {
					in[s] = true
				}
				p.live[i] = in
			}
			changed = changed || !maps.Equal(before, p.live[0])
		}
	}
}

// PairSigns sets sign to the lanes whose references at a and b differ in bit 0, and same to the other
// lanes. The references of the lower four lanes are in the lower halves of four 64-bit words, and those
// of the upper four lanes in the upper halves. t is a scratch register.
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
