//go:build !race

package secp256k1

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

const (
	depth   = 24 << 10 // size in bytes of the part of the stack that the test examines
	skipped = 256      // distance in bytes from a variable of look to that part
	painted = 0xa5
)

// below runs f, and then returns the contents of the stack below its own frame, where f ran. It
// overwrites that part of the stack before it runs f.
func below(f func()) []byte {
	out := make([]byte, depth)
	paint()
	f()
	look(out)
	return out
}

//go:noinline
func paint() {
	var buf [depth + 2*skipped]byte
	for i := range buf {
		buf[i] = painted
	}
	runtime.KeepAlive(&buf)
}

//go:noinline
func look(out []byte) {
	var here byte
	for i := range out {
		out[len(out)-1-i] = *(*byte)(unsafe.Add(unsafe.Pointer(&here), -skipped-i))
	}
}

// TestStack checks that signing and multiplying leave no word of the secret on the stack.
func TestStack(t *testing.T) {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(0x9d + 37*i)
	}
	found := func(f func()) bool {
		stack := below(f)
		if !slices.ContainsFunc(stack, func(b byte) bool { return b != painted }) {
			t.Error("the call was not seen")
		}
		backward := bytes.Clone(key)
		slices.Reverse(backward)
		for _, k := range [][]byte{key, backward} {
			for word := range slices.Chunk(k, 8) {
				if bytes.Contains(stack, word) {
					return true
				}
			}
		}
		return false
	}
	c := S256()
	for name, f := range map[string]func(){
		"Sign":           func() { Sign(make([]byte, 32), key) },
		"ScalarMult":     func() { c.ScalarMult(c.Gx, c.Gy, key) },
		"ScalarBaseMult": func() { c.ScalarBaseMult(key) },
		"valid":          func() { valid(key) },
	} {
		if found(f) {
			t.Errorf("%s leaves the secret on the stack", name)
		}
	}
	if !found(func() { leave(key) }) {
		t.Error("a copy is not found")
	}
}

// leave leaves a copy of b on the stack, deep enough to be found.
//
//go:noinline
func leave(b []byte) {
	var buf [600]byte
	copy(buf[:], b)
	runtime.KeepAlive(&buf)
}
