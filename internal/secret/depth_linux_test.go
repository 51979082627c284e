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

// TestDepth runs every operation on a stack that was painted. The lowest bytes that
// lose the paint must be those that Do wipes at the end. Otherwise the function that it
// ran went deeper than its room, and its values stay there.
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
			}
		})
	}

	// The method finds a function that goes too deep.
	paint()
	secret.Do(func() { under(3<<10, func() { copyOf(slices.Repeat([]byte{1}, restSize)) }) })
	if _, rest := painted(); rest <= maxRest {
		t.Errorf("a function that goes too deep is not seen to: only %d bytes are not zero", rest)
	}
}

// verifies reports whether an operation verifies its signature outside of Do, which
// goes deeper, with public values alone.
func verifies(name string) bool {
	function, rest, _ := strings.Cut(name, " ")
	if function == "schnorr.Sign" || function == "schnorr.AppendSign" {
		return !strings.HasPrefix(rest, "unchecked")
	}
	return strings.HasPrefix(rest, "checked")
}

// Of the last restSize bytes that lost the paint, at most maxRest are not zero after
// Do: those of the calls that wiped, its own and those of an earlier Do, for the public
// key.
const restSize, maxRest = 512, 64

// attempts is how often an operation may leave more than that. If the runtime interrupts
// Do while it wipes, the registers that it saves lie deeper: they are zero but for
// addresses, which are more than maxRest bytes.
const attempts = 3

// painted returns how far below its frame the paint is lost, and how many of the
// last bytes there are not zero.
//
//go:noinline
func painted() (depth, rest int) {
	var here byte
	p := unsafe.Pointer(&here)
	for depth = paintSize - 512; depth > 0 && *(*byte)(unsafe.Add(p, -depth)) == color; {
		depth--
	}
	for k := depth; k > max(depth-restSize, 0); k-- {
		if *(*byte)(unsafe.Add(p, -k)) != 0 {
			rest++
		}
	}
	return depth, rest
}
