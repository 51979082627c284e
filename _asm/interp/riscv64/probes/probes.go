// Package probes holds the probes of riscv64; see package probe.
//
// A probe is a function with one instruction to test, and its argument points to a state. The probe
// loads four registers from the state. It executes the instruction, which may use memory of the
// state, and stores the registers to the state.
package probes

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// These are indices of words in the state that the argument of a probe points to.
const (
	registers = 0
	memory    = 4
	Words     = 8
)

// These are the registers of probes: two operands, the destination, and the pointer to the state.
const (
	a, b, d, to = riscv64.X5, riscv64.X15, riscv64.X26, riscv64.X30

	state = riscv64.X10
)

// A Case is what a probe tests: one instruction, or two if the first is a jump over the second.
type Case struct {
	Opcode string
	body   func(c riscv64.Code)
}

// Function returns the probe function for case number k.
func (x *Case) Function(k int) riscv64.Code {
	c := riscv64.New(fmt.Sprintf("p%03d", k), fmt.Sprintf("func(s *[%d]uint64)", Words))
	at := func(word int) riscv64.Mem { return riscv64.At(state, 8*word) }
	c.Argument("s", state)
	for k, r := range []riscv64.Reg{a, b, d, to} {
		c.LD(at(registers+k), r)
	}
	x.body(c)
	for k, r := range []riscv64.Reg{a, b, d, to} {
		c.SD(r, at(registers+k))
	}
	c.RET()
	return c
}

// Set returns the probes of the cases as assembly.
func Set(cases []Case) (*probe.Set, error) {
	s := &probe.Set{GOARCH: "riscv64", Words: Words}
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
