// Command cycles prints how many cycles kernels take by llvm-mca, which knows the pipes of a
// CPU, but no caches and no jumps:
//
//	GOWORK=off go run ./cmd/cycles -package point -cpu sifive-u74
//
// A kernel with a loop is its loop, that follows itself a hundred times; another one is called
// a hundred times, each after the one before. It needs LLVM 19 (Debian: llvm-19).
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os/exec"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

func main() {
	log.SetFlags(0)
	pkg := flag.String("package", "", "folder under internal; empty: all")
	cpu := flag.String("cpu", "sifive-u74", "as llvm-mca names it")
	tool := flag.String("mca", "llvm-mca-19", "llvm-mca")
	flag.Parse()
	for _, k := range kernels.All() {
		if k.GOARCH() != "riscv64" || *pkg != "" && *pkg != k.Package {
			continue
		}
		n, cycles, err := measure(&k, *tool, *cpu)
		if err != nil {
			log.Fatalf("%s: %v", k.Name, err)
		}
		fmt.Printf("%-34s %6d instructions %9.2f cycles\n", k.Package+"."+k.Name, n, cycles)
	}
}

const iterations = 100

// measure returns the number of instructions that are measured, and of cycles.
func measure(k *kernels.Kernel, tool, cpu string) (int, float64, error) {
	p, err := k.Function().Program()
	if err != nil {
		return 0, 0, err
	}
	from, to := body(p)
	var text strings.Builder
	for i := from; i < to; i++ {
		line, err := gnu(p.Instruction(i))
		if err != nil {
			return 0, 0, err
		}
		fmt.Fprintln(&text, line)
	}
	text.WriteString("away:\n")
	cmd := exec.Command(tool, "-mtriple=riscv64", "-mcpu="+cpu, fmt.Sprint("-iterations=", iterations))
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			err = fmt.Errorf("%w\n%s", err, e.Stderr)
		}
		return 0, 0, err
	}
	for line := range strings.Lines(string(out)) {
		var n int
		if _, err := fmt.Sscanf(line, "Total Cycles: %d", &n); err == nil {
			return to - from, float64(n) / iterations, nil
		}
	}
	return 0, 0, fmt.Errorf("%s prints no cycles", tool)
}

// body returns the loop of a function with the jump back, or what comes before it returns.
func body(p *interp.Program) (from, to int) {
	for k := range p.Len() {
		switch i := p.Instruction(k); {
		case i.Target >= 0 && i.Target < k:
			return i.Target, k + 1
		case i.Kind.Control == interp.Return:
			return 0, k
		}
	}
	return 0, p.Len()
}

// gnu returns an instruction as LLVM reads it: the destination first, and then the sources in
// the order of the manual.
func gnu(i *interp.Inst) (string, error) {
	opcode := strings.ToLower(i.Opcode)
	var operands []string
	for k := len(i.Operands) - 1; k >= 0; k-- {
		o := &i.Operands[k]
		switch o.Kind {
		case interp.General:
			operands = append(operands, fmt.Sprintf("x%d", o.Index))
		case interp.Immediate:
			operands = append(operands, fmt.Sprint(int64(o.Imm)))
		case interp.Label:
			operands = append(operands, "away")
		case interp.Memory:
			switch o.Base {
			case interp.Frame, interp.Arguments:
				operands = append(operands, fmt.Sprintf("%d(x2)", o.Disp+table.Locals))
			default:
				operands = append(operands, fmt.Sprintf("%d(x%d)", o.Disp, o.Base))
			}
		default:
			return "", fmt.Errorf("the operand %s", o.Text)
		}
	}
	switch opcode {
	case "mov":
		opcode = "mv"
	case "jmp":
		opcode = "j"
	case "sd", "sw", "sb":
		operands[0], operands[1] = operands[1], operands[0]
	case "beq", "bne", "blt", "bge", "bltu", "bgeu":
		operands[0], operands[2] = operands[2], operands[0]
	}
	return opcode + " " + strings.Join(operands, ", "), nil
}
