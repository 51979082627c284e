// Package estimate computes how fast a GPU of compute capability 9.0 can run kernels at best. It
// takes the machine instructions (SASS) from the output of NVIDIA's disassembler, and how often
// each is executed from the interpreter of package ptx, by the line of PTX from which the compiler
// has made it. It is a model, and no measurement:
//
//   - The four schedulers of a multiprocessor issue one instruction a clock each, for 32 work
//     items.
//   - IMAD, IMAD.MOV and the like go through one pipe, 64 work items a clock. IMAD.WIDE and
//     IMAD.HI take twice as long. NVIDIA publishes the first rate (CUDA C++ Programming Guide,
//     throughput of native arithmetic instructions); the second is inferred, because a product
//     with both halves has twice the result.
//   - All other arithmetic on 32-bit integers goes through a second pipe, 64 work items a clock.
//   - Loads and stores hit the first cache, which delivers 128 bytes a clock.
//   - Branches, barriers, conversions to integers, moves of special registers and between lanes,
//     instructions for a whole warp (the uniform datapath), and constants that HFMA2 makes only
//     take their share of what is issued.
//
// Instructions count as issued to whole warps: an instruction that one work item executes while the
// others wait costs as much as one that the whole warp executes. The estimate is the time of the
// slowest of these resources. It leaves out latency, cache misses and the end of a launch; a kernel
// that reaches two thirds of it is good.
package estimate

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

// A GPU holds the figures of a GPU that the model uses. Rates are for one multiprocessor: work
// items per clock.
type GPU struct {
	Name            string
	Multiprocessors int
	MHz             int
	Issue           float64 // instructions issued
	Multiply        float64 // multiplications that have a half of the product as result
	Integer         float64 // other arithmetic instructions
	Bytes           float64 // bytes loaded and stored
}

// H200 is NVIDIA's H200 SXM at its highest clock.
var H200 = GPU{"H200", 132, 1980, 128, 64, 64, 128}

// An Instruction is a machine instruction: its name with suffixes, such as IMAD.WIDE.U32.X, and the
// line of PTX from which it was made.
type Instruction struct {
	Name string
	Line int
}

// Expressions that match lines of the disassembler's output.
var (
	section     = regexp.MustCompile(`^\.text\.(\w+):`)
	position    = regexp.MustCompile(`^\s*//## File ".*", line (\d+)`)
	instruction = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)`)
)

// Parse reads the output of nvdisasm -c -gp for a file that ptxas -lineinfo has made. It returns
// the instructions of each kernel, which include those of the functions that it calls.
func Parse(r io.Reader) (kernels map[string][]Instruction, err error) {
	kernels = make(map[string][]Instruction)
	var kernel string
	line := 0
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if m := section.FindStringSubmatch(text); m != nil {
			kernel, line = m[1], 0
		} else if m := position.FindStringSubmatch(text); m != nil {
			if line, err = strconv.Atoi(m[1]); err != nil {
				return nil, fmt.Errorf("estimate: line %d: %w", n, err)
			}
		} else if m := instruction.FindStringSubmatch(text); m != nil {
			if kernel == "" || line == 0 {
				return nil, fmt.Errorf("estimate: line %d has an instruction of no kernel or of no line of "+
					"PTX; is the output of nvdisasm -c -gp, and was ptxas called with -lineinfo?", n)
			}
			kernels[kernel] = append(kernels[kernel], Instruction{m[1], line})
		}
	}
	return kernels, lines.Err()
}

// An Estimate is the result of the model for one row. The times are clocks of one multiprocessor.
type Estimate struct {
	Instructions                     float64 // executed by the row
	Wide, Low                        float64 // multiplications of both halves, and others
	Products, Integer, Memory, Issue float64

	Clocks float64 // greatest of the four times
	Rate   float64 // million rows per second on the whole GPU
}

// Estimate returns the estimate for a kernel with the given machine instructions. c holds the
// counts of the interpreter for the kernel's PTX and the given number of rows. Estimate returns an
// error if the compiler has repeated code: then the PTX does not tell how often a copy is executed.
// It also returns an error for an instruction that the model does not know.
func (g *GPU) Estimate(code []Instruction, c *ptx.Counts, rows int) (e Estimate, err error) {
	counted := make([]int, 0, len(c.Lines))
	for line := range c.Lines {
		counted = append(counted, line)
	}
	slices.Sort(counted)
	integer := 0.0
	wide := make(map[int]bool) // lines of PTX with a multiplication of both halves
	for _, in := range code {
		// The disassembler gives the first instructions of a function the line of the function's
		// head, which is not executed. They are executed as often as the next line with a count.
		at, _ := slices.BinarySearch(counted, in.Line)
		if at == len(counted) {
			return e, fmt.Errorf("estimate: no instruction is on line %d or after it", in.Line)
		}
		times := float64(c.Lines[counted[at]]) / float64(rows)
		e.Instructions += times
		switch name, _, _ := strings.Cut(in.Name, "."); {
		case strings.HasPrefix(in.Name, "IMAD.WIDE"):
			if wide[in.Line] {
				return e, fmt.Errorf("estimate: two wide products are of line %d", in.Line)
			}
			wide[in.Line] = true
			e.Wide += times
		case strings.HasPrefix(in.Name, "IMAD.HI"):
			e.Wide += times
		case name == "IMAD":
			e.Low += times
		case slices.Contains(integers, name):
			integer += times
		case !slices.Contains(others, name):
			return e, fmt.Errorf("estimate: the model has no instruction %s", in.Name)
		}
	}
	e.Products = (2*e.Wide + e.Low) / g.Multiply
	e.Integer = integer / g.Integer
	e.Memory = float64(c.Global+c.Shared+c.Local) / float64(rows) / g.Bytes
	e.Issue = e.Instructions / g.Issue
	e.Clocks = max(e.Products, e.Integer, e.Memory, e.Issue)
	e.Rate = float64(g.Multiprocessors) * float64(g.MHz) / e.Clocks
	return e, nil
}

// integers are the instructions of the second pipe.
var integers = []string{"BMSK", "FLO", "I2F", "IADD3", "IABS", "IMNMX", "ISETP", "LEA", "LOP3",
	"MOV", "PLOP3", "POPC", "PRMT", "SEL", "SGXT", "SHF", "VIADD", "VIADDMNMX", "VIMNMX"}

// others are the instructions that go through neither pipe of integers.
var others = []string{
	"LD", "LDC", "LDG", "LDL", "LDS", "ST", "STG", "STL", "STS", "ATOMG", "REDG", // memory
	"BAR", "BRA", "BREAK", "BSSY", "BSYNC", "CALL", "EXIT", "NOP", "RET", "WARPSYNC", "YIELD",
	"CS2R", "F2I", "HFMA2", "MUFU", "P2R", "R2UR", "REDUX", "S2R", "S2UR", "SHFL", "VOTE",
	"UFLO", "UIADD3", "UISETP", "ULDC", "ULEA", "UMOV", "UPLOP3", "USEL", "USHF", "VOTEU",
}
