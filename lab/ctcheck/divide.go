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

// memcheck does not report a division whose operands are secret, and the time
// of a division depends on them on most CPUs. So there must be none at all in
// code that is constant time.

// disassemble returns the library's functions in the program, and the planted
// division, as go tool objdump writes them.
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

// divisionsIn returns the functions of the program, and the assembly files, in which
// there is a division, each with its first one.
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

// dividing returns the first division in the text of an assembly file, or "".
// go tool objdump is no help there: it does not know VEX instructions, loses its
// place after them and sees divisions where there are none.
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

// divisions returns the functions with a division instruction, each with the
// place of its first one. Functions that may leak are left out, and so is
// assembly, whose source dividing reads.
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

// divides returns whether the mnemonic is one of amd64's divisions of integers
// or floating-point numbers.
func divides(mnemonic string) bool {
	m := strings.TrimPrefix(strings.TrimPrefix(mnemonic, "V"), "I")
	return strings.HasPrefix(m, "DIV")
}

// mayLeak returns whether a function says of itself that its time depends on its
// arguments.
func mayLeak(name string) bool {
	return strings.HasPrefix(name, library+"/internal/vartime.") ||
		strings.HasPrefix(name, library+"/internal/vartime/") ||
		strings.HasSuffix(name, "Vartime")
}
