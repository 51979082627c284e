package subject

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// fixed writes values that are the same in every run, so it ignores the tape, the bytes that
// determine the choices of other cases. It writes zero values, parameters, the results of packages
// that use reflection, and the effects of nil arguments.
func fixed(_ *tape, r *record) {
	zeroValues(r)
	parameters(r)
	nils(r)
	for _, v := range []any{
		secp256k1.FieldVal{}, *new(secp256k1.FieldVal).SetInt(7),
		secp256k1.ModNScalar{}, *new(secp256k1.ModNScalar).SetInt(7),
		secp256k1.JacobianPoint{},
		secp256k1.PrivateKey{}, *secp256k1.PrivKeyFromBytes([]byte{7}),
		secp256k1.PublicKey{}, *secp256k1.PrivKeyFromBytes([]byte{7}).PubKey(),
		ecdsa.Signature{}, *ecdsa.Sign(secp256k1.PrivKeyFromBytes([]byte{7}), nil),
		schnorr.Signature{},
	} {
		reflected(r, v)
	}
	for _, v := range []any{
		secp256k1.FieldVal{}, *new(secp256k1.FieldVal).SetInt(7),
		*new(secp256k1.ModNScalar).SetInt(7), *secp256k1.PrivKeyFromBytes([]byte{7}),
		secp256k1.PrivKeyFromBytes([]byte{7}), secp256k1.JacobianPoint{},
	} {
		r.text(fmt.Sprintf("%v %+v %s", v, v, v))
	}
}

func zeroValues(r *record) {
	var f secp256k1.FieldVal
	r.canonical(&f)
	r.bool(f.IsZero())
	var s secp256k1.ModNScalar
	r.scalar(&s)
	var p secp256k1.JacobianPoint
	r.point(&p)
	p.ToAffine()
	r.field(&p.X)
	r.field(&p.Y)
	r.field(&p.Z)
	var key secp256k1.PublicKey
	r.key(&key)
	r.bool(key.IsEqual(new(secp256k1.PublicKey)))
	var private secp256k1.PrivateKey
	r.bytes(private.Serialize())
	r.key(private.PubKey())
	r.bool(*private.PubKey() == key)
	r.results(private.ToECDSA().D, private.ToECDSA().X)
	r.bytes(secp256k1.GenerateSharedSecret(&private, new(secp256k1.PrivateKey).PubKey()))
	var sig ecdsa.Signature
	r.ecdsa(&sig)
	r.bool(sig.Verify(make([]byte, 32), secp256k1.PrivKeyFromBytes([]byte{1}).PubKey()))
	r.bool(sig.Verify(nil, &key))
	var dcr schnorr.Signature
	r.schnorr(&dcr)
	r.bool(dcr.Verify(make([]byte, 32), &key))
	for _, err := range []error{secp256k1.Error{}, ecdsa.Error{}, schnorr.Error{}} {
		r.text(err.Error())
		r.bool(errors.Unwrap(err) == nil)
	}
}

func parameters(r *record) {
	p, c := secp256k1.Params(), secp256k1.S256()
	r.bool(p == secp256k1.Params())
	r.bool(c == secp256k1.S256())
	r.bool(c.Params() == c.CurveParams)
	r.results(p.P, p.N, p.Gx, p.Gy, c.B)
	r.text(fmt.Sprint(p.BitSize, p.H, p.ByteSize, c.BitSize, c.Name))
	r.bool(c.P == p.P && c.N == p.N && c.Gx == p.Gx && c.Gy == p.Gy)
	r.bool(c.IsOnCurve(c.Gx, c.Gy))
}

// nils calls functions with nil for every pointer and slice, and writes the results or panics.
func nils(r *record) {
	var f secp256k1.FieldVal
	var s secp256k1.ModNScalar
	var p secp256k1.JacobianPoint
	var key secp256k1.PublicKey
	private := secp256k1.PrivKeyFromBytes(nil)
	r.scalar(&private.Key)
	for _, call := range []func(){
		func() { f.Set(nil) },
		func() { f.Add(nil) },
		func() { f.Equals(nil) },
		func() { f.SetBytes(nil) },
		func() { r.bool(f.SetByteSlice(nil)) },
		func() { f.PutBytesUnchecked(nil) },
		func() { f.PutBytes(nil) },
		func() { s.Set(nil) },
		func() { s.Mul(nil) },
		func() { s.Equals(nil) },
		func() { s.SetBytes(nil) },
		func() { r.bool(s.SetByteSlice(nil)) },
		func() { s.PutBytesUnchecked(nil) },
		func() { p.Set(nil) },
		func() { p.EquivalentNonConst(nil) },
		func() { secp256k1.NewPublicKey(nil, nil) },
		func() { secp256k1.NewPrivateKey(nil) },
		func() { secp256k1.ScalarBaseMultNonConst(nil, &p) },
		func() { secp256k1.ScalarMultNonConst(&s, nil, &p) },
		func() { secp256k1.ScalarMultNonConst(&s, &p, nil) },
		func() { secp256k1.AddNonConst(nil, &p, &p) },
		func() { secp256k1.GenerateSharedSecret(nil, &key) },
		func() { secp256k1.GenerateSharedSecret(private, nil) },
		func() { secp256k1.GeneratePrivateKeyFromRand(nil) },
		func() { ecdsa.Sign(nil, nil) },
		func() { ecdsa.SignCompact(nil, nil, true) },
		func() { ecdsa.NewSignature(nil, &s) },
		func() {
			ecdsa.NewSignature(new(secp256k1.ModNScalar).SetInt(1),
				new(secp256k1.ModNScalar).SetInt(1)).Verify(nil, nil)
		},
		func() { schnorr.Sign(nil, make([]byte, 32)) },
		func() { new(schnorr.Signature).Verify(make([]byte, 32), nil) },
		func() { schnorr.NewSignature(nil, &s) },
		func() { var none *secp256k1.PublicKey; none.SerializeCompressed() },
		func() { var none *secp256k1.PrivateKey; none.PubKey() },
		func() { var none *ecdsa.Signature; none.Serialize() },
	} {
		r.try(call)
		r.text(";")
	}
}

// reflected writes how packages that use reflection treat v.
func reflected(r *record, v any) {
	typ := reflect.TypeOf(v)
	r.text(typ.Kind().String())
	r.text(typ.Name())
	r.bool(typ.Comparable())
	b, err := json.Marshal(v)
	r.text(string(b))
	r.err(err)
	r.bool(gob.NewEncoder(new(bytes.Buffer)).Encode(v) == nil)
}

// offCurve verifies signatures and multiplies with a public key that is not on the curve. The
// documentation of compat/impl/secp256k1 describes the results of the replacement.
func offCurve(t *tape, r *record) {
	x, y := t.field(), t.field()
	if t.byte() < 30 {
		x.Zero()
		y.Zero()
	}
	key := secp256k1.NewPublicKey(x, y)
	if key.IsOnCurve() {
		return
	}
	r.bool(forgedMultiple(key, 1+t.below(5)).Verify(make([]byte, 32), key))
	// Write whether multiplication by 2 has the same result as doubling.
	var p, twice, sum secp256k1.JacobianPoint
	key.AsJacobian(&p)
	rescale(&p, t.field())
	secp256k1.ScalarMultNonConst(new(secp256k1.ModNScalar).SetInt(2), &p, &twice)
	secp256k1.DoubleNonConst(&p, &sum)
	r.bool(!isInfinity(&p) && twice.EquivalentNonConst(&sum))
}

// forgedMultiple returns a signature (r, s) of the hash 0 under a key P that may be off the curve:
// R = n·P, r is the x coordinate of R, and s = r/n. It computes R by additions only, because their
// formulas are correct on every curve.
func forgedMultiple(key *secp256k1.PublicKey, n int) *ecdsa.Signature {
	var p, R secp256k1.JacobianPoint
	key.AsJacobian(&p)
	for range n {
		secp256k1.AddNonConst(&R, &p, &R)
	}
	R.ToAffine()
	var rr, s secp256k1.ModNScalar
	rr.SetByteSlice(R.X.Bytes()[:])
	s.SetInt(uint32(n)).InverseNonConst().Mul(&rr)
	return ecdsa.NewSignature(&rr, &s)
}

// roughKey writes whether a key made from coordinates that are not normalized equals the key made
// from the normalized ones.
func roughKey(t *tape, r *record) {
	var x, y secp256k1.FieldVal
	if x.SetBytes(t.number())|y.SetBytes(t.number()) == 0 {
		return
	}
	rough := secp256k1.NewPublicKey(&x, &y)
	r.bool(*rough == *secp256k1.NewPublicKey(x.Normalize(), y.Normalize()))
}

// rootInPlace writes whether SquareRootVal finds the root of a square if the result overwrites the
// argument.
func rootInPlace(t *tape, r *record) {
	f := t.field()
	f.Square().Normalize()
	square := *f
	found := f.SquareRootVal(f)
	r.bool(found)
	r.bool(f.Square().Normalize().Equals(&square))
}

// signNothing signs a hash that is 0 modulo n with the key 0. The real module does not terminate
// for this input.
func signNothing(t *tape, r *record) {
	hash := t.bytes(t.below(40))
	clear(hash)
	var none secp256k1.PrivateKey
	r.ecdsa(ecdsa.Sign(&none, hash))
	r.bytes(ecdsa.SignCompact(&none, secp256k1.Params().N.Bytes(), true))
}
