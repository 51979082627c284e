package amd64

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/abi0"
	"github.com/mmcloughlin/avo/ir"
	avo "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Load decodes the function with the given name in file for the interpreter. avo's passes must have
// run on the file.
func Load(file *ir.File, name string) (*interp.Program, error) {
	for _, fn := range file.Functions() {
		if fn.Name == name {
			return load(file, fn)
		}
	}
	return nil, fmt.Errorf("amd64: no function %s in the file", name)
}

func load(file *ir.File, fn *ir.Function) (*interp.Program, error) {
	p := &interp.Program{
		Name: fn.Name, Arch: architecture,
		FrameBytes: fn.FrameBytes(), ArgumentBytes: fn.ArgumentBytes(),
		Results: abi0.Results(fn.Signature),
		Locate:  func(name string) (int, bool) { return abi0.Locate(fn.Signature, name) },
		// This is the assembler's condition for saving BP. A function without a frame must itself
		// restore BP if it writes BP, but no kernel writes BP.
		SavesFrame: fn.FrameBytes() > 0 && !fn.Attributes.NOFRAME(),
	}
	data := map[string]int{}
	for _, s := range file.Sections {
		if g, ok := s.(*ir.Global); ok {
			b := make([]byte, g.Size)
			for _, d := range g.Data {
				if err := putDatum(b[d.Offset:], d.Value); err != nil {
					return nil, fmt.Errorf("amd64: %s: %w", g.Symbol, err)
				}
			}
			data[g.Symbol.String()] = len(p.Data)
			p.Data = append(p.Data, interp.Datum{Name: g.Symbol.String(), Bytes: b})
		}
	}
	var list []interp.Instruction
	labels := map[string]int{}
	for _, n := range fn.Nodes {
		switch n := n.(type) {
		case ir.Label:
			labels[string(n)] = len(list)
		case *ir.Instruction:
			x, err := instruction(n, data)
			if err != nil {
				return nil, fmt.Errorf("amd64: %s: instruction %d, %s: %w", fn.Name, len(list), n.Opcode, err)
			}
			list = append(list, x)
		}
	}
	return p, p.Compile(list, labels)
}

// instruction translates an instruction from avo's form to the interpreter's. data maps the name of
// each read-only datum to its index.
func instruction(n *ir.Instruction, data map[string]int) (interp.Instruction, error) {
	x := interp.Instruction{Opcode: n.Opcode}
	for _, s := range n.Suffixes {
		x.Suffixes = append(x.Suffixes, string(s))
	}
	for _, o := range n.Operands {
		d, err := translate(o, data)
		if err != nil {
			return x, err
		}
		x.Operands = append(x.Operands, d)
	}
	return x, nil
}

func translate(o avo.Op, data map[string]int) (operand, error) {
	d := operand{IndexReg: -1}
	switch o := o.(type) {
	case reg.Register:
		ph := reg.ToPhysical(o)
		if ph == nil {
			return d, fmt.Errorf("register %s has not been allocated", o.Asm())
		}
		d.Index, d.Bits = int(ph.PhysicalIndex()), 8*ph.Size()
		switch ph.Kind() {
		case reg.KindGP:
			d.Kind = interp.General
			if ph.Mask() == reg.S8H.Mask() {
				d.At, d.Bits = 1, 8
			}
		case reg.KindVector:
			d.Kind = interp.Vec
		case reg.KindOpmask:
			d.Kind = interp.Mask
		default:
			return d, fmt.Errorf("register %s", o.Asm())
		}
	case avo.Mem:
		return memory(o, data)
	case avo.LabelRef:
		d.Kind, d.Label = interp.Label, string(o)
	default:
		v, bits, signed, err := constant(o)
		if err != nil {
			return d, err
		}
		d.Kind, d.Imm, d.Bits, d.Signed = interp.Immediate, v, bits, signed
	}
	return d, nil
}

func memory(o avo.Mem, data map[string]int) (operand, error) {
	d := operand{Kind: interp.Memory, IndexReg: -1, Disp: int64(o.Disp), Name: o.Symbol.String()}
	b := reg.ToPhysical(o.Base)
	switch {
	case b == nil:
		return d, fmt.Errorf("base of %s", o.Asm())
	case b.Kind() == reg.KindGP:
		if o.Symbol.Name != "" {
			return d, fmt.Errorf("a name on a register in %s", o.Asm())
		}
		d.Base = int(b.PhysicalIndex())
	case b.Asm() == reg.FramePointer.Asm():
		d.Base = interp.Arguments
	case b.Asm() == reg.StaticBase.Asm():
		s, ok := data[d.Name]
		if !ok {
			return d, fmt.Errorf("no data for %s", o.Asm())
		}
		d.Base, d.Data = interp.Static, s
	case b.Asm() == reg.StackPointer.Asm() && o.Symbol.Name == "":
		d.Base = interp.Frame
	default:
		return d, fmt.Errorf("base of %s", o.Asm())
	}
	if o.Index != nil {
		x := reg.ToPhysical(o.Index)
		if x == nil || x.Kind() != reg.KindGP {
			return d, fmt.Errorf("index of %s", o.Asm())
		}
		d.IndexReg, d.Scale = int(x.PhysicalIndex()), uint64(o.Scale)
	}
	return d, nil
}

// constant returns the value of the immediate o as the assembler reads it.
func constant(o avo.Op) (v uint64, bits uint, signed bool, err error) {
	switch c := o.(type) {
	case avo.I8:
		return uint64(c), 8, true, nil
	case avo.U8:
		return uint64(c), 8, false, nil
	case avo.I16:
		return uint64(c), 16, true, nil
	case avo.U16:
		return uint64(c), 16, false, nil
	case avo.I32:
		return uint64(c), 32, true, nil
	case avo.U32:
		return uint64(c), 32, false, nil
	case avo.I64:
		return uint64(c), 64, true, nil
	case avo.U64:
		return uint64(c), 64, false, nil
	}
	return 0, 0, false, fmt.Errorf("operand %s", o.Asm())
}

// format returns the operand o in avo's syntax.
func format(o *operand) string {
	switch o.Kind {
	case interp.General:
		return general(o.Index, o.At, o.Bits)
	case interp.Vec:
		return fmt.Sprintf("%c%d", map[uint]rune{128: 'X', 256: 'Y', 512: 'Z'}[o.Bits], o.Index)
	case interp.Mask:
		return fmt.Sprintf("K%d", o.Index)
	case interp.Label:
		return o.Label
	case interp.Immediate:
		if o.Signed {
			return fmt.Sprintf("$%+d", int64(o.Imm))
		}
		return fmt.Sprintf("$%#0*x", o.Bits/4, o.Imm)
	}
	s := interp.MemoryText(o, registers[:], "SP", 0)
	if o.IndexReg >= 0 && o.Scale != 0 {
		s += fmt.Sprintf("(%s*%d)", general(o.IndexReg, 0, 64), o.Scale)
	}
	return s
}

// general returns the name of the part of a general register that has the given width in bits and
// starts at the byte with the given offset. Only AX, BX, CX and DX have a name for their second
// byte.
func general(index int, offset, bits uint) string {
	name := registers[index]
	if bits == 8 && strings.HasSuffix(name, "X") {
		return name[:1] + string("LH"[offset])
	}
	return name
}

func putDatum(to []byte, c avo.Constant) error {
	if s, ok := c.(avo.String); ok {
		copy(to, s)
		return nil
	}
	v, bits, _, err := constant(c)
	if err != nil {
		return err
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(to[:bits/8], b[:])
	return nil
}
