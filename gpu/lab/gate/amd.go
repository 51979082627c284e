package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// library is OpenCL C that is compiled together with every program for AMD. It defines the
// functions of OpenCL's own library that the programs call.
//
//go:embed amd.cl
var library string

// compileAMD compiles the OpenCL C of a program with clang-15.
func compileAMD(dir, program, target string) ([]row, error) {
	cmd := exec.Command("clang-15", "-x", "cl", "-cl-std=CL1.2", "-Xclang",
		"-finclude-default-header", "-target", "amdgcn-amd-amdhsa", "-mcpu="+target, "-nogpulib",
		"-O3", "-I.", "-S", "-o", "-", "-")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader("#include \"" + program + ".cl\"\n" + library)
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("clang: %w\n%s", err, &messages)
	}
	rows, err := parseAssembly(string(out))
	for i := range rows {
		rows[i].Target, rows[i].Program = target, program
	}
	return rows, err
}

// A code is a function found in the assembly.
type code struct {
	instructions int
	calls        map[string]bool
}

// Expressions that match lines of the assembly. In the metadata, keys of a kernel are indented by
// four columns, and keys of a kernel's arguments by more.
var (
	functionLine    = regexp.MustCompile(`^(\w+): +; @\w+$`)
	instructionLine = regexp.MustCompile(`^\t[a-z]\w*`)
	callLine        = regexp.MustCompile(` (\w+)@(?:rel|gotpcrel)32@lo`)
	keyLine         = regexp.MustCompile(`^(  - |    )\.(\w+): +(\S+)$`)
)

// parseAssembly parses the assembly that clang writes. The instructions of a kernel include those
// of the functions that it calls. Spills are the number of spilled registers of the kernel alone,
// as clang does not count the registers that the called functions save.
func parseAssembly(text string) (rows []row, err error) {
	functions := map[string]*code{}
	var in *code
	metadata := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch m := functionLine.FindStringSubmatch(line); {
		case m != nil:
			in = &code{calls: map[string]bool{}}
			functions[m[1]] = in
		case strings.HasPrefix(line, ".Lfunc_end"):
			in = nil
		case strings.HasPrefix(line, "amdhsa."):
			metadata = line == "amdhsa.kernels:"
		case in != nil && instructionLine.MatchString(line):
			in.instructions++
			if m := callLine.FindStringSubmatch(line); m != nil {
				in.calls[m[1]] = true
			}
		case metadata:
			if strings.HasPrefix(line, "  - ") {
				rows = append(rows, row{})
			}
			if m := keyLine.FindStringSubmatch(line); m != nil && len(rows) > 0 {
				rows[len(rows)-1].set(m[2], m[3])
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Kernel == "" || r.Registers == 0 {
			return nil, fmt.Errorf("the assembly does not say what %q takes", r.Kernel)
		}
		if r.Instructions, err = reached(functions, r.Kernel, map[string]bool{}); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// set stores the value of a key of the metadata in r.
func (r *row) set(key, value string) {
	switch key {
	case "name":
		r.Kernel = value
	case "vgpr_count":
		r.Registers = number(value)
	case "sgpr_count":
		r.Scalars = number(value)
	case "private_segment_fixed_size":
		r.Stack = number(value)
	case "group_segment_fixed_size":
		r.Shared = number(value)
	case "vgpr_spill_count", "sgpr_spill_count":
		r.Spills += number(value)
	}
}

// reached returns the number of instructions of the named function and of all functions that it
// calls, directly or not. Each function is counted once.
func reached(functions map[string]*code, name string, seen map[string]bool) (int, error) {
	f := functions[name]
	if f == nil {
		return 0, fmt.Errorf("%s is called, of which there is no code: amd.cl lacks it", name)
	}
	seen[name] = true
	n := f.instructions
	for callee := range f.calls {
		if seen[callee] {
			continue
		}
		more, err := reached(functions, callee, seen)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}
