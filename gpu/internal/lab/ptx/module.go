// Package ptx interprets PTX, the assembly language of NVIDIA's GPUs (PTX ISA, version 6.3), for
// tests on machines without a GPU. It supports the instructions in this library's kernels,
// and refuses all others. It is stricter than a GPU: it reports,
// with the place in the text, a read of an undefined register, a carry that crosses the boundary of
// inline assembly, an access outside of an allocation or with the wrong alignment, a race in shared
// or global memory, and a barrier that not every work item reaches.
//
// Work items run one after another in a fixed order and switch only at barriers, so a run is
// deterministic. Nothing in this package runs in constant time, and no secret may get here.
package ptx

import (
	"fmt"
	"strconv"
)

// A Module is a parsed, checked and translated PTX text. Running it does not change it.
type Module struct {
	shared    []*variable // shared variables of all functions, at different addresses
	sharedLen int         // bytes of shared memory
	functions map[string]*function
	kernels   []*Kernel
}

// A Param is one parameter of a kernel.
type Param struct {
	Size   int // in bytes
	Offset int // offset in the block of parameters
}

// A Kernel is an entry function of a Module.
type Kernel struct {
	Name      string
	Params    []Param
	ParamSize int // bytes of the block of parameters
	fn        *function
}

// A function is a kernel or a function that kernels call.
type function struct {
	name   string
	line   int
	entry  bool
	params []*variable
	rets   []*variable

	paramLen int        // bytes of parameters, including arguments of calls
	calls    []*varCall // calls among the statements
	localLen int        // bytes of local memory
	most     uint64     // most work items of a group (.maxntid), or 0

	registers  []*register
	statements []statement

	// Results of the translation of the statements:
	slots    int       // number of registers, constants and other slots
	values   []uint64  // contents of the slots after the registers, without specials
	specials []special // slots that hold a special register
	code     []instr
	lines    []int32 // line of each instruction
}

// A varCall is a call together with the variables that hold its arguments and results.
type varCall struct {
	callee     *function
	args, rets []*variable
}

func itoa(n int) string { return strconv.Itoa(n) }

// Kernel returns the kernel with the given name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	for _, k := range m.kernels {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("ptx: no kernel %q", name)
}

// Parse parses text, checks every instruction, and translates it.
func Parse(text string) (*Module, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, m: &Module{functions: make(map[string]*function)}}
	p.module()
	if p.err != nil {
		return nil, p.err
	}
	for _, fn := range p.order {
		if err := translate(p.m, fn); err != nil {
			return nil, err
		}
	}
	return p.m, nil
}
