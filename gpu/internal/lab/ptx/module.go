// Package ptx is an interpreter of PTX, the assembly language of NVIDIA's GPUs (PTX ISA,
// version 6.3), for tests on machines that have none. It knows the integer
// instructions that LLVM makes of CUDA C and those that inline assembly uses, refuses
// every other one by its name, and is stricter than a GPU: reading a register that was
// not written, a carry that crosses the bounds of inline assembly, an access beside an
// allocation or of the wrong alignment, a race in shared or global memory and a barrier that
// not every work item reaches are errors that say where they happened.
//
// Work items run one after another, and always in the same order, so a run is
// deterministic. They change only at barriers. Nothing of this package is
// constant-time, and no secret may get here.
package ptx

import (
	"fmt"
	"strconv"
)

// A Module is a text of PTX, read and checked. It is not changed by its runs.
type Module struct {
	Version string // of the PTX ISA, as "6.3"
	Target  string // as "sm_75"

	variables []*variable // of the spaces global and const
	shared    []*variable // of all functions, each with its place in a group's memory
	sharedLen int         // bytes of shared memory without the dynamic part
	dynamic   *variable   // shared memory of a size given at launch, or nil
	functions map[string]*function
	kernels   []*Kernel
}

// A Param is one parameter of a kernel. Sizes are in bytes.
type Param struct {
	Name   string
	Size   int
	Align  int
	Offset int // in the block of parameters
}

// A Kernel is an entry of a Module.
type Kernel struct {
	Name      string
	Params    []Param
	ParamSize int // bytes of all parameters with their alignment
	fn        *function
}

// A function is a kernel or a function that kernels call.
type function struct {
	name   string
	index  int // in the order of the text
	line   int
	entry  bool
	body   bool // not only declared
	params []*variable
	rets   []*variable

	paramLen int        // bytes of the memory of parameters, calls' arguments included
	calls    []*varCall // of the statements
	localLen int        // bytes of local memory
	group    [3]uint32
	groupMax bool // group is a maximum (.maxntid), not a demand (.reqntid)

	registers  []*register
	statements []statement
	labels     []*label
	refs       []reference // slots that hold addresses of global and const variables

	// What translation makes of the statements:
	slots    int           // registers and constants
	values   []uint64      // of the slots from len(registers) on, specials excepted
	specials []specialSlot // slots that hold a special register
	code     []instr
	lines    []int32 // of the instructions
	classes  []Class // of the instructions
}

// A varCall is a call, with the places of its arguments and results.
type varCall struct {
	callee     *function
	name       string
	args, rets []*variable
}

// A specialSlot is a slot that a special register is copied to.
type specialSlot struct {
	slot int32
	reg  special
}

func itoa(n int) string { return strconv.Itoa(n) }

// Kernels returns the kernels of m in the order of the text.
func (m *Module) Kernels() []*Kernel { return m.kernels }

// Kernel returns the kernel of a name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	for _, k := range m.kernels {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("ptx: no kernel %q", name)
}

// Parse reads text, checks every instruction and translates it.
func Parse(text string) (*Module, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{
		tokens: tokens,
		m:      &Module{functions: make(map[string]*function)},
		global: &scope{names: make(map[string]symbol)},
	}
	p.module()
	if p.err != nil {
		return nil, p.err
	}
	for _, fn := range p.order {
		if !fn.body {
			return nil, fmt.Errorf("ptx: line %d: function %s has no body", fn.line, fn.name)
		}
		if err := translate(p.m, fn); err != nil {
			return nil, err
		}
	}
	return p.m, nil
}
