// Package probe compares the table of an instruction set with a CPU. A probe is a small
// function of one instruction, with its operands in registers and memory loaded from a
// state and stored to it: the same stream is interpreted, and assembled and run. What the
// probes of an instruction set are is for the package of its table.
package probe

//ci:untested interp/amd64/probes runs the probes.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// A State is what a probe starts from and leaves, in words. All of a set have as many.
type State []uint64

// A Set is probes in assembly: functions that take a pointer to their state.
type Set struct {
	GOARCH   string
	Words    int    // of a state
	Assembly []byte // the .s file
	Stubs    []byte // the Go declarations, of package main
	Names    []string
}

// An Executable is a program that runs the probes of a set on the CPU.
type Executable struct {
	command []string
	words   int
}

// program reads the number of a probe and a state, and writes the state that
// the probe leaves, until its input ends.
const program = `package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	var task struct {
		Probe uint64
		State [words]uint64
	}
	for {
		err := binary.Read(in, binary.LittleEndian, &task)
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		all[task.Probe](&task.State)
		if err := binary.Write(out, binary.LittleEndian, &task.State); err != nil {
			panic(err)
		}
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}
`

// Assemble assembles and links the probes in an empty directory, with the go command. What
// runs them is the machine, or else an emulator of the set's.
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
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOARCH="+s.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("probe: go build: %w\n%s", err, out)
	}
	return &Executable{append(emulator, path), s.Words}, nil
}

// A Task is one run of a probe.
type Task struct {
	Probe int // by its place in the set
	State State
}

// Run runs the tasks and returns the states that they leave.
func (e *Executable) Run(tasks []Task) ([]State, error) {
	var in, out bytes.Buffer
	for _, t := range tasks {
		if len(t.State) != e.words {
			return nil, fmt.Errorf("probe: a state of %d words, not %d", len(t.State), e.words)
		}
		task := append(State{uint64(t.Probe)}, t.State...)
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
		if err := binary.Read(&out, binary.LittleEndian, states[k]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// A Difference is where the interpreter and the CPU part.
type Difference struct{ From, Interpreted, CPU State }

// Compare interprets a probe on the states of tasks, and compares what it leaves with
// what the CPU left. The argument of the probe is at offset 0.
func Compare(p *interp.Program, tasks []Task, cpu []State) (*Difference, error) {
	m := p.NewMachine()
	region := m.NewRegion("state", 8*len(cpu[0]), interp.Read|interp.Write)
	m.SetArg(0, region.Address(), false)
	for k := range tasks {
		region.FillWords(0, tasks[k].State, false)
		if err := m.Run(); err != nil {
			return nil, err
		}
		got, err := region.Words(0, len(cpu[k]))
		if err != nil {
			return nil, err
		}
		if !slices.Equal(got, cpu[k]) {
			return &Difference{tasks[k].State, got, cpu[k]}, nil
		}
	}
	return nil, nil
}
