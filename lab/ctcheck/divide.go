package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// On most CPUs, the time of a division depends on its operands, but memcheck does not report a
// division of secrets. So constant-time code must not contain any division.

// disassemble returns the machine code of the library's functions in the program, in the format of
// go tool objdump. It includes the subject's function that divides on purpose.
func disassemble(program string) (string, error) {
	pattern := "^(" + library + "|" + plantedDivision + "$)"
	out, err := exec.Command("go", "tool", "objdump", "-s", pattern, program).Output()
	if err != nil {
		return "", fmt.Errorf("go tool objdump: %w", err)
	}
	return string(out), nil
}

const plantedDivision = "main.plantedDivision"

// assembly returns the names of the library's assembly files that are built into the program.
func assembly(packages []goPackage) (names []string) {
	for _, p := range packages {
		for _, name := range p.SFiles {
			names = append(names, filepath.Join(p.Dir, name))
		}
	}
	return names
}

// divisionsIn returns the functions of the program and the assembly files that contain a division.
// The map's value is the place or the text of the first division.
func divisionsIn(program string, packages []goPackage) (map[string]string, error) {
	listing, err := disassemble(program)
	if err != nil {
		return nil, err
	}
	found := divisions(strings.NewReader(listing))
	for name, place := range found {
		public, err := inPublicCode(name, place, packages)
		if err != nil {
			return nil, err
		}
		if public {
			delete(found, name)
		}
	}
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

// inPublicCode reports whether a division is in a package that no secret reaches, or in a function
// with the directive //ct:public. name is the function in a disassembly, and place begins with its
// file and line.
func inPublicCode(name, place string, packages []goPackage) (bool, error) {
	file, rest, _ := strings.Cut(place, ":")
	number, _, _ := strings.Cut(rest, ":")
	line, _ := strconv.Atoi(number)
	for _, p := range packages {
		if !strings.HasPrefix(name, p.ImportPath+".") {
			continue
		}
		if publicPackages[p.name()] != "" {
			return true, nil
		}
		src, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return false, err
		}
		s, err := parseSource(src)
		if err != nil {
			return false, err
		}
		fn := s.function(line)
		return fn != nil && s.public(fn), nil
	}
	return false, nil
}

// dividing returns the first line with a division in the text of an assembly file, or "". The
// disassembly of go tool objdump cannot be used: objdump does not know VEX instructions, decodes
// the bytes after them from a wrong offset, and prints divisions that do not exist.
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

// divisions returns the functions in a disassembly that contain a division, each with the place of
// the first one. It leaves out functions with a name that permits leaks. It also leaves out
// assembly, because dividing checks its source.
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

// divides reports whether a mnemonic of amd64 divides integers or floating-point numbers.
func divides(mnemonic string) bool {
	m := strings.TrimPrefix(strings.TrimPrefix(mnemonic, "V"), "I")
	return strings.HasPrefix(m, "DIV")
}

// mayLeak reports whether a function's name says that its time may depend on its arguments.
func mayLeak(name string) bool {
	return strings.HasPrefix(name, library+"/internal/vartime.") ||
		strings.HasPrefix(name, library+"/internal/vartime/") ||
		strings.HasSuffix(name, "Vartime")
}
