// Package probes holds the probes of amd64; see package probe.
//
// A probe is a function with one instruction to test, and its argument points to a state. The probe
// loads four general registers and all flags from the state, and for a vector instruction also
// three vector registers and two mask registers. It executes the instruction. Then it stores all of
// these registers, and the flags that the instruction defines, to the state.
package probes

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// These are byte offsets in the state that the argument of a probe points to.
const (
	Registers = 0   // words for AX, BX, CX and DX, 8 bytes each
	Addends   = 32  // two bytes whose sum sets the flags
	Flags     = 40  // one byte for each flag, in the order of FlagNames
	Vectors   = 64  // three vectors of 64 bytes; the first is also the memory operand
	Masks     = 256 // two mask registers
	Bytes     = 272
)

// FlagNames lists the flags that a probe can store.
var FlagNames = []string{"CF", "PF", "ZF", "SF", "OF"}

// A Case is an instruction with its operands. Flags has the first letters of the flags whose value
// is known after the instruction, because it defines or keeps them.
type Case struct {
	Opcode   string
	Operands []operand.Op
	Flags    string
	Doubles  bool   // the vectors hold integers below 2^52 as double-precision numbers
	MXCSR    uint32 // value of the register while the instruction runs; 0: that of the caller
}

// Name returns the name of the probe function for case number k.
func (c *Case) Name(k int) string {
	return fmt.Sprintf("p%03d%s", k, strings.ReplaceAll(c.Opcode, ".", ""))
}

// vector returns the width in bits of the case's vector registers, or 0 if it has no vector
// register. It also reports whether the case has mask registers. An instruction that clears
// registers has no operands.
func (c *Case) vector() (bits uint, masks bool) {
	if strings.HasPrefix(c.Opcode, "VZERO") {
		return 256, false
	}
	for _, o := range c.Operands {
		if r, ok := o.(reg.Register); ok {
			switch r.Kind() {
			case reg.KindVector:
				bits = max(bits, 8*r.Size())
			case reg.KindOpmask:
				masks = true
			}
		}
	}
	return bits, masks
}

var state = reg.RDI

func at(offset int) operand.Mem { return operand.Mem{Base: state, Disp: offset} }

// Memory is the operand in memory that probes use.
var Memory = at(Vectors)

// emit adds the instruction to c by calling the method of the avo context with the opcode's name. A
// jump jumps over an instruction that sets DX to 7.
func emit(c *build.Context, opcode string, ops []operand.Op) error {
	if strings.HasPrefix(opcode, "J") {
		ops = []operand.Op{operand.LabelRef("over")}
		defer func() { c.MOVQ(operand.I32(7), reg.RDX); c.Label("over") }()
	}
	method := reflect.ValueOf(c).MethodByName(strings.ReplaceAll(opcode, ".", "_"))
	if !method.IsValid() {
		return fmt.Errorf("probes: no instruction %s", opcode)
	}
	args := make([]reflect.Value, len(ops))
	for k, o := range ops {
		args[k] = reflect.ValueOf(o)
	}
	method.Call(args)
	return nil
}

// Compile returns an avo file with one probe function for each case. avo's passes have run on it.
func Compile(cases []Case) (*ir.File, error) {
	ctx := build.NewContext()
	for k := range cases {
		c := &cases[k]
		ctx.Function(c.Name(k))
		ctx.Attributes(attr.NOSPLIT)
		ctx.SignatureExpr(fmt.Sprintf("func(s *[%d]uint64)", Bytes/8))
		ctx.Pragma("noescape")
		if err := c.body(ctx); err != nil {
			return nil, err
		}
		if _, err := ctx.Result(); err != nil {
			return nil, fmt.Errorf("probes: %s %v: %w", c.Opcode, c.Operands, err)
		}
	}
	f, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	return f, pass.Compile.Execute(f)
}

func (c *Case) body(ctx *build.Context) error {
	ctx.MOVQ(operand.NewParamAddr("s", 0), state)
	bits, masks := c.vector()
	wide := masks || bits == 512 || strings.HasSuffix(c.Opcode, "64") ||
		strings.HasPrefix(c.Opcode, "VPMADD52")
	ys := []reg.Register{reg.Y0, reg.Y1, reg.Y2}
	zs := []reg.Register{reg.Z0, reg.Z1, reg.Z2}
	ks := []reg.Register{reg.K1, reg.K2}
	switch {
	case wide:
		for k, z := range zs {
			ctx.VMOVDQU64(at(Vectors+64*k), z)
		}
		for k, r := range ks {
			ctx.KMOVQ(at(Masks+8*k), r)
		}
	case bits != 0:
		for k, y := range ys {
			ctx.VMOVDQU(at(Vectors+64*k), y)
		}
	}
	gprs := []reg.Register{reg.RAX, reg.RBX, reg.RCX, reg.RDX}
	var saved, other operand.Mem
	if c.MXCSR != 0 {
		saved, other = ctx.AllocLocal(8), ctx.AllocLocal(8)
		ctx.STMXCSR(saved)
		ctx.MOVL(operand.U32(c.MXCSR), other)
		ctx.LDMXCSR(other)
	}
	ctx.MOVB(at(Addends), reg.R8B)
	for k, r := range gprs {
		ctx.MOVQ(at(Registers+8*k), r)
	}
	ctx.ADDB(at(Addends+1), reg.R8B)
	if err := emit(ctx, c.Opcode, c.Operands); err != nil {
		return err
	}
	if c.MXCSR != 0 {
		ctx.LDMXCSR(saved)
	}
	for _, f := range c.Flags {
		switch f {
		case 'C':
			ctx.SETCS(at(Flags))
		case 'P':
			ctx.SETPS(at(Flags + 1))
		case 'Z':
			ctx.SETEQ(at(Flags + 2))
		case 'S':
			ctx.SETMI(at(Flags + 3))
		case 'O':
			ctx.SETOS(at(Flags + 4))
		}
	}
	for k, r := range gprs {
		ctx.MOVQ(r, at(Registers+8*k))
	}
	// The memory operand is at the place of the first vector in the state, so storing that vector
	// would overwrite the operand.
	switch {
	case wide:
		for k := 1; k < 3; k++ {
			ctx.VMOVDQU64(zs[k], at(Vectors+64*k))
		}
		for k, r := range ks {
			ctx.KMOVQ(r, at(Masks+8*k))
		}
		ctx.VZEROUPPER()
	case bits != 0:
		for k := 1; k < 3; k++ {
			ctx.VMOVDQU(ys[k], at(Vectors+64*k))
		}
		ctx.VZEROUPPER()
	}
	ctx.RET()
	return nil
}

// printed returns the probes in file as assembly.
func printed(file *ir.File) (*probe.Set, error) {
	cfg := printer.Config{Name: "probes", Pkg: "main"}
	s := &probe.Set{GOARCH: "amd64", Words: Bytes / 8}
	var err error
	if s.Assembly, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, err
	}
	if s.Stubs, err = printer.NewStubs(cfg).Print(file); err != nil {
		return nil, err
	}
	for _, fn := range file.Functions() {
		s.Names = append(s.Names, fn.Name)
	}
	return s, nil
}

// Assemble returns all probes, their functions, and a program in the folder dir that runs them.
func Assemble(dir string) (cases []Case, file *ir.File, exe *probe.Executable, err error) {
	cases = All()
	if file, err = Compile(cases); err != nil {
		return nil, nil, nil, err
	}
	set, err := printed(file)
	if err != nil {
		return nil, nil, nil, err
	}
	exe, err = set.Assemble(dir)
	return cases, file, exe, err
}
