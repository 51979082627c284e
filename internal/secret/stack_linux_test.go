//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind && !goexperiment.runtimesecret

package secret_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// TestStackStays checks that a goroutine's stack does not move while Do runs a function: the stack
// must not grow, and a garbage collection must not shrink it.
func TestStackStays(t *testing.T) {
	const verification = 11 << 10 // bytes of stack that a verification needs
	for name, do := range map[string]func(func()){"Do": secret.Do, "DoDeep": secret.DoDeep} {
		for above := 0; above < 1<<14; above += 1024 {
			if moves(above, 0, do, collect) {
				t.Errorf("%s under %d bytes: the stack moves", name, above)
			}
			if moves(above, verification, do, collect) {
				t.Errorf("%s under %d bytes, after a verification: the stack moves", name, above)
			}
		}
		if moves(0, 0, do, func() { use(2 << 10) }) {
			t.Errorf("%s: the stack grows", name)
		}
		if moves(0, 0, do, func() { under(2<<10, func() { panic(do) }) }) {
			t.Errorf("%s: the stack grows for a panic", name)
		}
	}
	if moves(0, 0, secret.DoDeep, func() { use(6 << 10) }) {
		t.Error("DoDeep: the stack grows")
	}

	// Check that the test can fail: moves must return true if nothing prevents the stack from
	// moving. After collections, the runtime may begin stacks with several times 2 KiB.
	if !moves(0, 0, call, func() { use(64 << 10) }) {
		t.Error("a stack that must grow is not seen to")
	}
	if !moves(0, verification, call, collect) {
		t.Error("a stack that a collection halves is not seen to move")
	}
}

// moves reports whether the stack of a new goroutine moves while runner runs f. above is the number
// of bytes of stack in use when runner is called, and used is the number of bytes that an earlier
// function used. f may panic.
func moves(above, used int, runner func(func()), f func()) bool {
	moved := make(chan bool)
	go func() {
		under(above, func() {
			use(used)
			catch(runner, func() {
				var x byte
				p := uintptr(unsafe.Pointer(&x))
				defer func() { moved <- p != uintptr(unsafe.Pointer(&x)) }()
				f()
			})
		})
	}()
	return <-moved
}

// collect runs a garbage collection without using much of the current stack.
func collect() {
	var done atomic.Bool
	go func() {
		runtime.GC()
		done.Store(true)
	}()
	for !done.Load() {
		runtime.Gosched()
	}
}
