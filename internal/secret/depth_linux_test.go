//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind && !goexperiment.runtimesecret

package secret_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// TestDepth checks that no operation uses more stack than Do wipes at the end, because it would
// leave its values there. It fills the unused stack with one byte value, runs the operation, and
// finds the lowest bytes that have changed.
func TestDepth(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	x := operations.NewOperands()
	source := rand.NewChaCha8([32]byte{1})
	cputest.Run(t, func(t *testing.T) {
		for i := range exported {
			o := &exported[i]
			// The verification of a new signature needs more stack, but handles only public values.
			// Of the steps of MuSig2 before it, package musig2 measures the depth.
			if o.needs&operations.Verifies != 0 {
				continue
			}
			source.Read(x.DE[:])
			secrettest.CheckDepth(t, o.name, func() error { return x.Prepare(o.needs) },
				func() error { return o.run(x) })
		}
	}, levels()...)

	// Check that the test can fail: Painted must detect a function that uses too much stack.
	secrettest.Paint()
	secret.Do(func() { under(3<<10, func() { copyOf(slices.Repeat([]byte{1}, 512)) }) })
	if _, rest := secrettest.Painted(); rest <= secrettest.MaxRest {
		t.Errorf("a function that goes too deep is not seen to: only %d bytes are not zero", rest)
	}
}
