package schnorr_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/changing"
)

// The program lab/oracle compares every call with that of the replaced module.

// TestSignFindsFaults signs before and after a fault in memory changes the key to a number of n or
// more. After the fault, Sign must return an error.
func TestSignFindsFaults(t *testing.T) {
	key := secp256k1.PrivKeyFromBytes([]byte{3})
	words := unsafe.Slice((*byte)(unsafe.Pointer(key)), unsafe.Sizeof(*key))
	for _, faulty := range []bool{false, true} {
		if faulty {
			copy(words, bytes.Repeat([]byte{0xff}, len(words)))
		}
		for _, o := range [][]schnorr.SignOption{nil, {schnorr.CustomNonce([32]byte{})}} {
			sig, err := schnorr.Sign(key, make([]byte, 32), o...)
			if (sig == nil) != faulty || (err != nil) != faulty {
				t.Errorf("faulty: %t, %v, %v", faulty, sig, err)
			}
		}
	}
}

// TestVerifyAllocations checks that verification does not allocate, and that signing allocates only
// its result.
func TestVerifyAllocations(t *testing.T) {
	key, message := secp256k1.PrivKeyFromBytes([]byte{3}), make([]byte, 32)
	pub := key.PubKey()
	sig, err := schnorr.Sign(key, message)
	if err != nil {
		t.Fatal(err)
	}
	if count := testing.AllocsPerRun(10, func() {
		if !sig.Verify(message, pub) {
			t.Error("it does not verify")
		}
	}); count != 0 {
		t.Errorf("Verify allocates %v times", count)
	}
	if count := testing.AllocsPerRun(10, func() { schnorr.Sign(key, message) }); count > 2 {
		t.Errorf("Sign allocates %v times", count)
	}
}

// TestChangingSignature verifies a signature that changes to another one when it is read again. The
// result is that of the first. Anyone could compute a signature if one r were hashed and the result
// compared with another.
func TestChangingSignature(t *testing.T) {
	key, message := secp256k1.PrivKeyFromBytes([]byte{3}), make([]byte, 32)
	var contents [2][]byte
	for i := range contents {
		sig, err := schnorr.Sign(key, message, schnorr.CustomNonce([32]byte{byte(i)}))
		if err != nil {
			t.Fatal(err)
		}
		contents[i] = bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(sig)), unsafe.Sizeof(*sig)))
	}
	changing.Each(t, contents[0], contents[1], func(b []byte) {
		if !(*schnorr.Signature)(unsafe.Pointer(&b[0])).Verify(message, key.PubKey()) {
			t.Error("not valid if it changes")
		}
	})
}
