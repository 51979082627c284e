// Package probe compares the interpreter's table of an instruction set with a CPU. A probe is a
// small function with one instruction to test. It loads registers from a state in memory, executes
// the instruction, and stores the registers to the state. The same probe is interpreted, and also
// assembled and run on the CPU. For each instruction set, a package named probes defines the
// probes.
package probe

//ci:untested The tests of the packages named probes run the probes.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/listing"
)

// A State is the memory that a probe reads and writes, in words. All states of a set have the same
// length.
type State []uint64

// A Set holds probes as assembly functions. The argument of each is a pointer to its state.
type Set struct {
	GOARCH   string
	Words    int    // length of a state in words
	Assembly []byte // contents of the .s file
	Stubs    []byte // contents of the Go file with the declarations, in package main
	Names    []string
}

// An Executable is a program that runs the probes of a set on the CPU.
type Executable struct {
	command []string
	words   int
}

// program is the source of the executable. Until the end of its input, it reads the number of a
// probe and a state, runs the probe on the state, and writes the resulting state.
const program = `package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	task := make([]uint64, 1+words)
	for {
		err := binary.Read(in, binary.LittleEndian, task)
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		state := task[1:]
		all[task[0]]((*[words]uint64)(state))
		if err := binary.Write(out, binary.LittleEndian, state); err != nil {
			panic(err)
		}
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}
`

// Assemble assembles and links the probes with the go command, in the empty directory dir.
// emulator, if given, is the command that runs the executable.
func (s *Set) Assemble(dir string, emulator ...string) (*Executable, error) {
	b := bytes.NewBuffer(slices.Clone(s.Stubs))
	fmt.Fprintf(b, "\nconst words = %d\n\nvar all = []func(*[words]uint64){\n", s.Words)
	for _, name := range s.Names {
		fmt.Fprintf(b, "%s,\n", name)
	}
	fmt.Fprintf(b, "}\n")
	table, err := format.Source(b.Bytes())
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"go.mod":                    []byte("module probe\n\ngo 1.25.0\n"),
		"main.go":                   []byte(program),
		"probes.go":                 table,
		"probes_" + s.GOARCH + ".s": s.Assembly,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, "probe.exe")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOARCH="+s.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("probe: go build: %w\n%s", err, out)
	}
	return &Executable{append(emulator, path), s.Words}, nil
}

// A Task is one run of a probe on a state.
type Task struct {
	Probe int // index of the probe in the set
	State State
}

// Run runs the tasks on the CPU and returns the resulting states.
func (e *Executable) Run(tasks []Task) ([]State, error) {
	var in, out bytes.Buffer
	for _, t := range tasks {
		if len(t.State) != e.words {
			return nil, fmt.Errorf("probe: a state of %d words, not %d", len(t.State), e.words)
		}
		task := append([]uint64{uint64(t.Probe)}, t.State...)
		if err := binary.Write(&in, binary.LittleEndian, task); err != nil {
			return nil, err
		}
	}
	run := exec.Command(e.command[0], e.command[1:]...)
	run.Stdin, run.Stdout, run.Stderr = &in, &out, os.Stderr
	if err := run.Run(); err != nil {
		return nil, err
	}
	states := make([]State, len(tasks))
	for k := range states {
		states[k] = make(State, e.words)
		if err := binary.Read(&out, binary.LittleEndian, []uint64(states[k])); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// A Case is a probe that package listing can print. It tests the instruction Opcode.
type Case struct {
	Opcode   string
	Function *listing.Function
}

// Listed returns the probes of the cases as a set. The argument of each is a pointer to the given
// number of words.
func Listed(goarch string, words int, cases []Case) (*Set, error) {
	s := &Set{GOARCH: goarch, Words: words}
	text := bytes.NewBufferString("#include \"textflag.h\"\n")
	stubs := bytes.NewBufferString("package main\n")
	for _, c := range cases {
		assembly, err := c.Function.Assembly(nil)
		if err != nil {
			return nil, err
		}
		text.WriteString("\n" + assembly)
		fmt.Fprintf(stubs, "\n//go:noescape\nfunc %s(s *[%d]uint64)\n", c.Function.Name, words)
		s.Names = append(s.Names, c.Function.Name)
	}
	s.Assembly, s.Stubs = text.Bytes(), stubs.Bytes()
	return s, nil
}
