package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// assemble returns the bytes that Go's assembler writes for each of the given lines.
func assemble(t *testing.T, lines []string) [][]byte {
	t.Helper()
	const first = "TEXT ·f(SB), 4, $0-0\n" // 4: no check of the stack
	file := filepath.Join(t.TempDir(), "f.s")
	text := first + strings.Join(lines, "\n") + "\n\tRET\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "asm", "-S", "-p", "f", "-o", file+".o", file)
	cmd.Env = append(os.Environ(), "GOARCH=amd64")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var code []byte
	offsets := map[int]int{} // of the line with each number
	at := regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(.*:(\d+)\)\t`)
	dump := regexp.MustCompile(`^\t0x[0-9a-f]{4} ((?:[0-9a-f]{2} )+) `)
	for line := range strings.Lines(string(out)) {
		if m := at.FindStringSubmatch(line); m != nil {
			offset, _ := strconv.Atoi(m[1])
			number, _ := strconv.Atoi(m[2])
			offsets[number] = offset
		} else if m := dump.FindStringSubmatch(line); m != nil {
			b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b...)
		}
	}
	instructions := make([][]byte, len(lines))
	for i := range lines {
		from, ok := offsets[i+2]
		to, next := offsets[i+3]
		if !ok || !next || from >= to || to > len(code) {
			t.Fatalf("the assembler lists no bytes for %s", lines[i])
		}
		instructions[i] = code[from:to]
	}
	return instructions
}

// encoded returns the bytes that vex writes for the given line.
func encoded(t *testing.T, line string) []byte {
	t.Helper()
	text, err := vex(line + "\n")
	if err != nil {
		t.Fatal(err)
	}
	list, comment, _ := strings.Cut(text, " // ")
	if strings.Join(strings.Fields(comment), " ") != strings.Join(strings.Fields(line), " ") {
		t.Fatalf("%s became %s", line, text)
	}
	digits := strings.NewReplacer("\t", "", "BYTE $0x", "", "; ", "").Replace(list)
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatalf("%s became %s", line, text)
	}
	return b
}

// TestVEX compares the bytes of vex with those that Go's assembler writes. The assembler knows
// VFMADD231PD in VEX form, which has the same operands and the same prefix as a multiply-add of
// IFMA, and it knows IFMA in EVEX form, which has the same opcode.
func TestVEX(t *testing.T) {
	general := strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15")
	var operands []string
	for k := range 16 {
		for j := range 16 {
			operands = append(operands, fmt.Sprintf("Y%d, Y%d, Y%d", k, j, (3*k+5*j)%16))
		}
		for _, disp := range []int{128, 320, 0x123456, 1<<31 - 1} {
			operands = append(operands,
				fmt.Sprintf("%d(%s), Y%d, Y%d", disp, general[k], (k+7)%16, (3*k+disp)%16))
		}
		for j, index := range general {
			if index != "SP" {
				operands = append(operands,
					fmt.Sprintf("4096(%s)(%s*1), Y%d, Y%d", general[k], index, (k+j)%16, (k+3*j)%16))
			}
		}
	}
	lines := []string{"\tVPMADD52LUQ Y1, Y2, Y3", "\tVPMADD52HUQ Y1, Y2, Y3"}
	for _, o := range operands {
		lines = append(lines, "\tVFMADD231PD "+o)
	}
	code := assemble(t, lines)
	low, high := code[0][4], code[1][4] // after four bytes of prefix
	const opcode = 3
	for i, o := range operands {
		want := code[i+2]
		for half, b := range map[string]byte{"LUQ": low, "HUQ": high} {
			want[opcode] = b
			line := "\tVPMADD52" + half + " " + o
			if got := encoded(t, line); string(got) != string(want) {
				t.Errorf("%s: % x, want % x", line, got, want)
			}
		}
	}
}

// TestVEXShortDisplacements checks displacements for which the assembler chooses a shorter form
// than vex, which always writes four bytes.
func TestVEXShortDisplacements(t *testing.T) {
	for _, base := range []string{"AX", "SP", "BP", "R12", "R13", "R13)(R9*1"} {
		long := encoded(t, fmt.Sprintf("\tVPMADD52LUQ 128(%s), Y1, Y2", base))
		for _, disp := range []byte{0, 1, 64, 127} {
			want := string(long[:len(long)-4]) + string([]byte{disp, 0, 0, 0})
			line := fmt.Sprintf("\tVPMADD52LUQ %d(%s), Y1, Y2", disp, base)
			if got := encoded(t, line); string(got) != want {
				t.Errorf("%s: % x, want % x", line, got, want)
			}
		}
		line := fmt.Sprintf("\tVPMADD52LUQ (%s), Y1, Y2", base)
		want := string(long[:len(long)-4]) + string(make([]byte, 4))
		if got := encoded(t, line); string(got) != want {
			t.Errorf("%s: % x, want % x", line, got, want)
		}
	}
}

// TestVEXRefuses checks that vex fails for multiply-adds on 256-bit registers that it cannot
// encode. If they stayed in the text, the assembler would write them for AVX-512.
func TestVEXRefuses(t *testing.T) {
	for _, operands := range []string{
		"-8(SI), Y1, Y2", "(SI)(DI*8), Y1, Y2", "(SI)(SP*1), Y1, Y2", "data<>+8(SB), Y1, Y2",
		"(SB), Y1, Y2", "(R16), Y1, Y2", "8(R7), Y1, Y2", "2147483648(SI), Y1, Y2",
		"Y16, Y1, Y2", "Y1, Y31, Y2", "Y1, Y2, Y16", "Y1, Y2, K1, Y3",
	} {
		line := "\tVPMADD52HUQ " + operands + "\n"
		if text, err := vex(line); err == nil {
			t.Errorf("%q became %q", line, text)
		}
	}
	for _, line := range []string{
		"\tVPMADD52LUQ Z1, Z2, Z3\n", "\tVPADDQ Y1, Y2, Y3\n", "// VPMADD52LUQ Y1, Y2, Y3\n",
	} {
		if text, err := vex(line); err != nil || text != line {
			t.Errorf("%q became %q: %v", line, text, err)
		}
	}
}
