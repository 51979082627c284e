package walks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/lab/layers/walks/recorder"
)

// module is the prefix that the import paths of all packages of this repository have.
const module = "github.com/koblitz-go/koblitz"

// A Level says which kernels, the lowest arithmetic functions, a program uses.
type Level int

const (
	Single Level = iota + 1 // kernels that compute with one number at a time
	Lanes                   // kernels that compute with eight numbers at a time
)

// portableTag is the build tag that selects the portable kernels.
const portableTag = "purego"

// tags returns the build tags of a program on this level, separated by commas. The tag permuted
// adds portable kernels for eight numbers, which otherwise only tests use.
func (l Level) tags() string {
	if l == Lanes {
		return portableTag + ",permuted"
	}
	return portableTag
}

// Build builds a program that uses the portable kernels, each changed so that it records the stack
// of its caller. pkg is the program's package. Build writes the program to a file in dir, and
// returns the file's name.
func Build(dir, pkg string, level Level) (program string, err error) {
	folders, err := run(goCommand("list", "-deps", "-tags", level.tags(), "-f", "{{.Dir}}", pkg))
	if err != nil {
		return "", err
	}
	replace, kernels := map[string]string{}, 0
	for folder := range strings.Lines(string(folders)) {
		name := filepath.Join(strings.TrimSpace(folder), kernelsFile)
		src, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return "", err
		}
		text, n := record(string(src))
		kernels += n
		replace[name] = filepath.Join(dir, strconv.Itoa(len(replace))+kernelsFile)
		if err := os.WriteFile(replace[name], []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	if kernels < 10 {
		return "", fmt.Errorf("only %d kernels in the packages of %s", kernels, pkg)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "program")
	// -l disables inlining, since a trace omits inlined functions that started a goroutine.
	_, err = run(goCommand("build", "-buildvcs=false", "-tags", level.tags(), "-overlay", overlay,
		"-gcflags="+module+"/...=-l", "-o", program, pkg))
	return program, err
}

// kernelsFile is the name of the generated files for builds without assembly. Their functions call
// the portable kernels.
const kernelsFile = "kernels_none.go"

// record inserts a call of recorder.Kernel into each function of a generated file, whose text is
// src. It also returns the number of functions.
func record(src string) (text string, functions int) {
	for line := range strings.Lines(src) {
		switch {
		case strings.HasPrefix(line, "package "):
			const recorder = module + "/lab/layers/walks/recorder"
			line = fmt.Sprintf("%s; import %q\n", strings.TrimSpace(line), recorder)
		case strings.HasPrefix(line, "func "):
			line = strings.Replace(line, "{", "{ recorder.Kernel(); ", 1)
			functions++
		}
		text += line
	}
	return text, functions
}

// Record runs a program that Build has built, and returns the stacks of its calls to kernels.
func Record(program string, args ...string) ([]Stack, error) {
	name := program + ".stacks"
	cmd := exec.Command(program, args...)
	// With GOMAXPROCS=1 there is one worker, which is the caller's own goroutine, so its stack is
	// complete.
	cmd.Env = append(os.Environ(), recorder.Variable+"="+name,
		"GODEBUG=tracebackancestors=10", "GOMAXPROCS=1")
	if _, err := run(cmd); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no kernel was reached: %w", err)
	}
	var stacks []Stack
	for line := range strings.Lines(string(text)) {
		stacks = append(stacks, parseStack(strings.Fields(line)))
	}
	return stacks, nil
}

// goCommand returns a go command that builds for this machine, even if the test itself was built
// for another.
func goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "CGO_ENABLED=0")
	return cmd
}

// run runs a command and returns its standard output. An error contains its error output.
func run(cmd *exec.Cmd) ([]byte, error) {
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &complaints)
	}
	return out, nil
}
