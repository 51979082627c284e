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
	var s, d, k scalar.Scalar
	s.SetBytes(e)
	(*keys.Private)(key).Load(&d)
	(*keys.Private)(nonce).Load(&k)
	s.Mul(&s, &d)
	s.Add(&s, &k)
	s.PutBytes((*[32]byte)(proof[32:]))

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
