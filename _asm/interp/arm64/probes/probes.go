// Package probes holds the probes of arm64; see package probe.
//
// A probe is a function with one instruction to test, and its argument points to a state. The probe
// loads four general registers, four vector registers and all flags from the state. It executes the
// instruction, which may use memory of the state, and stores the registers and flags to the state.
package probes

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// These are indices of words in the state that the argument of a probe points to.
const (
	registers = 0 // R1 to R4
	addends   = 4 // two words whose sum sets the flags
	flags     = 6 // N, Z, C, V
	memory    = 10
	vectors   = 14 // V1 to V4
	Words     = 22
)

// These are the registers of probes: two operands, the destination, and the pointer to the state.
const (
	a, b, d, to = arm64.R1, arm64.R2, arm64.R3, arm64.R4

	state = arm64.R0
)

// A Case is what a probe tests: one instruction, or two if the first is a jump over the second.
type Case struct {
	Opcode string
	body   func(c arm64.Code)
}

// Function returns the probe function for case number k.
func (x *Case) Function(k int) arm64.Code {
	c := arm64.New(fmt.Sprintf("p%03d", k), fmt.Sprintf("func(s *[%d]uint64)", Words))
	at := func(word int) arm64.Mem { return arm64.At(state, 8*word) }
	v := []arm64.Vec{1, 2, 3, 4}
	c.Argument("s", state)
	c.ADD(arm64.Imm(8*vectors), state, d)
	c.VLD1P(d, v...)
	c.MOVD(at(addends), a)
	c.MOVD(at(addends+1), b)
	c.ADDS(b, a, a)
	for k, r := range []arm64.Reg{a, b, d, to} {
		c.MOVD(at(registers+k), r)
	}
	x.body(c)
	for k, r := range []arm64.Reg{a, b, d, to} {
		c.MOVD(r, at(registers+k))
	}
	c.ADD(arm64.Imm(8*vectors), state, d)
	c.VST1P(d, v...)
	for k, unset := range []string{"PL", "NE", "LO", "VC"} {
		c.CSINC(unset, arm64.ZR, arm64.ZR, a)
		c.MOVD(a, at(flags+k))
	}
	c.RET()
	return c
}

// Set returns the probes of the cases as assembly.
func Set(cases []Case) (*probe.Set, error) {
	s := &probe.Set{GOARCH: "arm64", Words: Words}
	var text, stubs bytes.Buffer
	text.WriteString("#include \"textflag.h\"\n")
	stubs.WriteString("package main\n")
	for k := range cases {
		f := cases[k].Function(k)
		assembly, err := f.Assembly(nil)
		if err != nil {
			return nil, err
		}
		text.WriteString("\n" + assembly)
		fmt.Fprintf(&stubs, "\n//go:noescape\nfunc %s(s *[%d]uint64)\n", f.Name, Words)
		s.Names = append(s.Names, f.Name)
	}
	s.Assembly, s.Stubs = text.Bytes(), stubs.Bytes()
	return s, nil
}

// Program returns the probe function for case number k as a program for the interpreter.
func (x *Case) Program(k int) (*interp.Program, error) { return x.Function(k).Program() }
