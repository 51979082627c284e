// Package secrettest finds what functions leave in memory: in the dead part of the stack, and in
// all memory of a process.
//
//ci:untested The tests of package secret check that it finds planted values.
package secrettest

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

const (
	paintSize = 1 << 14
	color     = 0xc3
)

// MaxDepth is the depth in bytes to which Painted looks. Paint writes a little deeper.
const MaxDepth = paintSize - 512

// Paint fills the dead part of the stack, below the caller's frame, with bytes of one value.
//
//go:noinline
func Paint() {
	var buf [paintSize]byte
	for i := range buf {
		buf[i] = color
	}
	runtime.KeepAlive(&buf)
}

// Of the restSize bytes at the lowest changed address, at most MaxRest may be nonzero after Do.
// They belong to the frames of the wiping calls, of this Do and of an earlier Do.
const restSize, MaxRest = 512, 64

// Painted finds the lowest byte of the stack that no longer has the value that Paint wrote. It
// returns the distance of this byte from the frame of Painted, and the number of nonzero bytes
// among the 512 bytes from this byte up.
//
//go:noinline
func Painted() (depth, rest int) {
	var here byte
	p := unsafe.Pointer(&here)
	for depth = MaxDepth; depth > 0 && *(*byte)(unsafe.Add(p, -depth)) == color; {
		depth--
	}
	for k := depth; k > max(depth-restSize, 0); k-- {
		if *(*byte)(unsafe.Add(p, -k)) != 0 {
			rest++
		}
	}
	return depth, rest
}

// attempts is the number of attempts after which a function fails if each left more than MaxRest
// nonzero bytes. One attempt is not enough: if the runtime interrupts Do while it wipes, it saves
// the registers deeper in the stack. They hold zeros, and more than MaxRest bytes of addresses.
const attempts = 3

// CheckDepth reports an error if run uses more stack than package secret wipes at the end, because
// run would leave its values there. It calls prepare before each of its attempts.
func CheckDepth(t *testing.T, name string, prepare, run func() error) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // so that the stack does not move
	var depth, rest int
	for range attempts {
		if err := prepare(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		Paint()
		if err := run(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if depth, rest = Painted(); depth <= 1<<10 || rest <= MaxRest {
			break
		}
	}
	if depth > 1<<10 && rest > MaxRest {
		t.Errorf("%s: goes deeper than what is wiped: %d bytes, %d of the last %d are not zero",
			name, depth, rest, restSize)
	}
	if depth == MaxDepth {
		t.Errorf("%s: goes deeper than the %d bytes that the test sees", name, MaxDepth)
	}
}
