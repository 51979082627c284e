package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// checkSign compares a signature with that of package reference for the first nonce of
// NonceRFC6979, which has tests of its own.
func checkSign(t *testing.T, d *big.Int, hash []byte) {
	t.Helper()
	key, before := privateKey(d), bytes.Clone(hash)
	k := secp256k1.NonceRFC6979(key.Serialize(), hash, nil, nil, 0)
	r, s, id, ok := reference.SignECDSA(d, hash, integer(*k))
	if !ok {
		t.Fatalf("%x has no signature of %x", d, hash)
	}
	s, id = reference.LowS(s, id)
	sig := ecdsa.Sign(key, hash)
	if want := signature(r, s); *sig != *want || !reflect.DeepEqual(sig, want) {
		t.Fatalf("Sign(%x, %x) = %x, want %x", d, hash, sig.Serialize(), want.Serialize())
	}
	for _, compressed := range []bool{false, true} {
		want := make([]byte, 65)
		want[0] = byte(27 + id)
		if compressed {
			want[0] += 4
		}
		r.FillBytes(want[1:33])
		s.FillBytes(want[33:])
		if got := ecdsa.SignCompact(key, hash, compressed); !bytes.Equal(got, want) {
			t.Fatalf("SignCompact(%x, %x, %v) = %x, want %x", d, hash, compressed, got, want)
		}
		recovered, got, err := ecdsa.RecoverCompact(want, hash)
		if err != nil || got != compressed || *recovered != *key.PubKey() ||
			!reflect.DeepEqual(recovered, key.PubKey()) {
			t.Fatalf("RecoverCompact(%x, %x) = %v, %v, %v", want, hash, recovered, got, err)
		}
	}
	if !sig.Verify(hash, key.PubKey()) {
		t.Fatalf("the signature of %x by %x does not verify", hash, d)
	}
	if !bytes.Equal(hash, before) || *key != *privateKey(d) {
		t.Fatalf("signing changes %x or %x", before, d)
	}
}

func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	digests(r, func(hash []byte) { checkSign(t, inOrder(r), hash) })
	for _, d := range []*big.Int{big.NewInt(1), big.NewInt(2), new(big.Int).Sub(n, big.NewInt(1))} {
		checkSign(t, d, []byte("a hash of as many bytes as it has"))
	}
}

// TestSignWithZero checks that the key 0 signs any hash but 0, that the hash 0 gives the zero value
// of a signature, and that no signature verifies under the key's public point.
func TestSignWithZero(t *testing.T) {
	key := new(secp256k1.PrivateKey)
	for _, hash := range [][]byte{nil, make([]byte, 32), n.Bytes()} {
		if sig := ecdsa.Sign(key, hash); *sig != (ecdsa.Signature{}) {
			t.Errorf("Sign(0, %x) = %x", hash, sig.Serialize())
		}
		want := append([]byte{27}, make([]byte, 64)...)
		if b := ecdsa.SignCompact(key, hash, false); !bytes.Equal(b, want) {
			t.Errorf("SignCompact(0, %x) = %x", hash, b)
		}
	}
	hash := []byte{1}
	k := secp256k1.NonceRFC6979(key.Serialize(), hash, nil, nil, 0)
	x, s, _, _ := reference.SignECDSA(new(big.Int), hash, integer(*k))
	s, _ = reference.LowS(s, 0)
	sig := ecdsa.Sign(key, hash)
	if *sig != *signature(x, s) {
		t.Errorf("Sign(0, 1) = %x", sig.Serialize())
	}
	// The public key of the key 0 is infinity. Verify must refuse it, because anyone can make
	// signatures that satisfy the equation under infinity.
	if sig.Verify(hash, key.PubKey()) {
		t.Error("a signature verifies under no key")
	}
}

// TestZeroValues checks that zero values verify no signature and cause no panic.
func TestZeroValues(t *testing.T) {
	var sig ecdsa.Signature
	key := new(secp256k1.PublicKey)
	if sig.Verify(nil, key) || sig.Verify(make([]byte, 32), privateKey(big.NewInt(1)).PubKey()) {
		t.Error("the zero value verifies")
	}
	if ecdsa.Sign(privateKey(big.NewInt(1)), nil).Verify(nil, key) {
		t.Error("a signature verifies under no key")
	}
	r, s := sig.R(), sig.S()
	if !r.IsZero() || !s.IsZero() || *ecdsa.NewSignature(&r, &s) != sig || !sig.IsEqual(&sig) {
		t.Errorf("the zero value is (%v, %v)", r, s)
	}
	if new(ecdsa.ErrorKind).Error() != "" || (ecdsa.Error{}).Error() != "" ||
		(ecdsa.Error{}).Unwrap() != nil {
		t.Error("errors of nothing have a text")
	}
}

// TestConcurrentUse checks that several goroutines may use the same keys: the race detector must
// report nothing.
func TestConcurrentUse(t *testing.T) {
	key := privateKey(big.NewInt(12345))
	pub, hash := key.PubKey(), []byte("a hash of as many bytes as it has")
	want, compact := ecdsa.Sign(key, hash), ecdsa.SignCompact(key, hash, true)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if sig := ecdsa.Sign(key, hash); *sig != *want || !sig.Verify(hash, pub) {
				t.Errorf("%x", sig.Serialize())
			}
			if got, _, err := ecdsa.RecoverCompact(compact, hash); err != nil || *got != *pub {
				t.Errorf("%v, %v", got, err)
			}
			want.Serialize()
		})
	}
	wg.Wait()
}

// TestAllocations checks that functions allocate only their results.
func TestAllocations(t *testing.T) {
	key := privateKey(big.NewInt(12345))
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
