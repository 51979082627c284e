package contract

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reserved matches, by any of their names, the registers that a function in Go assembly may not
// use. On arm64 these are the platform register (R18), the linker's register, the goroutine
// pointer, the frame pointer and the link register. On riscv64 they are the return address, the
// stack, global and thread pointers, the goroutine pointer and the assembler's temporary. The
// assembler's pseudo-registers FP and SP, in parentheses, are allowed.
var reserved = map[string]*regexp.Regexp{
	"arm64":   regexp.MustCompile(`\b(R18(_PLATFORM)?|R27|REGTMP|R28|g|R29|R30|LR)\b`),
	"riscv64": regexp.MustCompile(`\b(X[1-4]|GP|TP|LR|RA|X27|g|X31|TMP)\b|(^|[\s,])SP\b`),
}

// reservedIn returns the lines of assembly that name a reserved register.
func reservedIn(arch, assembly string) (lines []string) {
	scanner := bufio.NewScanner(strings.NewReader(assembly))
	for scanner.Scan() {
		line := scanner.Text()
		if strings.HasPrefix(line, "\t") && reserved[arch].MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// TestReservedRegisters checks that no .s file in the library names a reserved register. The
// interpreter refuses instructions that write one, but it sees only the generators' lists; this
// test reads the .s files.
func TestReservedRegisters(t *testing.T) {
	for _, tt := range []struct {
		arch     string
		planted  []string
		harmless string
	}{
		{"arm64", []string{
			"MOVD   R18_PLATFORM, R0", "ADD    $1, R18, R18", "LDP    (R0), (R17, R18)", "MOVD   g, R3",
			"MOVD   R0, R27", "EOR    R28, R28, R28", "MOVD   R30, R1", "B      (LR)", "MOVD   R29, 8(RSP)",
		}, "// R18\n\tMOVD   length+8(FP), R1\n\tSTP    (R1, R2), 16(RSP)\n"},
		{"riscv64", []string{
			"ADDI   $1, X1, X5", "ADD    X5, X6, X2", "ADDI   $-8, SP, SP", "MOV    X10, SP",
			"MOV    X3, X5", "MOV    X5, GP", "SD     X4, 8(X10)", "LD     (TP), X5",
			"MOV    X27, X5", "MOV    g, X5",
			"XOR    X31, X31, X31", "MOV    X5, TMP", "MOV    X5, RA", "LD     8(X31), X5",
		}, "// X27\n\tMOV    length+8(FP), X10\n\tSD     X13, 16(SP)\n\tLD     (X30), X12\n"},
	} {
		pattern := filepath.Join("..", "..", "..", "internal", "*", "*_"+tt.arch+".s")
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 6 {
			t.Fatalf("%d files: %v", len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "TEXT") {
				t.Errorf("%s has no function", file)
			}
			for _, line := range reservedIn(tt.arch, string(text)) {
				t.Errorf("%s: %s", file, line)
			}
		}
		for _, planted := range tt.planted {
			if len(reservedIn(tt.arch, "\t"+planted+"\n")) != 1 {
				t.Errorf("%s: %q is not found", tt.arch, planted)
			}
		}
		if found := reservedIn(tt.arch, tt.harmless); len(found) > 0 {
			t.Errorf("%s: found where there is none: %v", tt.arch, found)
		}
	}
}
