package measure

import (
	"context"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// TestC11 checks that all benchmark kernels, compiled as C11, compute the same results as the CPU,
// both with sanitizers and with work items in reverse order.
func TestC11(t *testing.T) {
	// The program Rows has the kernels that make the tables of multiples of G.
	source := kernels.Rows().Source + kernels.Bench().Source
	for name, flags := range map[string][]string{
		"sanitized": slices.Concat(c11test.Sanitized, c11test.Strict),
		"backward":  c11test.Backward,
	} {
		t.Run(name, func(t *testing.T) {
			h, wait := c11test.Start(t, c11test.Compile(t, source, flags...))
			o := least(Rates, Memory, Field, Points)
			o.Sizes = []int{3, 130} // batch inverses divide these rows into unequal parts
			o.Launch = 10           // nanoseconds: the time for four iterations of two work items
			o.set()
			b := &bench{report: new(Report), o: &o, info: h.Info(), dev: h, in: newInputs(o.Seed, 130)}
			if err := b.sections(context.Background()); err != nil || b.wrong != nil {
				t.Errorf("%v, %v", err, b.wrong)
			}
			checkRows(t, b.report, o)
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
