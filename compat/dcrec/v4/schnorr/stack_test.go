//go:build !race

package schnorr

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// depth is the size in bytes of the part of the stack that these tests examine. That part starts at
// the frame of the function named below and extends downward.
const depth = 24 << 10

// below runs f, and then returns the contents of the stack below its own frame, where f ran. It
// overwrites that part of the stack before it runs f.
func below(f func()) []byte {
	out := make([]byte, depth)
	paint()
	f()
	look(out)
	return out
}

const painted = 0xa5

// skipped is the distance in bytes from the variable called here, in the frame of the function
// look, down to the part of the stack that look reads.
const skipped = 256

// paint overwrites the stack below the frame of its caller, which also makes the stack large
// enough.
//
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

// traces returns the bytes of s in words of 8 bytes, big-endian and little-endian. A stack with a
// copy of s contains at least one of these words.
func traces(s *secp256k1.ModNScalar) (words [][]byte) {
	b := s.Bytes()
	for _, order := range []func([]byte){func([]byte) {}, slices.Reverse[[]byte]} {
		c := bytes.Clone(b[:])
		order(c)
		for i := 0; i < len(c); i += 8 {
			words = append(words, c[i:i+8])
		}
	}
	return words
}

// TestStack checks that Sign leaves neither the key nor the nonce on the stack.
func TestStack(t *testing.T) {
	hash := bytes.Repeat([]byte{0x5c}, 32)
	key := secp256k1.PrivKeyFromBytes(bytes.Repeat([]byte{0x9d, 0x3b, 0x71, 0xe6}, 8))
	var sig *Signature
	stack := below(func() { sig, _ = Sign(key, hash) })

	// Compute the nonce k from the signature: s = k − e·d, with the challenge e and the key d.
	var e, k, negated secp256k1.ModNScalar
	challenge(&e, &sig.r, hash)
	k.Mul2(&e, &key.Key).Add(&sig.s)
	negated.NegateVal(&k)
	secrets := slices.Concat(traces(&key.Key), traces(&k), traces(&negated))
	found := func(stack []byte) bool {
		return slices.ContainsFunc(secrets, func(s []byte) bool { return bytes.Contains(stack, s) })
	}
	if found(stack) {
		t.Error("Sign leaves secrets on the stack")
	}
	if !slices.ContainsFunc(stack, func(b byte) bool { return b != painted }) {
		t.Error("Sign was not seen")
	}
	for _, secret := range []*secp256k1.ModNScalar{&key.Key, &k, &negated} {
		if !found(below(func() { copyOf(secret) })) {
			t.Error("a copy is not found")
		}
	}
}

// copyOf leaves a copy of s on the stack, deep enough to be found.
//
//go:noinline
func copyOf(s *secp256k1.ModNScalar) {
	var buf [600]byte
	b := s.Bytes()
	copy(buf[:], b[:])
	runtime.KeepAlive(&buf)
}

// TestDepth checks that computing a challenge needs at most 1.5 KiB of stack. SignSchnorr computes
// a challenge while its own frame holds the nonce. That frame takes less than 1.5 KiB, so the two
// together use at most 3 KiB.
func TestDepth(t *testing.T) {
	var e secp256k1.ModNScalar
	var r secp256k1.FieldVal
	hash := make([]byte, 32)
	stack := below(func() { challenge(&e, &r, hash) })
	first := slices.IndexFunc(stack, func(b byte) bool { return b != painted })
	if needs := depth + skipped - first; first < 0 || needs > 3<<9 {
		t.Errorf("a challenge needs %d bytes of stack", needs)
	}
}
