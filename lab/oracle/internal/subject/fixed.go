package subject

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"

	"github.com/btcsuite/btcd/btcec/v2"
	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	erigon "github.com/erigontech/secp256k1"
)

// fixed ignores the tape. It writes zero values, parameters, the results of packages that use
// reflection, and the effects of nil arguments.
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
		r.write(fmt.Sprintf("%v %+v %s", v, v, v))
	}
}

func zeroValues(r *record) {
	var f secp256k1.FieldVal
	var s secp256k1.ModNScalar
	var p secp256k1.JacobianPoint
	var key secp256k1.PublicKey
	var private secp256k1.PrivateKey
	var sig ecdsa.Signature
	var dcr schnorr.Signature
	r.write(&f, &s, p, &key, private.Serialize(), private.PubKey(), &sig, &dcr)
	p.ToAffine()
	r.write(p.X, p.Y, p.Z, f.IsZero(), key.IsEqual(new(secp256k1.PublicKey)), *private.PubKey() == key,
		private.ToECDSA().D, private.ToECDSA().X,
		secp256k1.GenerateSharedSecret(&private, private.PubKey()),
		sig.Verify(make([]byte, 32), secp256k1.PrivKeyFromBytes([]byte{1}).PubKey()),
		sig.Verify(nil, &key), dcr.Verify(make([]byte, 32), &key))
	for _, err := range []error{secp256k1.Error{}, ecdsa.Error{}, schnorr.Error{}} {
		r.write(err.Error(), errors.Unwrap(err) == nil)
	}
}

// parameters writes the parameters of the curve in each module, and whether functions return the
// same pointers in each call.
func parameters(r *record) {
	p, c, e := secp256k1.Params(), secp256k1.S256(), erigon.S256()
	r.write(p == secp256k1.Params(), c == secp256k1.S256(), c.Params() == c.CurveParams,
		p.P, p.N, p.Gx, p.Gy, c.B, fmt.Sprint(p.BitSize, p.H, p.ByteSize, c.BitSize, c.Name),
		c.P == p.P && c.N == p.N && c.Gx == p.Gx && c.Gy == p.Gy, c.IsOnCurve(c.Gx, c.Gy))
	q := e.Params()
	r.write(e == erigon.S256(), e.P, e.N, e.B, e.Gx, e.Gy, e.BitSize, q == e.Params(), q.Name+".",
		q.P == e.P && q.N == e.N && q.B == e.B && q.Gx == e.Gx && q.Gy == e.Gy)
	var g btcec.JacobianPoint
	btcec.GeneratorJacobian(&g)
	r.write(btcec.Generator(), &g)
	for _, err := range sentinels {
		r.write(err)
	}
	first, second := erigon.ContextForThread(0), erigon.ContextForThread(0)
	third, fourth := erigon.NewContext(), erigon.NewContext()
	r.write(erigon.NumOfContexts(), first == second || third == fourth, erigon.DefaultContext == nil)
}

// nils calls functions with nil for every pointer and slice, and writes the results or panics.
func nils(r *record) {
	var f secp256k1.FieldVal
	var s secp256k1.ModNScalar
	var p secp256k1.JacobianPoint
	var key secp256k1.PublicKey
	private, one := secp256k1.PrivKeyFromBytes(nil), big.NewInt(1)
	c, none := erigon.S256(), new(erigon.BitCurve)
	r.write(&private.Key)
	for _, call := range []func(){
		func() { f.Set(nil) },
		func() { f.Add(nil) },
		func() { f.Equals(nil) },
		func() { f.SetBytes(nil) },
		func() { r.write(f.SetByteSlice(nil)) },
		func() { f.PutBytesUnchecked(nil) },
		func() { f.PutBytes(nil) },
		func() { s.Set(nil) },
		func() { s.Mul(nil) },
		func() { s.Equals(nil) },
		func() { s.SetBytes(nil) },
		func() { r.write(s.SetByteSlice(nil)) },
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
		func() { r.write(key.IsEqual(nil)) },
		func() { r.write(new(ecdsa.Signature).IsEqual(nil)) },
		func() { r.write(new(schnorr.Signature).IsEqual(nil)) },
		func() { r.write(new(btcschnorr.Signature).IsEqual(nil)) },
		func() { r.write(new(btcschnorr.Signature).Verify(make([]byte, 32), nil)) },

		func() { r.output(erigon.Sign(nil, nil)) },
		func() { r.output(erigon.Sign(make([]byte, 32), nil)) },
		func() { r.output(erigon.RecoverPubkey(nil, nil)) },
		func() { r.output(erigon.RecoverPubkey(make([]byte, 32), nil)) },
		func() { r.output(erigon.RecoverPubkeyWithContext(nil, nil, nil, nil)) },
		func() { r.write(erigon.VerifySignature(nil, nil, nil)) },
		func() { r.write(erigon.VerifySignature(nil, make([]byte, 32), make([]byte, 64))) },
		func() { r.write(erigon.CompressPubkey(nil, nil)) },
		func() { r.write(erigon.CompressPubkey(one, nil)) },
		func() { r.write(erigon.CompressPubkey(new(big.Int), new(big.Int))) },
		func() { r.write(c.Marshal(nil, one)) },
		func() { r.write(c.IsOnCurve(nil, one)) },
		func() { c.Add(nil, one, one, one) },
		func() { c.Double(one, nil) },
		func() { c.ScalarMult(nil, nil, []byte{1}) },
		func() { c.ScalarMult(nil, nil, nil) },
		func() { c.ScalarMult(nil, one, make([]byte, 33)) },
		func() { c.ScalarMult(one, one, make([]byte, 33)) },
		func() { c.ScalarBaseMult(make([]byte, 33)) },
		func() { none.ScalarBaseMult([]byte{1}) },
		func() { none.Add(one, one, one, one) },
		func() { none.IsOnCurve(one, one) },
		func() { r.write(none.Marshal(one, one)) },
	} {
		r.try(call)
		r.write(";")
	}
}

// reflected writes how packages that use reflection treat v.
func reflected(r *record, v any) {
	typ := reflect.TypeOf(v)
	b, err := json.Marshal(v)
	r.write(typ.Kind().String(), typ.Name(), typ.Comparable(), string(b), err,
		gob.NewEncoder(io.Discard).Encode(v) == nil)
}
