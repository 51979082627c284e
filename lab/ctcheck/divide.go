package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Memcheck does not report a division with secret operands, although its time depends on them on
// most CPUs. So constant-time code must not contain any division.

// disassemble returns the library's functions in the program, and the planted division, in the
// format of go tool objdump.
func disassemble(program string) (string, error) {
	pattern := "^(" + library + "|" + plantedDivision + "$)"
	out, err := exec.Command("go", "tool", "objdump", "-s", pattern, program).Output()
	if err != nil {
		return "", fmt.Errorf("go tool objdump: %w", err)
	}
	return string(out), nil
}

const plantedDivision = "main.plantedDivision"

// assembly returns the library's assembly files that are built into the program.
func assembly(packages []goPackage) (names []string) {
	for _, p := range packages {
		for _, name := range p.SFiles {
			names = append(names, filepath.Join(p.Dir, name))
		}
	}
	return names
}

// divisionsIn returns the functions of the program, and the assembly files, that contain a
// division, each with its first one.
func divisionsIn(program string, packages []goPackage) (map[string]string, error) {
	listing, err := disassemble(program)
	if err != nil {
		return nil, err
	}
	found := divisions(strings.NewReader(listing))
	for _, name := range assembly(packages) {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if line := dividing(string(source)); line != "" {
			found[name] = line
		}
	}
	return found, nil
}

// dividing returns the first division in the text of an assembly file, or "". The output of go tool
// objdump cannot be used for that: it does not know VEX instructions, loses its place after them
// and prints divisions that do not exist.
func dividing(source string) string {
	separates := func(r rune) bool { return r == ' ' || r == '\t' || r == ';' || r == '\n' }
	for line := range strings.Lines(source) {
		code, _, _ := strings.Cut(line, "//")
		for _, f := range strings.FieldsFunc(code, separates) {
			if divides(f) {
				return strings.TrimSpace(code)
			}
		}
	}
	return ""
}

// divisions returns the functions with a division instruction, each with the place of its first
// one. It leaves out functions that may leak, and assembly, whose source dividing checks.
func divisions(listing io.Reader) map[string]string {
	found := map[string]string{}
	name := ""
	for s := bufio.NewScanner(listing); s.Scan(); {
		fields := strings.Fields(s.Text())
		switch {
		case len(fields) >= 2 && fields[0] == "TEXT":
			name = strings.TrimSuffix(fields[1], "(SB)")
		case len(fields) >= 1 && strings.Contains(fields[0], ".s:"):
		case len(fields) >= 4 && divides(fields[3]) && found[name] == "" && !mayLeak(name):
			found[name] = fields[0] + ": " + strings.Join(fields[3:], " ")
		}
	}
	return found
}

// divides reports whether the mnemonic is one of amd64's divisions of integers or floating-point
// numbers.
func divides(mnemonic string) bool {
	m := strings.TrimPrefix(strings.TrimPrefix(mnemonic, "V"), "I")
	return strings.HasPrefix(m, "DIV")
}

// mayLeak reports whether a function's name states that its time depends on its arguments.
func mayLeak(name string) bool {
	return strings.HasPrefix(name, library+"/internal/vartime.") ||
		strings.HasPrefix(name, library+"/internal/vartime/") ||
		strings.HasSuffix(name, "Vartime")
}
