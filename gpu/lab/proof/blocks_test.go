package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const kernels = "../../kernels/"

// A block is one statement of inline assembly, without its braces. In the text of a header, its
// operands are %0 to %7 for the limbs of the result, %8 to %15 for those of a, and %16 to %23 for
// those of b.
type block struct {
	name  string
	regs  string // the declaration of its own registers
	insts []string
}

func read(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	function = regexp.MustCompile(`(?s)DEVICE void (\w+)\(.*?__asm__\((.*?)\n\t\t: `)
	line     = regexp.MustCompile(`"(.*?)(?:\\n\\t)?"`)
	register = regexp.MustCompile(`%\w+|\b[a-z]\d+\b`)
)

// headers returns the blocks of the headers.
func headers(t *testing.T) (out []*block) {
	for _, name := range []string{"ptx.h", "ptx_scalar.h"} {
		for _, m := range function.FindAllStringSubmatch(read(t, kernels+name), -1) {
			var lines []string
			for _, l := range line.FindAllStringSubmatch(m[2], -1) {
				lines = append(lines, l[1])
			}
			out = append(out, &block{m[1], lines[1], lines[2 : len(lines)-1]})
		}
	}
	return out
}

// shipped returns the statements of inline assembly in the PTX that devices run, as lines, by the
// name of the file.
func shipped(t *testing.T) map[string][][]string {
	out := map[string][][]string{}
	names, err := filepath.Glob(kernels + "*.ptx")
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		for _, part := range strings.Split(read(t, name), "// begin inline asm\n")[1:] {
			text, _, ok := strings.Cut(part, "// end inline asm")
			if !ok {
				t.Fatalf("%s: a statement without an end", name)
			}
			var lines []string
			for l := range strings.Lines(text) {
				if l = strings.TrimSpace(l); l != "" {
					lines = append(lines, l)
				}
			}
			base := filepath.Base(name)
			out[base] = append(out[base], lines)
		}
	}
	return out
}

// instance returns an error if the lines are not b with a register for each operand. Registers for
// limbs of the result differ from each other. Other operands may share registers: a proof for all
// inputs includes equal ones.
func (b *block) instance(lines []string) error {
	if len(lines) != len(b.insts)+3 || lines[0] != "{" || lines[1] != b.regs ||
		lines[len(lines)-1] != "}" {
		return fmt.Errorf("%s: another form", b.name)
	}
	to, results := map[string]string{}, map[string]bool{}
	for k, want := range b.insts {
		got := lines[2+k]
		w, g := register.FindAllString(want, -1), register.FindAllString(got, -1)
		if len(w) != len(g) || register.ReplaceAllString(want, "") !=
			register.ReplaceAllString(got, "") {
			return fmt.Errorf("%s: %s, not %s", b.name, got, want)
		}
		for j := range w {
			if w[j][0] != '%' {
				if w[j] != g[j] {
					return fmt.Errorf("%s: %s, not %s", b.name, got, want)
				}
				continue
			}
			if !strings.HasPrefix(g[j], "%r") || to[w[j]] != "" && to[w[j]] != g[j] {
				return fmt.Errorf("%s: %s, not %s", b.name, got, want)
			}
			if to[w[j]] == "" && len(w[j]) == 2 && w[j] < "%8" {
				if results[g[j]] {
					return fmt.Errorf("%s: two limbs of the result in %s", b.name, g[j])
				}
				results[g[j]] = true
			}
			to[w[j]] = g[j]
		}
	}
	return nil
}

// TestShipped compares every statement of inline assembly in the PTX that devices run with the
// blocks of the headers, which are proven. The others have no arithmetic.
func TestShipped(t *testing.T) {
	blocks, count, moves := headers(t), map[string]int{}, 0
	indices := regexp.MustCompile(`^(mov\.u32 %r\d+, %(ctaid|tid)\.x;\s*)+$`)
	for name, statements := range shipped(t) {
	next:
		for _, lines := range statements {
			for _, b := range blocks {
				if b.instance(lines) == nil {
					count[b.name]++
					continue next
				}
			}
			if text := strings.Join(lines, "\n"); indices.MatchString(text) {
				moves++
			} else {
				t.Errorf("%s: a block that is not proven: %s", name, text)
			}
		}
	}
	all := 0
	for _, b := range blocks {
		t.Logf("%s: %d times in the PTX, %d instructions", b.name, count[b.name], len(b.insts))
		if all += count[b.name]; count[b.name] == 0 {
			t.Errorf("%s: never in the PTX", b.name)
		}
	}
	t.Logf("%d occurrences of %d blocks; %d reads of indices", all, len(blocks), moves)
}
