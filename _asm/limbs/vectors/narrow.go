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
	slots           = 48
	home            = 32 // bytes of a slot in the frame
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
	"VMOVDQA":     func(o ...operand.Op) (*ir.Instruction, error) { return x86.VMOVDQA(o[0], o[1]) },
	"VPBLENDVB":   func(o ...operand.Op) (*ir.Instruction, error) { return x86.VPBLENDVB(o[0], o[1], o[2], o[3]) },
}

// commutes has the instructions whose first two operands may be exchanged.
var commutes = map[string]bool{
	"VPADDQ": true, "VPMULUDQ": true, "VPAND": true, "VPOR": true, "VPXOR": true,
	"VFMADD231PD": true, "VFMSUB231PD": true,
}

// renamed maps instructions of AVX-512 to those of AVX2.
var renamed = map[string]string{
	"VPANDQ": "VPAND", "VPORQ": "VPOR", "VPXORQ": "VPXOR", "VPXOR": "VPXOR",
	"VPADDQ": "VPADDQ", "VPSUBQ": "VPSUBQ", "VPMULUDQ": "VPMULUDQ", "VSUBPD": "VSUBPD",
	"VPSRLQ": "VPSRLQ", "VPSLLQ": "VPSLLQ", "VPBROADCASTQ": "VPBROADCASTQ",
	"VFMADD231PD": "VFMADD231PD", "VFMSUB231PD": "VFMSUB231PD",
	"VMOVDQU64": "VMOVDQU", "VMOVDQA64": "VMOVDQA", "VMOVDQU": "VMOVDQU",
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
		if x, ok := o.(slot); ok && (k < last || strings.HasPrefix(s.name, "VFM")) {
			reads = append(reads, x)
		}
	}
	return reads, writes
}

// A block is a sequence of instructions without labels and jumps, except a jump at its end. Nodes
// that are no vector instructions stay where they are.
type block struct {
	nodes []ir.Node // vector instructions are nil
	steps []step    // in place of the nil nodes
	label string
	jump  string // the label to which the last instruction may jump
	end   bool   // whether the last instruction returns or always jumps
	in    map[slot]bool
}

// A Layout says how a kernel for AVX2 finds the lanes of the present half.
type Layout struct {
	Scratch     int            // bytes of scratch that the kernel uses
	Lane        reg.GPPhysical // if not nil: an eighth of Half
	Frame, Half reg.GPPhysical // registers that the kernel does not use
	Steps       map[string]int // bytes from lane 0 to lane 4, by pointer argument
}

// NewNarrow returns a machine for a kernel that Narrow will rewrite for AVX2.
func NewNarrow(c *build.Context, name string, l Layout) *Machine {
	m := New(c, name, FMA)
	m.narrow = &l
	m.base = m.StaticGlobal(m.name + "Data")
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	for lane := range 8 {
		m.AppendDatum(operand.U64(1 << lane))
	}
	m.Attributes(0)
	local := m.AllocLocal(l.Scratch + home*slots + 64 + 56)
	m.LEAQ(local, l.Frame)
	m.ADDQ(operand.I8(63), l.Frame)
	m.ANDQ(operand.I8(-64), l.Frame)
	m.spill = Pointer(l.Frame).Offset(l.Scratch)
	m.STMXCSR(m.spill.Offset(home * slots))
	m.LDMXCSR(m.Constant(0x7f80)) // round toward zero, mask all exceptions
	m.XORL(reg.R11L, reg.R11L)
	m.XORL(l.Half.As32(), l.Half.As32())
	m.Label("half")
	if l.Lane != nil {
		m.MOVQ(l.Half, l.Lane)
		m.SHRQ(operand.U8(3), l.Lane)
	}
	return m
}

// Lanes returns the number of lanes of a register.
func (m *Machine) Lanes() int {
	if m.narrow != nil {
		return 4
	}
	return 8
}

// secondHalf ends the kernel after both halves.
func (m *Machine) secondHalf() {
	m.ADDQ(operand.I8(32), m.narrow.Half)
	m.CMPQ(m.narrow.Half, operand.I8(64))
	m.JNE(operand.LabelRef("half"))
	m.LDMXCSR(m.spill.Offset(home * slots))
	m.VZEROALL()
	m.RET()
}

// pointer returns the instruction that moves the pointer in r from lane 0 to the first lane of the
// present half, or nil if there is nothing to do.
func (m *Machine) pointer(name string, r operand.Op) []ir.Node {
	half := m.narrow.Half
	step, ok := m.narrow.Steps[strings.TrimSuffix(name, "_base")]
	build := func(i *ir.Instruction, err error) ir.Node {
		if err != nil {
			panic(err)
		}
		return i
	}
	to := r.(reg.GP).As64()
	switch {
	case !ok || step == 0:
		return nil
	case step == 32:
		return []ir.Node{build(x86.ADDQ(half, to))}
	}
	var list []ir.Node
	for ; step > 256; step -= 256 {
		list = append(list, build(x86.LEAQ(operand.Mem{Base: to, Index: half, Scale: 8}, to)))
	}
	return append(list, build(x86.LEAQ(operand.Mem{Base: to, Index: half, Scale: uint8(step / 32)}, to)))
}

// Narrow rewrites fn for AVX2.
func (m *Machine) Narrow(fn *ir.Function) {
	spill := m.spill
	var blocks []*block
	b := &block{}
	cut := func(label string) {
		blocks = append(blocks, b)
		b = &block{label: label}
	}
	for _, n := range fn.Nodes {
		switch n := n.(type) {
		case ir.Label:
			cut(string(n))
			b.nodes = append(b.nodes, n)
		case *ir.Instruction:
			if strings.HasPrefix(n.Opcode, "V") && !strings.HasPrefix(n.Opcode, "VZERO") || n.Opcode == "KORB" {
				for _, s := range m.lower(n) {
					b.nodes, b.steps = append(b.nodes, nil), append(b.steps, s)
				}
				continue
			}
			if n.Opcode == "KMOVB" {
				m.moveMask(b, n)
				continue
			}
			b.nodes = append(b.nodes, n)
			if n.Opcode == "MOVQ" {
				if from, ok := n.Operands[0].(operand.Mem); ok && from.Base == reg.FramePointer {
					b.nodes = append(b.nodes, m.pointer(from.Symbol.Name, n.Operands[1])...)
				}
			}
			if n.IsBranch {
				b.jump, b.end = string(n.Operands[0].(operand.LabelRef)), !n.IsConditional
				cut("")
			}
		default:
			b.nodes = append(b.nodes, n)
		}
	}
	blocks = append(blocks, b)
	out := live(blocks)
	fn.Nodes = nil
	for k, b := range blocks {
		a := &allocator{block: b, out: out[k], spill: spill, at: map[slot]int{}, home: map[slot]operand.Mem{}}
		fn.Nodes = append(fn.Nodes, a.run()...)
	}
}

// moveMask adds to b the move n of a mask from or to register EAX.
func (m *Machine) moveMask(b *block, n *ir.Instruction) {
	add := func(i *ir.Instruction, err error) {
		if err != nil {
			panic(err)
		}
		b.nodes = append(b.nodes, i)
	}
	run := func(s step) { b.nodes, b.steps = append(b.nodes, nil), append(b.steps, s) }
	half := m.narrow.Half
	if isMask(n.Operands[1]) {
		to := firstMask + slot(n.Operands[1].(reg.Physical).PhysicalIndex())
		word := m.spill.Offset(home*slots + 8)
		add(x86.MOVQ(reg.RAX, word))
		add(x86.LEAQ(m.base, reg.R10))
		bits := operand.Mem{Base: reg.R10, Index: half, Scale: 1}
		run(op("VPBROADCASTQ", nil, word, to))
		run(op("VPAND", nil, bits, to, to))
		run(op("VPCMPEQQ", nil, bits, to, to))
		return
	}
	from := firstMask + slot(n.Operands[0].(reg.Physical).PhysicalIndex())
	run(op("VMOVMSKPD", nil, from, reg.EAX))
	add(x86.MOVL(half.As32(), reg.ECX))
	add(x86.SHRL(operand.U8(3), reg.ECX))
	add(x86.SHLL(reg.CL, reg.EAX))
	add(x86.ORL(reg.EAX, reg.R11L))
	add(x86.MOVL(reg.R11L, reg.EAX))
}

// live returns the slots that are live at the end of each block.
func live(blocks []*block) []map[slot]bool {
	out := make([]map[slot]bool, len(blocks))
	for k := range out {
		out[k] = map[slot]bool{}
		blocks[k].in = map[slot]bool{}
	}
	for changed := true; changed; {
		changed = false
		for k := len(blocks) - 1; k >= 0; k-- {
			b := blocks[k]
			for j, other := range blocks {
				if j == k+1 && !b.end || other.label != "" && other.label == b.jump {
					maps.Copy(out[k], other.in)
				}
			}
			in := maps.Clone(out[k])
			for i := len(b.steps) - 1; i >= 0; i-- {
				reads, writes := b.steps[i].slots()
				delete(in, writes)
				for _, s := range reads {
					in[s] = true
				}
			}
			if !maps.Equal(in, b.in) {
				b.in, changed = in, true
			}
		}
	}
	return out
}

// An allocator assigns the 16 registers to the slots of a block. At the begin and at the end of a
// block, all live slots are in memory.
type allocator struct {
	*block
	out   map[slot]bool
	spill operand.Mem
	at    map[slot]int // register of each slot that is in one
	used  [16]bool
	last  int                  // register that was assigned last
	dirty map[slot]bool        // the slot's memory does not have its value
	home  map[slot]operand.Mem // where a slot's value is, if not at its place in spill
	uses  map[slot][]int       // indices of the steps that read the slot, from the present one on
	list  []ir.Node
}

func (a *allocator) run() []ir.Node {
	a.dirty, a.uses = map[slot]bool{}, map[slot][]int{}
	defs := map[slot][]int{}
	for k := range a.steps {
		reads, writes := a.steps[k].slots()
		for _, s := range reads {
			a.uses[s] = append(a.uses[s], k)
		}
		defs[writes] = append(defs[writes], k)
	}
	k := 0
	for _, n := range a.nodes {
		if i, ok := n.(*ir.Instruction); ok && (i.IsBranch || i.IsTerminal) {
			a.flush()
		}
		if n != nil {
			a.list = append(a.list, n)
			continue
		}
		a.step(k, defs)
		k++
	}
	a.flush()
	return a.list
}

// next returns the index of the next step after k that reads s before another writes it, or a great
// number if there is none.
func (a *allocator) next(s slot, k int, defs map[slot][]int) int {
	const never = 1 << 30
	use, def := never, never
	for _, u := range a.uses[s] {
		if u > k {
			use = u
			break
		}
	}
	for _, d := range defs[s] {
		if d > k {
			def = d
			break
		}
	}
	switch {
	case use <= def && use != never:
		return use
	case def == never && a.out[s]:
		return never - 1
	}
	return never
}

func (a *allocator) place(s slot) operand.Mem {
	if h, ok := a.home[s]; ok {
		return h
	}
	return a.spill.Offset(home * int(s))
}

func (a *allocator) emit(name string, ops ...operand.Op) {
	i, err := avx2[name](ops...)
	if err != nil {
		panic(fmt.Sprint("vectors: ", name, ": ", err, " ", ops))
	}
	a.list = append(a.list, i)
}

// flush stores all live slots.
func (a *allocator) flush() {
	for _, s := range slices.Sorted(maps.Keys(a.at)) {
		if a.out[s] && (a.dirty[s] || a.home[s].Base != nil) {
			a.emit("VMOVDQU", ymm(a.at[s]), a.spill.Offset(home*int(s)))
		}
		delete(a.dirty, s)
	}
	for _, s := range slices.Sorted(maps.Keys(a.home)) {
		if _, in := a.at[s]; !in && a.out[s] {
			panic("vectors: a constant is live at the end of a block and in no register")
		}
	}
}

func ymm(k int) reg.VecPhysical { return zmm[k].AsY().(reg.VecPhysical) }

// register returns a free register. If there is none, it frees that of the slot which is not needed
// for the longest time, other than those in keep.
func (a *allocator) register(k int, defs map[slot][]int, keep []slot) int {
	for n := range 16 {
		r := (a.last + 1 + n) % 16
		if !a.used[r] {
			a.last, a.used[r] = r, true
			return r
		}
	}
	var far slot = -1
	when := -1
	for _, s := range slices.Sorted(maps.Keys(a.at)) {
		if n := a.next(s, k-1, defs); !slices.Contains(keep, s) && n > when {
			far, when = s, n
		}
	}
	r := a.at[far]
	if a.dirty[far] && a.next(far, k-1, defs) < 1<<30 {
		a.emit("VMOVDQU", ymm(r), a.place(far))
		delete(a.dirty, far)
	}
	delete(a.at, far)
	a.last = r
	return r
}

func (a *allocator) load(s slot, k int, defs map[slot][]int, keep []slot) {
	if _, ok := a.at[s]; ok {
		return
	}
	r := a.register(k, defs, keep)
	a.emit("VMOVDQU", a.place(s), ymm(r))
	a.at[s] = r
}

// step emits step k.
func (a *allocator) step(k int, defs map[slot][]int) {
	s := &a.steps[k]
	reads, writes := s.slots()
	args := slices.Clone(s.args)
	last := len(args) - 1
	// A constant that is loaded stays where it is until it is used.
	if m, ok := args[0].(operand.Mem); ok && s.name == "VMOVDQU" && writes >= 0 &&
		m.Base == reg.StaticBase && !a.out[writes] {
		a.forget(writes)
		a.home[writes] = m
		delete(a.dirty, writes)
		return
	}
	inRegister := func(o operand.Op) bool {
		x, ok := o.(slot)
		_, in := a.at[x]
		return ok && in
	}
	if commutes[s.name] && len(reads) > 0 && inRegister(args[0]) && !inRegister(args[1]) {
		if _, ok := args[1].(slot); ok {
			args[0], args[1] = args[1], args[0]
		}
	}
	memory := (s.imm == nil || s.name == "VPERM2I128") && s.short == 0 && s.name != "VMOVDQU" && s.name != "VPBLENDVB" || s.name == "VMOVDQU" && writes >= 0
	for n, o := range args {
		x, ok := o.(slot)
		if !ok || !slices.Contains(reads, x) || n == last && !strings.HasPrefix(s.name, "VFM") {
			continue
		}
		if n == 0 && memory && !inRegister(x) && a.next(x, k, defs) >= 1<<30-1 &&
			!slices.Contains(args[1:], o) {
			args[0] = a.place(x)
			continue
		}
		a.load(x, k, defs, reads)
	}
	for n, o := range args[:last] {
		if x, ok := o.(slot); ok && len(reads) > 0 {
			args[n] = ymm(a.at[x])
		}
	}
	// Free the registers of slots that are not read again.
	for _, x := range reads {
		if r, in := a.at[x]; in && x != writes && a.next(x, k, defs) == 1<<30 {
			a.used[r] = false
			delete(a.at, x)
			delete(a.dirty, x)
		}
	}
	if writes >= 0 {
		r, in := a.at[writes]
		if !in {
			r = a.register(k+1, defs, nil)
			a.at[writes] = r
		}
		delete(a.home, writes)
		a.dirty[writes] = true
		args[last] = ymm(r)
		if len(reads) == 0 && s.name == "VPXOR" {
			args[0], args[1] = args[last], args[last]
		}
	}
	name := s.name
	if name == "VMOVDQA" && operand.IsMem(args[0]) {
		name = "VMOVDQU"
	}
	if s.short > 0 {
		if r, ok := args[s.short-1].(reg.VecPhysical); ok {
			args[s.short-1] = r.AsX()
		}
	}
	if s.imm != nil {
		args = append([]operand.Op{s.imm}, args...)
	}
	a.emit(name, args...)
	if writes >= 0 && a.next(writes, k, defs) == 1<<30 {
		a.forget(writes)
	}
}

// forget frees the register of s.
func (a *allocator) forget(s slot) {
	if r, in := a.at[s]; in {
		a.used[r] = false
		delete(a.at, s)
	}
	delete(a.dirty, s)
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
