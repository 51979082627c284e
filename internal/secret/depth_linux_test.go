//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind && !goexperiment.runtimesecret

package secret_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestDepth checks that no operation uses more stack than Do wipes at the end, because it would
// leave its values there. It fills the unused stack with one byte value, runs the operation, and
// finds the lowest bytes that have changed.
func TestDepth(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	s, err := newSubject()
	if err != nil {
		t.Fatal(err)
	}
	source := rand.NewChaCha8([32]byte{1})
	cputest.Run(t, func(t *testing.T) {
		for i := range exported {
			o := &exported[i]
			if verifies(o.name) {
				continue
			}
			source.Read(s.DE[:])
			secrettest.CheckDepth(t, o.name, func() error { return s.prepare(o) },
				func() error { return o.run(s) })
		}
	}, levels()...)

	// Check that the test can fail: Painted must detect a function that uses too much stack.
	secrettest.Paint()
	secret.Do(func() { under(3<<10, func() { copyOf(slices.Repeat([]byte{1}, 512)) }) })
	if _, rest := secrettest.Painted(); rest <= secrettest.MaxRest {
		t.Errorf("a function that goes too deep is not seen to: only %d bytes are not zero", rest)
	}
}

// verifies reports whether an operation verifies its signature outside of Do. The verification
// needs more stack, but handles only public values. The steps of MuSig2 before it are measured in
// package musig2; the others have an operation that does not verify.
func verifies(name string) bool {
	if name == "musig2.Session.Sign" || name == "musig2.DeterministicSign" {
		return true
	}
	function, rest, _ := strings.Cut(name, " ")
	if function == "schnorr.Sign" || function == "schnorr.AppendSign" {
		return !strings.HasPrefix(rest, "unchecked")
	}
	return strings.HasPrefix(rest, "checked")
}
