package proof

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

//go:generate clang-15 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O3 -S -I ../../kernels testdata/functions.cu -o testdata/functions.ptx

// TestGenerated checks that testdata/functions.ptx is what clang-15 makes of the functions of
// field.h and scalar.h, with the flags that the kernels are compiled with.
func TestGenerated(t *testing.T) {
	clang, err := exec.LookPath("clang-15")
	if err != nil {
		t.Skip("without clang-15: it compiles to PTX")
	}
	got, err := exec.Command(clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75",
		"-nocudainc", "-nocudalib", "-O3", "-S", "-I", kernels, "testdata/functions.cu",
		"-o", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != read(t, "testdata/functions.ptx") {
		t.Error("testdata/functions.ptx is not made of the headers: go generate")
	}
}

var (
	alone    = regexp.MustCompile(`(?s)\.entry (\w+)_alone\(.*?\n\{\n(.*?)\n\}`)
	compiled = regexp.MustCompile(`%(rd|r|p)(\d+)`)
	load     = regexp.MustCompile(`^ld\.global\.u32 (\w+), \[w2(?:\+(\d+))?\];$`)
	store    = regexp.MustCompile(`^st\.global\.u32 \[w1(?:\+(\d+))?\], (\w+);$`)
	declared = regexp.MustCompile(`^\.reg \.u32 (.*);$`)
)

// rename returns the name of a register of the compiler in blocks.
func rename(r string) string {
	return strings.NewReplacer("%rd", "w", "%r", "c", "%p", "q").Replace(r)
}

// functions returns the kernels of testdata/functions.ptx as blocks. Registers are named c for
// words of 32 bits, w for words of 64, and q for predicates. A load is a move from an operand, and
// a store is a move to the result: words of 64 bits are converted, as loads and stores do.
func functions(t *testing.T) (out []*block) {
	for _, m := range alone.FindAllStringSubmatch(read(t, "testdata/functions.ptx"), -1) {
		b := &block{name: m[1]}
		counts := map[string]int{}
		for l := range strings.Lines(m[2]) {
			l = compiled.ReplaceAllStringFunc(strings.Join(strings.Fields(l), " "), func(r string) string {
				name := rename(r)
				var n int
				if _, err := fmt.Sscan(name[1:], &n); err != nil {
					t.Fatal(err)
				}
				counts[name[:1]] = max(counts[name[:1]], n+1)
				return name
			})
			word := func(offset string) (n int) {
				if offset != "" {
					if _, err := fmt.Sscan(offset, &n); err != nil || n%4 != 0 {
						t.Fatal(l)
					}
				}
				return n / 4
			}
			move := func(to, from, register, wide string) {
				if register[0] == 'w' {
					b.insts = append(b.insts, fmt.Sprintf("cvt.%s %s, %s;", wide, to, from))
				} else {
					b.insts = append(b.insts, fmt.Sprintf("mov.u32 %s, %s;", to, from))
				}
			}
			if m := load.FindStringSubmatch(l); m != nil {
				move(m[1], fmt.Sprint("%", 8+word(m[2])), m[1], "u64.u32")
			} else if m := store.FindStringSubmatch(l); m != nil {
				move(fmt.Sprint("%", word(m[1])), m[2], m[2], "u32.u64")
			} else if m := declared.FindStringSubmatch(l); m != nil {
				b.regs += l + "\n"
			} else if l != "" && l != "{" && l != "}" && l != "ret;" && l[0] != '/' && l[0] != '.' &&
				!strings.HasPrefix(l, "ld.param") {
				b.insts = append(b.insts, l)
			}
		}
		b.regs += fmt.Sprintf(".reg .b32 c<%d>;\n.reg .b64 w<%d>;\n.reg .pred q<%d>;", counts["c"]+2,
			counts["w"]+2, counts["q"]+2)
		out = append(out, b)
	}
	if len(out) == 0 {
		t.Fatal("no function")
	}
	return out
}
