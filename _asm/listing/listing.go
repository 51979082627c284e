// Package listing holds kernels as lists of instructions, for instruction sets that avo does not
// support. A package such as listing/arm64, with methods named like the instructions, builds a
// [Function] one instruction at a time. The list uses the interpreter's form of instructions; it
// can be printed as Go assembly or run by the interpreter.
package listing

//ci:untested interp/arm64 prints and runs its functions.

import (
	"fmt"
	"maps"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/abi0"
	"github.com/mmcloughlin/avo/gotypes"
)

// A Function is an assembly function. It has no read-only data and calls no functions.
type Function struct {
	Name string
	arch *interp.Architecture
	// reserved is the number of bytes at the bottom of the frame that the assembler itself uses.
	reserved int

	signature *gotypes.Signature
	locals    int
	list      []interp.Instruction
	labels    map[string]int
	err       error
}

// New returns an empty function. layout is its signature, in which words of the same size replace
// named types. If the function has local variables, the assembler uses the given number of reserved
// bytes at the bottom of its frame.
func New(arch *interp.Architecture, name, layout string, reserved int) *Function {
	f := &Function{Name: name, arch: arch, reserved: reserved, labels: map[string]int{}}
	f.signature, f.err = gotypes.ParseSignature(layout)
	return f
}

// Fail records an error. The methods Program and Assembly return the first recorded error.
func (f *Function) Fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("listing: %s: %s", f.Name, fmt.Sprintf(format, args...))
	}
}

// Add appends an instruction to the function.
func (f *Function) Add(opcode string, operands ...interp.Operand) {
	f.list = append(f.list, interp.Instruction{Opcode: opcode, Operands: operands})
}

// Emit appends an instruction with the operands ops to the function.
func (f *Function) Emit(opcode string, ops ...Op) {
	operands := make([]interp.Operand, len(ops))
	for k, o := range ops {
		operands[k] = o.Operand()
	}
	f.Add(opcode, operands...)
}

// Label puts a label before the next instruction that is added.
func (f *Function) Label(name string) {
	if _, ok := f.labels[name]; ok {
		f.Fail("two labels %s", name)
	}
	f.labels[name] = len(f.list)
}

// Local allocates the given number of bytes in the frame, a multiple of 8, and returns the memory
// operand there.
func (f *Function) Local(bytes int) Mem {
	f.locals += bytes
	return At(interp.Frame, f.locals-bytes)
}

// Argument returns the argument or result with the given name as an operand. For a slice or a
// string the operand is the pointer; the name with ".len" appended gives the length.
func (f *Function) Argument(name string) Mem {
	if f.err != nil {
		return At(interp.Arguments, 0)
	}
	at, ok := abi0.Locate(f.signature, name)
	if !ok {
		f.Fail("no argument %s", name)
	}
	m := At(interp.Arguments, at)
	if base, ok := strings.CutSuffix(name, ".len"); ok {
		m.o.Name = base + "_len"
	} else if _, err := f.signature.Params().Lookup(name).Base().Resolve(); err == nil {
		m.o.Name = name + "_base"
	} else {
		m.o.Name = name
	}
	return m
}

// Bytes returns the size in bytes of the argument or result with the given name.
func (f *Function) Bytes(name string) int64 {
	if f.err != nil {
		return 8
	}
	for _, t := range []*gotypes.Tuple{f.signature.Params(), f.signature.Results()} {
		if b, err := t.Lookup(name).Resolve(); err == nil {
			return gotypes.Sizes.Sizeof(b.Type)
		}
	}
	return 8
}

// Program returns the function as a program for the interpreter.
func (f *Function) Program() (*interp.Program, error) {
	if f.err != nil {
		return nil, f.err
	}
	p := &interp.Program{
		Name: f.Name, Arch: f.arch,
		FrameBytes: f.locals, ArgumentBytes: f.signature.Bytes(),
		Results:    abi0.Results(f.signature),
		Locate:     func(name string) (int, bool) { return abi0.Locate(f.signature, name) },
		SavesFrame: f.locals > 0,
	}
	return p, p.Compile(f.list, maps.Clone(f.labels))
}

// Assembly returns the function in Go assembly, after the lines of comment. It returns an error for
// every function that the interpreter refuses to load.
func (f *Function) Assembly(comment []string) (string, error) {
	p, err := f.Program()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(Comment(comment))
	frame := 0
	if f.locals > 0 {
		frame = f.reserved + f.locals
	}
	fmt.Fprintf(&b, "// func %s%s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.Name, f.signature, f.Name,
		frame, p.ArgumentBytes)
	at := map[int][]string{}
	for name, k := range f.labels {
		at[k] = append(at[k], name)
	}
	for k := range f.list {
		if len(at[k]) > 1 {
			return "", fmt.Errorf("listing: %s: labels %v are one place", f.Name, at[k])
		}
		for _, name := range at[k] {
			fmt.Fprintf(&b, "\n%s:\n", name)
		}
		opcode, operands, _ := strings.Cut(f.arch.Text(&f.list[k]), " ")
		b.WriteString(strings.TrimRight(fmt.Sprintf("\t%-6s %s", opcode, operands), " ") + "\n")
	}
	return b.String(), nil
}

// Len returns the number of instructions in the function so far.
func (f *Function) Len() int { return len(f.list) }

// Take removes the instructions from index start on, and returns them. There must be no label after
// the first of these instructions.
func (f *Function) Take(start int) []interp.Instruction {
	for name, at := range f.labels {
		if at > start {
			f.Fail("the label %s among instructions that are to get another place", name)
		}
	}
	list := f.list[start:]
	f.list = f.list[:start:start]
	return list
}

// Comment returns the lines as a comment.
func Comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	return b.String()
}
