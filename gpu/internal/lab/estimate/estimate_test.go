package estimate

import (
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

// disassembled is the beginning of the disassembler's output for two kernels.
const disassembled = `	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM90"
//--------------------- .text.k_a  --------------------------
	.section	.text.k_a,"ax",@progbits
        .global         k_a
k_a:
.text.k_a:
	//## File ".nv_debug_ptx_txt", line 7
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File ".nv_debug_ptx_txt", line 9
        /*0010*/               @P0 IMAD.WIDE.U32.X R4, P1, R2, 0x4, R4, P0 ;
        /*0020*/                   IADD3 R2, R2, 0x1, RZ ;
.L_x_0:
	//## File ".nv_debug_ptx_txt", line 12
        /*10030*/             @!UP0 BRA ` + "`(.L_x_0)" + ` ;
.text.k_b:
	//## File ".nv_debug_ptx_txt", line 20
        /*0000*/                   EXIT ;
`

// TestParse checks which instructions are found, and that output without lines of PTX is refused.
func TestParse(t *testing.T) {
	got, err := Parse(strings.NewReader(disassembled))
	want := []Instruction{{"LDC", 7}, {"IMAD.WIDE.U32.X", 9}, {"IADD3", 9}, {"BRA", 12}}
	if err != nil || len(got) != 2 || !slices.Equal(got["k_a"], want) ||
		!slices.Equal(got["k_b"], []Instruction{{"EXIT", 20}}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, cut := range []string{".text.k_b:\n", "line 20", "line 7"} {
		text := strings.Replace(disassembled, cut, "", 1)
		got, err := Parse(strings.NewReader(text))
		if cut == ".text.k_b:\n" {
			if len(got["k_a"]) != 5 {
				t.Errorf("without the second kernel's name: %v", got)
			}
		} else if err == nil {
			t.Errorf("without %q: %v", cut, got)
		}
	}
}

// TestEstimate checks that each resource can be the one that limits the speed, and that it then
// does so at the GPU's rate for it. The kernel has one instruction on line 5, whose function begins
// on line 3. Code that the compiler has repeated and unknown instructions are errors.
func TestEstimate(t *testing.T) {
	g := GPU{"test", 10, 1000, 128, 64, 16, 256}
	for _, c := range []struct {
		name  string
		times uint64 // executions of the instruction in a row
		bytes [3]uint64
		want  Estimate
	}{
		{"IMAD.WIDE.U32.X", 64, [3]uint64{}, Estimate{Wide: 64, Products: 2, Issue: 0.5, Clocks: 2}},
		{"IMAD.HI.U32", 64, [3]uint64{}, Estimate{Wide: 64, Products: 2, Issue: 0.5, Clocks: 2}},
		{"IMAD.MOV.U32", 128, [3]uint64{}, Estimate{Low: 128, Products: 2, Issue: 1, Clocks: 2}},
		{"IMAD", 128, [3]uint64{}, Estimate{Low: 128, Products: 2, Issue: 1, Clocks: 2}},
		{"IADD3.X", 64, [3]uint64{}, Estimate{Integer: 4, Issue: 0.5, Clocks: 4}},
		{"LDG.E", 64, [3]uint64{256, 512, 1024}, Estimate{Memory: 7, Issue: 0.5, Clocks: 7}},
		{"BRA", 256, [3]uint64{}, Estimate{Issue: 2, Clocks: 2}},
		{"VIADDMNMX.U32", 64, [3]uint64{}, Estimate{Integer: 4, Issue: 0.5, Clocks: 4}},
	} {
		const rows = 4
		counts := ptx.Counts{Global: rows * c.bytes[0], Shared: rows * c.bytes[1],
			Local: rows * c.bytes[2], Lines: map[int]uint64{5: rows * c.times, 6: 1 << 40}}
		c.want.Instructions = float64(c.times)
		c.want.Rate = 10 * 1000 / c.want.Clocks
		for _, line := range []int{3, 5} {
			got, err := g.Estimate([]Instruction{{c.name, line}}, &counts, rows)
			if err != nil || got != c.want {
				t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
			}
		}
	}
	counts := ptx.Counts{Lines: map[int]uint64{5: 1, 6: 0}}
	for want, code := range map[string][]Instruction{
		"two wide products are of line 5": {{"IMAD.WIDE", 5}, {"IADD3", 5}, {"IMAD.WIDE.U32", 5}},
		"line 7":                          {{"MOV", 7}},
		"no instruction IADD4.X":          {{"IADD3", 5}, {"IADD4.X", 5}},
	} {
		e, err := g.Estimate(code, &counts, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %+v, %v", code, e, err)
		}
	}
}
