package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// ScalarBaseMultNonConst sets result = k·G, with normalized coordinates, or zeros for infinity.
// Despite the name, the running time does not depend on k, with one exception: it reveals whether k
// has only one byte that is not 0. For such a k the result has Z = 1, as in the replaced module,
// because programs use X and Y of 1·G without calling ToAffine. For any other k the Jacobian
// coordinates depend on k, and not only on k·G, so programs that publish the point must call
// ToAffine first.
func ScalarBaseMultNonConst(k *ModNScalar, result *JacobianPoint) {
	secret.DoDeep(func() { baseMult(k, result) })
}

// baseMult does the work of ScalarBaseMultNonConst. It leaves secrets on the stack.
func baseMult(k *ModNScalar, result *JacobianPoint) {
	//ct:secret k.IsOverHalfOrder()
	var r point.Jacobian
	ecmult.ScalarBaseMult(&r, k.scalar())
	//ct:secret r.Z.IsOdd().Bool()
	result.put(&r)
	r.Wipe()
	if k.isOneByte() {
		result.divide()
	}
}

// isOneByte reports whether exactly one byte of s is not 0. The answer becomes public. That is
// harmless: there are only 32·255 such scalars, so a secret scalar of this form can be guessed
// anyway.
func (s *ModNScalar) isOneByte() bool {
	var b [32]byte
	s.scalar().PutBytes(&b)
	//ct:secret b[0] == 1
	var count uint64
	for i := range b {
		count += uint64(ct.IsZero64(uint64(b[i])).Not())
	}
	ct.Wipe(b[:])
	return ct.IsZero64(count ^ 1).Reveal()
}

// ScalarMultNonConst sets result = k·point, with normalized coordinates. If point is not on the
// curve, the result is another point, which HMAC-SHA-256 derives from k and point. Despite the
// name, the running time does not depend on k. It depends on the point only in whether the point is
// infinity or off the curve, and whether Z is 1. The Jacobian coordinates of the result depend on
// k, and not only on k·point, so programs that publish the result must call ToAffine first.
func ScalarMultNonConst(k *ModNScalar, point, result *JacobianPoint) {
	secret.DoDeep(func() { mult(k, point, result) })
}

// mult does the work of ScalarMultNonConst for the point p. It leaves secrets on the stack.
//
// The pair (X, Y) of p's coordinates is a point of the curve y² = x³ + 7·Z⁶. The map (x, y) →
// (x·Z², y·Z³) is an isomorphism from secp256k1 to that curve, and commutes with the endomorphism.
// So mult computes the multiple on that curve, without an inversion, and maps the result back by
// multiplying its Z by Z. If Z is 1, that curve is secp256k1.
func mult(k *ModNScalar, p, result *JacobianPoint) {
	//ct:secret k.IsOdd()
	q := *p // the point that is checked is the point that is multiplied
	p = &q
	switch {
	case p.infinity().Reveal():
		*result = JacobianPoint{}
		return
	case !p.onCurve():
		multOffCurve(k, p, result)
		return
	}
	a := point.Affine{X: *p.X.element(), Y: *p.Y.element()}
	z := *p.Z.element()
	//ct:secret p.X.IsZero()
	var r point.Jacobian
	var one field.Element
	if z.Equal(one.One()).Reveal() {
		ecmult.ScalarMult(&r, k.scalar(), &a)
	} else {
		ecmult.ScalarMultIsomorphic(&r, k.scalar(), &a)
	}
	//ct:secret r.X.IsOdd().Bool()
	r.Z.Mul(&r.Z, &z)
	//ct:secret r.Z.IsOdd().Bool()
	result.put(&r)
	r.Wipe()
	a.Wipe()
	z.Wipe()
}

// multOffCurve sets result to a replacement of k·p for a finite p that is not on the curve. The
// replacement is s·G, where HMAC-SHA-256 derives s from k and p, as in RFC 6979, section 3.2, or
// infinity if k is 0.
//
// A multiple on the curve of p would reveal bits of k (Biehl, Meyer, Müller, CRYPTO 2000). Infinity
// for all k would let anyone forge signatures under p, if a verification computes u1·G + u2·p
// without checking p. Without k, s is unpredictable, and finding a k for a chosen s is as hard as
// finding a preimage of HMAC-SHA-256.
func multOffCurve(k *ModNScalar, p, result *JacobianPoint) {
	q := *p
	q.divide()
	var key, x [32]byte
	var more [64]byte
	k.PutBytes(&key)
	//ct:secret key[31]&1 == 1
	q.X.PutBytes(&x)
	q.Y.PutBytesUnchecked(more[:32])
	copy(more[32:], "a multiple of no point")
	var nonces hash.Nonces
	nonces.Init(&key, &x, more[:])
	nonces.Next(&key)
	//ct:secret key[0] == 0
	var s, zero scalar.Scalar
	s.SetBytes(&key)
	s.Select(k.scalar().IsZero(), &zero, &s)
	//ct:secret s.IsHigh().Bool()
	var r point.Jacobian
	ecmult.ScalarBaseMult(&r, &s)
	//ct:secret r.Y.IsOdd().Bool()
	result.put(&r)
	nonces.Wipe()
	ct.Wipe(key[:])
	s.Wipe()
	r.Wipe()
}

// onCurve reports whether p is a finite point of the curve: Y² = X³ + 7·Z⁶.
func (p *JacobianPoint) onCurve() bool {
	var l, r, t field.Element
	t.Square(p.Z.element())
	r.Mul(&t, p.Z.element())
	r.Square(&r)
	r.MulSmall(&r, 7)
	t.Square(p.X.element())
	t.Mul(&t, p.X.element())
	r.Add(&r, &t)
	l.Square(p.Y.element())
	return (l.Equal(&r) & p.Z.element().IsZero().Not()).Reveal()
}

// GenerateSharedSecret returns the x coordinate of privkey·pubkey as 32 bytes, big-endian (SEC 1
// version 2, section 3.3.1; RFC 5903, section 9), without hashing it. The running time does not
// depend on the keys. If privkey is 0, it returns zeros. If pubkey is not a point of the curve, it
// returns the x coordinate of the point that ScalarMultNonConst gives in that case.
func GenerateSharedSecret(privkey *PrivateKey, pubkey *PublicKey) []byte {
	out := new([32]byte)
	secret.DoDeep(func() {
		var p JacobianPoint
		//ct:secret privkey.Key.IsOdd()
		pubkey.AsJacobian(&p)
		mult(&privkey.Key, &p, &p)
		//ct:secret p.Z.IsOdd()
		p.divide()
		//ct:secret p.Y.IsOdd()
		p.X.PutBytes(out)
		//ct:secret out[31]&1 == 1
		p = JacobianPoint{}
	})
	return out[:]
}
