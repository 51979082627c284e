package main

import (
	"bufio"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// On most CPUs, the time of a division or a square root depends on its operands, and so does that
// of floating-point arithmetic if a number is very small. Memcheck does not report that, so ctcheck
// searches the machine code of the whole program for these instructions. The functions that may
// contain them are those of the library that may leak their arguments, and a list of functions of
// the standard library. In functions of the library that may leak, only divisions are allowed: see
// follow.

// standard holds functions of the standard library that contain instructions with variable time,
// with the reason why no secret reaches the instructions. A name that ends in a dot or a slash
// stands for all functions of a package or of a folder. Memcheck reports the branches that are
// mentioned here.
var standard = []struct{ name, reason string }{
	{"runtime.", "computes with sizes, addresses and times"},
	{"internal/runtime/", "computes with sizes, addresses and times"},
	{"sync.", "computes with numbers of processors and times"},
	{"bytes.Repeat", "divides lengths"},
	{"strings.Join", "divides lengths"},
	{"internal/strconv.", "branches on the number or the digits"},
	{"math/big.", "branches on its operands"},
	{"fmt.(*pp).printArg", "passes a number on, to functions that branch on it"},
	{"fmt.(*pp).printValue", "passes a number on, to functions that branch on it"},
	{"encoding/json.floatEncoder.encode", "passes a number on, to functions that branch on it"},
	{"internal/fmtsort.compare", "branches on its arguments"},
	{"unicode.is16", "branches on the character"},
	{"unicode.is32", "branches on the character"},
	{"math.archLog", "branches on its argument"},
	{"math.frexp", "branches on its argument"},
	{"math.log2", "calls frexp, which branches on the argument"},
	{"crypto/internal/fips140/aes.expandKeyGeneric", "divides lengths"},
	{"crypto/internal/fips140/ecdsa.pad000", "divides lengths"},
	{"crypto/internal/fips140/sha3.bytepadWrite", "divides lengths"},
}

// excused reports whether standard has a function.
func excused(symbol string) bool {
	for _, s := range standard {
		if strings.HasPrefix(symbol, s.name) &&
			(symbol == s.name || strings.ContainsAny(s.name[len(s.name)-1:], "./")) {
			return true
		}
	}
	return false
}

// divisions matches the instructions with variable time: divisions, square roots, and all
// instructions of the x87 unit.
const divisions = `(I?DIV[BWLQ]|V?(DIV|SQRT)[PS][SD]|F[A-TV-Z0-9][A-Z0-9]*)`

var (
	slow = regexp.MustCompile(`^` + divisions + `$`)
	// slowAssembled matches them in assembly, also after a label and in a macro.
	slowAssembled = regexp.MustCompile(`(^|[\s;:/)])` + divisions + `([\s;]|$)`)
)

// slowCompiled matches further instructions, which the compiler must not use for secrets. Kernels
// may contain floating-point arithmetic: their interpreter checks that its operands are ordinary.
// The disassembler prints a question mark for an instruction that it does not know.
var slowCompiled = regexp.MustCompile(`^((ADD|SUB|MUL)[PS][SD]|CVTS[SD]2S[SD]|\?)$`)

// vector matches the code of VEX and EVEX instructions. The disassembler takes them for others.
// The compiler uses them for floating-point numbers alone, because environment sets GOAMD64.
var vector = regexp.MustCompile(`^(c4|c5|62)`)

// An instruction is one with variable time.
type instruction struct {
	symbol string // function whose machine code contains it, as the linker names it
	pc     uint64 // 0 in an assembly file
	place         // of its source, which may be in an inlined function
	text   string
}

func (i instruction) String() string {
	return fmt.Sprintf("%s:%d: %s", filepath.Base(i.file), i.line, i.text)
}

// slowInstructions returns the instructions with variable time in the functions of a program, and
// in the assembly files of the packages that are built into it.
func slowInstructions(program string, packages []goPackage, files overlay) ([]instruction, error) {
	cmd := exec.Command("go", "tool", "objdump", program)
	listing, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("go tool objdump: %w", err)
	}
	all, symbols := compiled(listing)
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go tool objdump: %w", err)
	}
	if err := locate(program, all); err != nil {
		return nil, err
	}
	for _, p := range packages {
		for _, base := range p.SFiles {
			name := filepath.Join(p.Dir, base)
			text, err := files.read(name)
			if err != nil {
				return nil, err
			}
			for _, i := range assembled(text, p.ImportPath) {
				// Kernels of other packages count if this program contains them. All kernels
				// of the library count, because other programs may contain them.
				if symbols[i.symbol] || strings.HasPrefix(p.ImportPath, library) {
					i.file = name
					all = append(all, i)
				}
			}
		}
	}
	return all, nil
}

// compiled returns the instructions with variable time in the compiled functions of a disassembly,
// and the names of all functions. It leaves out assembly, because the disassembler of Go does not
// know VEX instructions. It decodes the bytes after them from a wrong offset, and prints divisions
// that do not exist.
func compiled(listing io.Reader) (all []instruction, symbols map[string]bool) {
	symbols = map[string]bool{}
	name := ""
	for s := bufio.NewScanner(listing); s.Scan(); {
		fields := strings.Fields(s.Text())
		switch {
		case len(fields) >= 2 && fields[0] == "TEXT":
			name = strings.TrimSuffix(strings.TrimSuffix(fields[1], "(SB)"), ".abi0")
			symbols[name] = true
		case len(fields) < 4 || strings.Contains(fields[0], ".s:"):
		case slow.MatchString(fields[3]), slowCompiled.MatchString(fields[3]),
			vector.MatchString(fields[2]):
			pc, _ := strconv.ParseUint(fields[1], 0, 64)
			all = append(all, instruction{symbol: name, pc: pc, text: strings.Join(fields[3:], " ")})
		}
	}
	return all, symbols
}

// locate sets the places of instructions: the file and the line of the innermost inlined function.
func locate(program string, all []instruction) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := f.Section(".gopclntab").Data()
	if err != nil {
		return err
	}
	lines := gosym.NewLineTable(data, f.Section(".text").Addr)
	table, err := gosym.NewTable(nil, lines)
	if err != nil {
		return fmt.Errorf("the program's table of lines: %w", err)
	}
	for i := range all {
		all[i].file, all[i].line, _ = table.PCToLine(all[i].pc)
	}
	return nil
}

// assembled returns the instructions with variable time in the text of an assembly file of package
// pkg.
func assembled(text, pkg string) (all []instruction) {
	symbol, number := pkg, 0
	for line := range strings.Lines(text) {
		number++
		code, _, _ := strings.Cut(line, "//")
		if fields := strings.Fields(code); len(fields) > 1 && fields[0] == "TEXT" {
			// A name is ·name(SB) or, for another package, path∕to∕pkg·name<>(SB).
			name := strings.NewReplacer("∕", "/", "·", ".", "<>", "").Replace(fields[1])
			name, _, _ = strings.Cut(name, "(")
			// An instruction in a file of the library belongs to the package of that file, even if the
			// symbol names another package.
			if symbol = name; name[0] == '.' || strings.HasPrefix(pkg, library) {
				symbol = pkg + name
			}
		}
		if slowAssembled.MatchString(code) {
			all = append(all, instruction{symbol: symbol, place: place{line: number},
				text: strings.TrimSpace(code)})
		}
	}
	return all
}

// A check is a part of ctcheck. Each planted leak names the one that must find it.
type check string

const (
	branches     check = "memcheck"
	instructions check = "instructions"
)

// A fault is an instruction with variable time in a function that must not leak.
type fault struct {
	function string
	place
	text string
}

func (f fault) String() string {
	return fmt.Sprintf("%s: %s (%s:%d)", f.function, f.text, filepath.Base(f.file), f.line)
}

// judgeInstructions returns the instructions in functions that must not leak. It also returns the
// places of those in the library's functions that may leak, and how many functions of the standard
// library contain further ones.
func judgeInstructions(
	all []instruction, sources map[string]*source,
) (faults []fault, divisions map[place]bool, listed int) {
	divisions, excuses := map[place]bool{}, map[string]bool{}
	for _, i := range all {
		s := sources[i.file]
		switch {
		case s != nil && s.mayLeak(s.function(i.line)):
			divisions[i.place] = true
		case s != nil:
			faults = append(faults, fault{s.name(s.function(i.line)), i.place, i.text})
		case excused(i.symbol):
			excuses[i.symbol] = true
		default:
			faults = append(faults, fault{i.symbol, i.place, i.text})
		}
	}
	return faults, divisions, len(excuses)
}
