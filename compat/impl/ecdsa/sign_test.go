package ecdsa_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/changing"
)

// The program lab/oracle compares every call with that of the replaced module.

// TestAllocations checks that functions allocate only their results.
func TestAllocations(t *testing.T) {
	key := secp256k1.PrivKeyFromBytes([]byte{48, 57})
	pub, hash := key.PubKey(), make([]byte, 32)
	sig, compact := ecdsa.Sign(key, hash), ecdsa.SignCompact(key, hash, true)
	encoded := sig.Serialize()
	for _, test := range []struct {
		name string
		max  float64
		f    func()
	}{
		{"Verify", 0, func() { sig.Verify(hash, pub) }},
		{"Sign", 1, func() { ecdsa.Sign(key, hash) }},
		{"SignCompact", 1, func() { ecdsa.SignCompact(key, hash, true) }},
		{"RecoverCompact", 1, func() { ecdsa.RecoverCompact(compact, hash) }},
		{"ParseDERSignature", 1, func() { ecdsa.ParseDERSignature(encoded) }},
		{"Serialize", 1, func() { sig.Serialize() }},
	} {
		if n := testing.AllocsPerRun(10, test.f); n > test.max {
			t.Errorf("%s allocates %v times, want at most %v", test.name, n, test.max)
		}
	}
}

// TestChangingSignature verifies a signature that changes to another one when it is read again. The
// result is that of the first. Anyone could compute a signature if the key were multiplied by one r
// and the result compared with another.
func TestChangingSignature(t *testing.T) {
	key, hash := secp256k1.PrivKeyFromBytes([]byte{3}), make([]byte, 32)
	content := func(hash []byte) []byte {
		sig := ecdsa.Sign(key, hash)
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(sig)), unsafe.Sizeof(*sig)))
	}
	changing.Each(t, content(hash), content([]byte{1}), func(b []byte) {
		if !(*ecdsa.Signature)(unsafe.Pointer(&b[0])).Verify(hash, key.PubKey()) {
			t.Error("not valid if it changes")
		}
	})
}
