//go:build !race && !valgrind && !goexperiment.runtimesecret

package secret_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestWipes checks that bytes that a function leaves in the dead part of the stack are still there
// after a plain call, and that Do wipes them at every depth up to its limit. The function returns,
// or it panics and the caller recovers.
func TestWipes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // so that the stack does not move
	for _, test := range []struct {
		name  string
		do    func(func())
		depth int
	}{{"Do", secret.Do, 3 << 10}, {"DoDeep", secret.DoDeep, 31 << 8}} {
		for depth := 0; depth < test.depth-1<<10; depth += 256 {
			for _, panics := range []bool{false, true} {
				secrettest.Paint()
				catch(call, func() { under(depth, func() { scrawl(panics) }) })
				if scrawled() == 0 {
					t.Fatalf("at %d bytes, panics %v: nothing is found without it", depth, panics)
				}
				secrettest.Paint()
				catch(test.do, func() { under(depth, func() { scrawl(panics) }) })
				if n := scrawled(); n != 0 {
					t.Errorf("%s leaves %d bytes at a depth of %d, panics: %v", test.name, n, depth, panics)
				}
			}
		}
		// Check that scrawled, which counts the bytes that scrawl has left, finds bytes that are
		// deeper in the stack than Do wipes.
		secrettest.Paint()
		test.do(func() { under(test.depth, func() { scrawl(false) }) })
		if scrawled() == 0 {
			t.Errorf("%s: what is too deep is not found", test.name)
		}
	}
}

const mark = 0x5e

// scrawl fills its stack frame, which is dead after the call, with bytes of the value mark. Then it
// panics if panics is set.
//
//go:noinline
func scrawl(panics bool) {
	var buf [512]byte
	for i := range buf {
		buf[i] = mark
	}
	if panics {
		panic("scrawl")
	}
	runtime.KeepAlive(&buf)
}

// scrawled returns how many bytes in the dead part of the stack still have the value mark. It
// counts only long runs of this value. It calls no function, because a call would overwrite these
// bytes.
//
//go:noinline
func scrawled() (count int) {
	var here byte
	p := unsafe.Pointer(&here)
	run := 0
	for k := secrettest.MaxDepth; k > 0; k-- {
		if *(*byte)(unsafe.Add(p, -k)) != mark {
			run = 0
		} else if run++; run >= 16 {
			count++
		}
	}
	return count
}
