package interp

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Program is a function decoded for a Machine.
type Program struct {
	Name string

	code       []inst
	labels     map[string]int
	globals    []global
	staticOf   map[string]int
	frameBytes int
	argBytes   int
	results    []span
	savesBP    bool // the assembler saves and restores BP around the body
}

type span struct{ from, to int }

type global struct {
	name string
	data []byte
}

// Kinds of operands.
const (
	isReg = iota
	isVec
	isMask
	isImm
	isMem
	isLabel
)

// Bases of memory operands that are no general registers.
const (
	baseFrame = -1 - iota
	baseArgs
	baseStatic
)

// An operandOf is a decoded operand.
type operandOf struct {
	kind  int
	index int  // of the register
	at    uint // first byte in the register, 1 for AH
	bits  uint // of the register
	imm   uint64

	base     int // of memory: a general register, or one of the bases above
	indexReg int // -1: none
	scale    uint64
	disp     uint64
	static   int

	label string
	text  string
}

func (o *operandOf) sameRegister(p *operandOf) bool {
	return o.kind == p.kind && (o.kind == isReg || o.kind == isVec || o.kind == isMask) &&
		o.index == p.index && o.at == p.at && o.bits == p.bits
}

// An inst is a decoded instruction.
type inst struct {
	op     []operandOf
	run    func(m *Machine, i *inst)
	bits   uint // width of an integer instruction
	cond   *condition
	target int
	text   string

	mask      int // mask register of an AVX-512 instruction, 0 for none
	zeroing   bool
	broadcast bool

	constantTime bool
}

// Load decodes the named function of a file on which avo's passes have run.
func Load(file *ir.File, name string) (*Program, error) {
	for _, fn := range file.Functions() {
		if fn.Name == name {
			return Compile(file, fn, fn.Nodes)
		}
	}
	return nil, fmt.Errorf("interp: no function %s in the file", name)
}

// Compile decodes a function of a file with the given body, which tests change.
func Compile(file *ir.File, fn *ir.Function, body []ir.Node) (*Program, error) {
	p := &Program{
		Name:       fn.Name,
		labels:     map[string]int{},
		staticOf:   map[string]int{},
		frameBytes: fn.FrameBytes(),
		argBytes:   fn.ArgumentBytes(),
	}
	// These are the assembler's own conditions. A function without a frame that
	// writes BP has to restore it by itself; nobody here does.
	p.savesBP = fn.FrameBytes() > 0 && !fn.Attributes.NOFRAME()
	p.setResults(fn.Signature)
	for _, s := range file.Sections {
		if g, ok := s.(*ir.Global); ok {
			data := make([]byte, g.Size)
			for _, d := range g.Data {
				if err := putDatum(data[d.Offset:], d.Value); err != nil {
					return nil, fmt.Errorf("interp: %s: %w", g.Symbol, err)
				}
			}
			p.staticOf[g.Symbol.String()] = len(p.globals)
			p.globals = append(p.globals, global{g.Symbol.String(), data})
		}
	}
	for _, n := range body {
		switch n := n.(type) {
		case ir.Label:
			p.labels[string(n)] = len(p.code)
		case *ir.Instruction:
			i, err := p.decode(n)
			if err != nil {
				return nil, fmt.Errorf("interp: %s: instruction %d, %s: %w", fn.Name, len(p.code), Text(n), err)
			}
			p.code = append(p.code, i)
		}
	}
	for k := range p.code {
		p.resolve(&p.code[k])
	}
	return p, nil
}

func (p *Program) resolve(i *inst) {
	i.target = -1
	for k := range i.op {
		if i.op[k].kind == isLabel {
			if at, ok := p.labels[i.op[k].label]; ok {
				i.target = at
			}
		}
	}
}

// Replace returns a copy of the program whose k-th instruction is another.
func (p *Program) Replace(k int, n *ir.Instruction) (*Program, error) {
	i, err := p.decode(n)
	if err != nil {
		return nil, err
	}
	q := *p
	q.code = append([]inst(nil), p.code...)
	q.code[k] = i
	q.resolve(&q.code[k])
	return &q, nil
}

// Len returns the number of instructions.
func (p *Program) Len() int { return len(p.code) }

// Text returns an instruction as the assembler reads it.
func Text(n *ir.Instruction) string {
	s := make([]string, len(n.Operands))
	for k, o := range n.Operands {
		s[k] = o.Asm()
	}
	return strings.TrimSpace(n.OpcodeWithSuffixes() + " " + strings.Join(s, ", "))
}

func (p *Program) decode(n *ir.Instruction) (inst, error) {
	sem, ok := semantics[n.Opcode]
	if !ok {
		return inst{}, fmt.Errorf("the interpreter does not know it")
	}
	i := inst{text: Text(n), run: sem.run, bits: sem.bits, cond: sem.cond, constantTime: !sem.variable}
	for _, s := range n.Suffixes {
		switch s {
		case "Z":
			i.zeroing = true
		case "BCST":
			i.broadcast = true
		default:
			return inst{}, fmt.Errorf("suffix %s", s)
		}
	}
	for _, o := range n.Operands {
		d, err := p.operand(o)
		if err != nil {
			return inst{}, err
		}
		i.op = append(i.op, d)
	}
	// A mask register before the destination selects lanes.
	if last := len(i.op) - 1; sem.masked && last >= 2 && i.op[last-1].kind == isMask {
		i.mask = i.op[last-1].index
		if i.mask == 0 {
			return inst{}, fmt.Errorf("K0 does not select lanes")
		}
		i.op = append(i.op[:last-1], i.op[last])
	}
	if len(i.op) < sem.least || len(i.op) > sem.most {
		return inst{}, fmt.Errorf("%d operands", len(i.op))
	}
	if !sem.wideImm {
		for k := range i.op {
			// The assembler has 32 signed bits for immediate operands.
			if v := int64(i.op[k].imm); i.bits == 64 && (v < math.MinInt32 || v > math.MaxInt32) {
				return inst{}, fmt.Errorf("an immediate operand of more than 32 signed bits")
			}
		}
	} else if last := len(i.op) - 1; i.op[0].kind == isImm && i.op[last].kind == isMem {
		if v := int64(i.op[0].imm); v < math.MinInt32 || v > math.MaxInt32 {
			return inst{}, fmt.Errorf("an immediate operand of more than 32 signed bits")
		}
	}
	return i, nil
}

func (p *Program) operand(o operand.Op) (operandOf, error) {
	d := operandOf{indexReg: -1, text: o.Asm()}
	switch o := o.(type) {
	case reg.Register:
		ph := reg.ToPhysical(o)
		if ph == nil {
			return d, fmt.Errorf("register %s has not been allocated", o.Asm())
		}
		d.index, d.bits = int(ph.PhysicalIndex()), 8*ph.Size()
		switch ph.Kind() {
		case reg.KindGP:
			d.kind = isReg
			if ph.Mask() == reg.S8H.Mask() {
				d.at, d.bits = 1, 8
			}
		case reg.KindVector:
			d.kind = isVec
		case reg.KindOpmask:
			d.kind = isMask
		default:
			return d, fmt.Errorf("register %s", o.Asm())
		}
	case operand.Mem:
		d.kind = isMem
		d.disp = uint64(int64(o.Disp))
		b := reg.ToPhysical(o.Base)
		switch {
		case b == nil:
			return d, fmt.Errorf("base of %s", o.Asm())
		case b.Kind() == reg.KindGP:
			if o.Symbol.Name != "" {
				return d, fmt.Errorf("a name on a register in %s", o.Asm())
			}
			d.base = int(b.PhysicalIndex())
		case b.Asm() == reg.FramePointer.Asm():
			d.base = baseArgs
		case b.Asm() == reg.StaticBase.Asm():
			s, ok := p.staticOf[o.Symbol.String()]
			if !ok {
				return d, fmt.Errorf("no data for %s", o.Asm())
			}
			d.base, d.static = baseStatic, s
		case b.Asm() == reg.StackPointer.Asm() && o.Symbol.Name == "":
			d.base = baseFrame
		default:
			return d, fmt.Errorf("base of %s", o.Asm())
		}
		if o.Index != nil {
			x := reg.ToPhysical(o.Index)
			if x == nil || x.Kind() != reg.KindGP {
				return d, fmt.Errorf("index of %s", o.Asm())
			}
			d.indexReg, d.scale = int(x.PhysicalIndex()), uint64(o.Scale)
		}
	case operand.LabelRef:
		d.kind, d.label = isLabel, string(o)
	default:
		v, err := constant(o)
		if err != nil {
			return d, err
		}
		d.kind, d.imm = isImm, v
	}
	return d, nil
}

// constant returns the number that the assembler reads.
func constant(o operand.Op) (uint64, error) {
	switch c := o.(type) {
	case operand.I8:
		return uint64(c), nil
	case operand.U8:
		return uint64(c), nil
	case operand.I16:
		return uint64(c), nil
	case operand.U16:
		return uint64(c), nil
	case operand.I32:
		return uint64(c), nil
	case operand.U32:
		return uint64(c), nil
	case operand.I64:
		return uint64(c), nil
	case operand.U64:
		return uint64(c), nil
	}
	return 0, fmt.Errorf("operand %s", o.Asm())
}

func putDatum(to []byte, c operand.Constant) error {
	if s, ok := c.(operand.String); ok {
		copy(to, s)
		return nil
	}
	v, err := constant(c)
	if err != nil {
		return err
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(to[:c.Bytes()], b[:])
	return nil
}

// setResults finds the bytes of the argument area that are results.
func (p *Program) setResults(s *gotypes.Signature) {
	for k := 0; ; k++ {
		b, err := s.Results().At(k).Resolve()
		if err != nil {
			return
		}
		p.results = append(p.results, span{b.Addr.Disp, b.Addr.Disp + int(gotypes.Sizes.Sizeof(b.Type))})
	}
}

func (p *Program) isResult(at, n int) bool {
	for _, r := range p.results {
		if at >= r.from && at+n <= r.to {
			return true
		}
	}
	return false
}

// Argument returns the offset of a parameter or a result in the argument area.
// A slice or a string is its base; name.len is its length.
func Argument(fn *ir.Function, name string) (int, error) {
	name, length := strings.CutSuffix(name, ".len")
	for _, t := range []*gotypes.Tuple{fn.Signature.Params(), fn.Signature.Results()} {
		c := t.Lookup(name)
		if length {
			c = c.Len()
		}
		for _, x := range []gotypes.Component{c, c.Base()} {
			if b, err := x.Resolve(); err == nil {
				return b.Addr.Disp, nil
			}
		}
	}
	return 0, fmt.Errorf("interp: %s has no argument %s", fn.Name, name)
}
