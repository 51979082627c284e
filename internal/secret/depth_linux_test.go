//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind && !goexperiment.runtimesecret

package secret_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/secret"
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
	for _, level := range levels() {
		t.Run(string(level), func(t *testing.T) {
			cputest.Use(t, level)
			for i := range exported {
				o := &exported[i]
				if verifies(o.name) {
					continue
				}
				var depth, rest int
				source.Read(s.DE[:])
				for range attempts {
					if err := s.prepare(o); err != nil {
						t.Fatal(err)
					}
					paint()
					if err := o.run(s); err != nil {
						t.Fatal(err)
					}
					if depth, rest = painted(); depth <= 1<<10 || rest <= maxRest {
						break
					}
				}
				if depth > 1<<10 && rest > maxRest {
					t.Errorf("%s: goes deeper than what is wiped: %d bytes, %d of the last %d are not zero",
						o.name, depth, rest, restSize)
				}
				if depth == maxDepth {
					t.Errorf("%s: goes deeper than the %d bytes that the test sees", o.name, maxDepth)
				}
			}
		})
	}

	// Check that the test can fail: painted must detect a function that uses too much stack.
	paint()
	secret.Do(func() { under(3<<10, func() { copyOf(slices.Repeat([]byte{1}, restSize)) }) })
	if _, rest := painted(); rest <= maxRest {
		t.Errorf("a function that goes too deep is not seen to: only %d bytes are not zero", rest)
	}
}

// verifies reports whether an operation verifies its signature outside of Do. The verification
// needs more stack, but handles only public values.
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

// Of the restSize bytes at the lowest changed address, at most maxRest may be nonzero after Do.
// They belong to the frames of the wiping calls, of this Do and of an earlier Do that computed the
// public key.
const restSize, maxRest = 512, 64

// attempts is the number of attempts after which an operation fails if each left more than maxRest
// nonzero bytes. One attempt is not enough: if the runtime interrupts Do while it wipes, it saves
// the registers deeper in the stack. They hold zeros, and more than maxRest bytes of addresses.
const attempts = 3

// maxDepth is the depth to which painted looks. paint writes a little more.
const maxDepth = paintSize - 512

// painted finds the lowest byte of the stack that no longer has the value color, which paint wrote.
// It returns the distance of this byte from the frame of painted, and the number of nonzero bytes
// among the restSize bytes from this byte up.
//
//go:noinline
func painted() (depth, rest int) {
	var here byte
	p := unsafe.Pointer(&here)
	for depth = maxDepth; depth > 0 && *(*byte)(unsafe.Add(p, -depth)) == color; {
		depth--
	}
	for k := depth; k > max(depth-restSize, 0); k-- {
		if *(*byte)(unsafe.Add(p, -k)) != 0 {
			rest++
		}
	}
	return depth, rest
}
