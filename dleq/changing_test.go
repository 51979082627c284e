package dleq

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestChangingStatement verifies a proof of a = log A to the base of secp256k1's generator, whose
// challenge has another G. A statement whose G becomes nil when it is read again, or is no longer
// nil, must not be proven: neither statement is true with this proof.
func TestChangingStatement(t *testing.T) {
	point := func(k *koblitz.PublicKey) *point.Affine { return (*keys.Public)(k).Affine() }
	key, nonce := koblitz.GenerateKey(), koblitz.GenerateKey()
	b, g := koblitz.GenerateKey().PublicKey(), koblitz.GenerateKey().PublicKey()
	c, _ := b.TweakMul(key.Bytes())
	r2, _ := b.TweakMul(nonce.Bytes())
	other := Statement{A: key.PublicKey(), B: b, C: c, G: g}
	standard := other
	standard.G = nil

	var proof [ProofSize]byte
	e := (*[32]byte)(proof[:])
	challenge(e, point(other.A), point(b), point(c), point(g), point(nonce.PublicKey()), point(r2),
		nil)
	respond(&proof, key, nonce)

	content := func(s *Statement) []byte {
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)))
	}
	for _, o := range [][2][]byte{
		{content(&other), content(&standard)}, {content(&standard), content(&other)},
	} {
		changing.Each(t, o[0], o[1], func(b []byte) {
			if err := Verify((*Statement)(unsafe.Pointer(&b[0])), proof[:]); err != ErrProof {
				t.Errorf("a changing statement: %v", err)
			}
		})
	}
	runtime.KeepAlive([]*Statement{&other, &standard}) // bytes do not keep their keys alive
}

// respond sets the second half of a proof to nonce + e·key, where e is the first half.
func respond(proof *[ProofSize]byte, key, nonce *koblitz.PrivateKey) {
	var s, d, k scalar.Scalar
	s.SetBytes((*[32]byte)(proof[:]))
	(*keys.Private)(key).Load(&d)
	(*keys.Private)(nonce).Load(&k)
	s.Mul(&s, &d)
	s.Add(&s, &k)
	s.PutBytes((*[32]byte)(proof[32:]))
}

// TestChangingKey verifies a proof for an A that was computed last: it is the point that fulfils
// the equations for a challenge with another A. A statement whose A changes from one to the other
// must not be proven.
func TestChangingKey(t *testing.T) {
	key, nonce := koblitz.GenerateKey(), koblitz.GenerateKey()
	b, hashed := koblitz.GenerateKey().PublicKey(), koblitz.GenerateKey().PublicKey()
	c, _ := b.TweakMul(key.Bytes())
	s := Statement{A: key.PublicKey(), B: b, C: c}
	affine := func(k *koblitz.PublicKey) *point.Affine { return (*keys.Public)(k).Affine() }
	r2, _ := b.TweakMul(nonce.Bytes())
	var proof [ProofSize]byte
	e := (*[32]byte)(proof[:])
	challenge(e, affine(hashed), affine(b), affine(c), new(point.Affine).SetGenerator(),
		affine(nonce.PublicKey()), affine(r2), nil)
	respond(&proof, key, nonce)
	content := func(k *koblitz.PublicKey) []byte {
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(k)), unsafe.Sizeof(*k)))
	}
	for _, o := range [][2][]byte{
		{content(s.A), content(hashed)}, {content(hashed), content(s.A)},
	} {
		changing.Each(t, o[0], o[1], func(b []byte) {
			changed := s
			changed.A = (*koblitz.PublicKey)(unsafe.Pointer(&b[0]))
			if err := Verify(&changed, proof[:]); err != ErrProof {
				t.Errorf("a changing key: %v", err)
			}
		})
	}
	if Verify(&s, proof[:]) != ErrProof {
		t.Error("the proof is valid")
	}
}
