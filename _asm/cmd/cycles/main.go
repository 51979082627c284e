// Command cycles prints the number of cycles that kernels take according to llvm-mca. That program
// simulates the pipes of a CPU, but neither caches nor jumps:
//
//	GOWORK=off go run ./cmd/cycles -package point -cpu sifive-u74
//	GOWORK=off go run ./cmd/cycles -arch arm64 -package point -cpu neoverse-v1
//
// For a kernel with a loop, it simulates a hundred iterations of the loop. For another kernel, it
// simulates a hundred successive calls. It needs LLVM 19 (Debian: llvm-19).
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os/exec"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

func main() {
	log.SetFlags(0)
	pkg := flag.String("package", "", "folder under internal; empty: all")
	arch := flag.String("arch", "riscv64", "GOARCH of the kernels: riscv64 or arm64")
	cpu := flag.String("cpu", "", "as llvm-mca names it; empty: sifive-u74 or neoverse-v2")
	tool := flag.String("mca", "llvm-mca-19", "llvm-mca")
	flag.Parse()
	a, ok := architectures[*arch]
	if !ok {
		log.Fatalf("no architecture %q", *arch)
	}
	if *cpu == "" {
		*cpu = a.cpu
	}
	for _, k := range kernels.All() {
		if k.GOARCH() != *arch || *pkg != "" && *pkg != k.Package {
			continue
		}
		n, cycles, err := a.measure(&k, *tool, *cpu)
		if err != nil {
			log.Fatalf("%s: %v", k.Name, err)
		}
		fmt.Printf("%-34s %6d instructions %9.2f cycles\n", k.Package+"."+k.Name, n, cycles)
	}
}

const iterations = 100

// An architecture has the name that LLVM gives it, the default CPU to simulate, and a function that
// writes an instruction in LLVM's syntax.
type architecture struct {
	triple, cpu string
	gnu         func(*interp.Inst) string
}

// architectures maps GOARCH to the description of that architecture for llvm-mca.
var architectures = map[string]architecture{
	"arm64":   {"aarch64", "neoverse-v2", gnuARM64},
	"riscv64": {"riscv64", "sifive-u74", gnuRISCV64},
}

// measure simulates the kernel k with llvm-mca, whose executable is tool. It returns the number of
// instructions in the simulated part of the kernel, and the cycles that this part takes.
func (a architecture) measure(k *kernels.Kernel, tool, cpu string) (int, float64, error) {
	p, err := k.Function().Program()
	if err != nil {
		return 0, 0, err
	}
	from, to := body(p)
	var text strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintln(&text, a.gnu(p.Instruction(i)))
	}
	text.WriteString("away:\n")
	cmd := exec.Command(tool, "-mtriple="+a.triple, "-mcpu="+cpu,
		fmt.Sprint("-iterations=", iterations))
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

// body returns the range [start, end) of the instructions to simulate: the loop of a function
// including its jump back, or, if there is no loop, all instructions before the return.
func body(p *interp.Program) (start, end int) {
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
