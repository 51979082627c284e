package equation

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// onC11 returns a runner that runs the kernels compiled as C11. The function wait ends the runner
// and returns its error.
func onC11(t *testing.T, flags ...string) (r *runner, wait func() error) {
	t.Helper()
	h, end := c11test.Start(t, c11test.Compile(t, kernels.Sums().Source, flags...))
	r, err := newRunner(h)
	if err != nil {
		t.Fatal(err)
	}
	return r, func() error {
		if err := r.close(); err != nil {
			return err
		}
		return end()
	}
}

// TestChain checks that the stages of an equation, run in the order in which calls launch them,
// give batches the right verdicts, and that the sums of the equations are the oracle's. The kernels
// are compiled as C11 and run with sanitizers, with work items in reverse order, and with work
// items that do not see each other's writes.
func TestChain(t *testing.T) {
	for name, flags := range map[string][]string{
		"sanitized": slices.Concat(c11test.Sanitized, c11test.Strict),
		"backward":  c11test.Backward,
		"apart":     c11test.Apart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, wait := onC11(t, flags...)
			sizes := []int{2, 9}
			if name == "apart" { // Apart copies all memory for each work item: slow
				sizes = sizes[:1]
			}
			for _, n := range sizes {
				for i, b := range hostile.Batches(n) {
					if err := r.check(&b, 1+i%2); err != nil {
						t.Error(err)
					}
					if n > 2 {
						continue
					}
					if err := r.checkSums(&b); err != nil {
						t.Errorf("%s: %v", b.What, err)
					}
				}
			}
			// Add up records in more steps than a call does, so that sums are longer than 256 bits.
			// In the steps of a call this would take more rows than a test has time for.
			r.adds = []add{{4, 9}, {1, 4}}
			for _, b := range hostile.Batches(9)[:2] {
				if err := r.checkSums(&b); err != nil {
					t.Errorf("%s: %v", b.What, err)
				}
			}
			r.adds = nil
			if name != "apart" { // this batch has more rows than a group
				for _, b := range hostile.Batches(131)[:3] {
					if err := r.check(&b, 1); err != nil {
						t.Error(err)
					}
				}
			}
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkSums computes the equation of a batch, and returns an error unless the sums are those that
// the oracle computes with the same coefficients.
func (r *runner) checkSums(b *hostile.Batch) error {
	c := b.Call()
	var total Total
	if err := r.part(&total, c, 0, c.Rows); err != nil {
		return err
	}
	curve, base, sum := reference.Secp256k1(), new(big.Int), reference.Point{}
	rows := [4]bool{}
	for _, terms := range b.Set.Equation(r.answer.drawn[:seedBytes]) {
		rows[terms.Verdict] = true
		if terms.Verdict != device.Valid {
			continue
		}
		base.Add(base, terms.Base).Mod(base, reference.N())
		for k, p := range terms.Points {
			sum = curve.Add(sum, curve.ScalarMult(terms.Scalars[k], p))
		}
	}
	want := [64]byte{}
	if !sum.IsInfinity() {
		sum.X.FillBytes(want[:32])
		sum.Y.FillBytes(want[32:])
	}
	gotBase := total.base.Bytes()
	switch {
	case rows != total.rows:
		return fmt.Errorf("rows of verdicts %v, want %v", total.rows, rows)
	case new(big.Int).SetBytes(gotBase).Cmp(base) != 0:
		return fmt.Errorf("%x·G, want %x·G", gotBase, base)
	case total.sum.Bytes() != want:
		return fmt.Errorf("the terms come to %x, want %x", total.sum.Bytes(), want)
	}
	return nil
}
