package contract

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
)

// Hunt runs each mutant on the calls until one call fails. It returns the number of mutants for
// which a call failed, and the mutants that passed all calls. If a call of the kernel itself fails,
// the calls say nothing, and no mutant counts as found.
func Hunt(r *Runner, mutants []mutant.Mutant, calls []*Call) (killed int, alive []mutant.Mutant) {
	if r.reveals(r.program, calls) {
		return 0, mutants
	}
	for k := range mutants {
		m := &mutants[k]
		p, err := r.program.Replace(m.Index, m.Instruction)
		if err != nil { // the mutant cannot be assembled
			continue
		}
		if r.reveals(p, calls) {
			killed++
		} else {
			alive = append(alive, *m)
		}
	}
	return killed, alive
}

func (r *Runner) reveals(p *interp.Program, calls []*Call) bool {
	for _, c := range calls {
		if r.Run(p, c) != nil {
			return true
		}
	}
	return false
}

// List returns the mutants as text, one per line.
func List(ms []mutant.Mutant) string {
	var b strings.Builder
	for k := range ms {
		b.WriteString(ms[k].String())
		b.WriteByte('\n')
	}
	return b.String()
}
