package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

// A State is what a probe starts from and leaves, in words.
type State = [Bytes / 8]uint64

// An Executable is a program that runs probes on the CPU.
type Executable struct{ path string }

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
		State [34]uint64
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

// Assemble prints, assembles and links the probes in an empty directory, with
// the go command.
func Assemble(file *ir.File, dir string) (*Executable, error) {
	cfg := printer.Config{Name: "probe", Pkg: "main"}
	asm, err := printer.NewGoAsm(cfg).Print(file)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(cfg).Print(file)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(stubs)
	fmt.Fprintf(b, "\nvar all = []func(*[%d]uint64){\n", len(State{}))
	for _, fn := range file.Functions() {
		fmt.Fprintf(b, "%s,\n", fn.Name)
	}
	fmt.Fprintf(b, "}\n")
	table, err := format.Source(b.Bytes())
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"go.mod":         []byte("module probe\n\ngo 1.25.0\n"),
		"main.go":        []byte(program),
		"probes.go":      table,
		"probes_amd64.s": asm,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, "probe.exe")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("probe: go build: %w\n%s", err, out)
	}
	return &Executable{path}, nil
}

// A Task is one run of a probe.
type Task struct {
	Probe uint64
	State State
}

// Run runs the tasks and returns the states that they leave.
func (e *Executable) Run(tasks []Task) ([]State, error) {
	var in, out bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, tasks); err != nil {
		return nil, err
	}
	run := exec.Command(e.path)
	run.Stdin, run.Stdout, run.Stderr = &in, &out, os.Stderr
	if err := run.Run(); err != nil {
		return nil, err
	}
	states := make([]State, len(tasks))
	return states, binary.Read(&out, binary.LittleEndian, states)
}
