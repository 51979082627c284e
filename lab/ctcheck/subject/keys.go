package main

import (
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// inside lists functions of packages keys, dsa, musig and swiftec.
var inside = []any{
	insidePrivate, insideNone, insidePublic, insideGroup,
	dsa.Sign, dsa.SetHash, signNumbers, musigNumbers, swiftecMult,
}

// ones returns 32 bytes that encode the number 2^256 − 1, which is not below n.
func ones() []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

func insidePrivate(d *scalar.Scalar, b *ecmult.Blinding) {
	k := keys.New(d)
	if !k.Live() || !k.Load(&number) || !k.Unchanged(d) || k.Public() == nil {
		panic("a key holds nothing")
	}
	k = k.Blinded(b)
	words[0] = uint64(k.Blinding().ScalarBaseMultAffine(&affine, d))
	sink += int(k.Public().OddY())
	k.Wipe()
}

// insideNone uses a key that was wiped, and one that was never initialized.
func insideNone(d *scalar.Scalar, b *ecmult.Blinding) {
	k := keys.New(d)
	k.Wipe()
	var none keys.Private
	n := none.Blinded(b)
	none.Wipe()
	if k.Live() || !k.Unchanged(d) || k.Load(d) || k.Public() != nil || n.Live() || n.Load(d) ||
		n.Public() != nil || none.Blinding() != nil {
		panic("a key that is none holds something")
	}
}

// insidePublic makes public keys from points that remain secret.
func insidePublic(a *point.Affine) {
	var k keys.Public
	k.SetAffine(a)
	words[0] = uint64(k.OddY())
	affine = *k.Affine()
	var x keys.XOnly
	x.SetAffine(a)
	affine = *x.Affine()
}

func insideGroup(d *scalar.Scalar, q *point.Jacobian) {
	var s keys.GroupScalar
	s.Value().Set(d)
	var p keys.GroupPoint
	p.Value().Set(q)
	p.Changed()
	if p.IsAffine() {
		panic("Changed is wrong")
	}
	p.Normalized()
	jacobian = point.Jacobian(*p.Value())
}

// signNumbers signs with blinding and additional entropy, and with the inverse of a nonce and its
// point.
func signNumbers(
	d, z, k *scalar.Scalar, R *point.Affine, b *ecmult.Blinding, message *[32]byte, entropy []byte,
) {
	var r, s scalar.Scalar
	sink += int(dsa.Sign(&r, &s, nil, d, z, message, nil))
	var public [32]byte
	g := dsa.Signing{D: *d, Z: *z}
	g.Sign(b, &public, entropy)
	if !g.SameNonce(&public) {
		panic("SameNonce is wrong")
	}
	g.Wipe()
	id, ok := dsa.Finish(&r, &s, d, z, k, R)
	if sink += int(id); !ok {
		panic("Finish is wrong")
	}
}

// musigNumbers derives a secret nonce with and without a private key, and signs with it.
func musigNumbers(d, c *scalar.Scalar) {
	defer without512()()
	c.Declassify()
	var k musig.SecretPair
	for _, key := range []*scalar.Scalar{nil, d} {
		in := musig.NonceInput{
			PrivateKey: key, PublicKey: make([]byte, 33), HasMessage: key != nil, Extra: []byte{1},
		}
		k.Derive(&in, secretArray(622))
	}
	var n musig.Nonce
	k.Publish(&n, nil)
	var v musig.Session
	encoded := n.Bytes()
	v.Set(&musig.Key{Q: n[0]}, &n, &encoded, nil)
	v.Sign(&number, &k, d, c)
	k.Combine(&number, &v.B)
	if k.AnyZero() {
		panic("a nonce is zero")
	}
	musig.MaskKey(secretArray(623), d)
	k.Hash("tag", secretBytes(634))
	k.Wipe()
}

// swiftecMult multiplies the x coordinate that an encoding of 64 bytes stands for.
func swiftecMult(k *scalar.Scalar) {
	var x swiftec.X
	x.SetBytes((*[64]byte)(must(ellswift.Encode(publicKey(600), make([]byte, 32)))))
	x.Mult(&bytes32, k)
}
