package amd64_test

import (
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
)

// avoText returns the instruction n as text in avo's syntax.
func avoText(n *ir.Instruction) string {
	s := make([]string, len(n.Operands))
	for k, o := range n.Operands {
		s[k] = o.Asm()
	}
	return strings.TrimSpace(n.OpcodeWithSuffixes() + " " + strings.Join(s, ", "))
}

// TestText checks that Load reproduces the text of every instruction of every kernel, and that the
// table has no instructions that are in no kernel, mutant or probe.
func TestText(t *testing.T) {
	all := kernels.All()
	seen, used := 0, map[string]bool{"NOP": true, "ADDB": true, "KMOVQ": true} // probes need these
	mutations := amd64.Table().Mutations
	for i := range all {
		if all[i].List != nil {
			continue // the kernel is for another architecture
		}
		f, err := all[i].Context().Result()
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Compile.Execute(f); err != nil {
			t.Fatal(err)
		}
		for _, fn := range f.Functions() {
			p, err := amd64.Load(f, fn.Name)
			if err != nil {
				t.Fatal(err)
			}
			for k, n := range fn.Instructions() {
				seen++
				i := p.Instruction(k).Instruction
				used[i.Opcode] = true
				for _, other := range mutations.Opcodes(&i) {
					used[other] = true
				}
				if got, want := p.Instruction(k).Text, avoText(n); got != want {
					t.Errorf("%s: instruction %d is %q, want %q", fn.Name, k, got, want)
				}
			}
		}
	}
	if seen < 10000 {
		t.Errorf("%d instructions", seen)
	}
	for op := range amd64.Table().Instructions {
		if mutations.Negated(op) == "" && !used[op] { // only mutants need opposite conditions
			t.Errorf("nothing uses %s", op)
		}
	}
}
