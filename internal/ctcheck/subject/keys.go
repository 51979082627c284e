package main

import (
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inside is what package keys offers.
var inside = []func(){insideSecret, insidePrivate, insideBlinded, insideNone, insidePublic, insideXOnly, insideGroup}

// insideSecret takes a number in the range of keys, 0 and a number above it.
func insideSecret() {
	var d scalar.Scalar
	zero, high := secretCopy(make([]byte, 32)), secretCopy(ones())
	if !keys.SetSecret(&d, secretArray(400)) || keys.SetSecret(&d, (*[32]byte)(zero)) || keys.SetSecret(&d, (*[32]byte)(high)) {
		panic("SetSecret is wrong")
	}
}

// ones returns 32 bytes that stand for a number which is not below n.
func ones() []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

func insidePrivate() {
	d := secretScalar(401)
	k := keys.New(&d)
	if !k.Live() || !k.Load(&number) || k.Public() == nil {
		panic("a key holds nothing")
	}
	k.ScalarBaseMult(&jacobian, &d)
	k.Wipe()
}

func insideBlinded() {
	d, b := secretScalar(402), secretScalar(403)
	k := keys.New(&d)
	k = k.Blinded(ecmult.NewBlinding(&b))
	k.ScalarBaseMult(&jacobian, &d)
	sink += int(k.Public().OddY())
}

// insideNone asks of a key that was wiped, and of one that never was.
func insideNone() {
	d, b := secretScalar(404), secretScalar(405)
	k := keys.New(&d)
	k.Wipe()
	var none keys.Private
	n := none.Blinded(ecmult.NewBlinding(&b))
	none.Wipe()
	if k.Live() || k.Load(&d) || k.Public() != nil || n.Live() || n.Load(&d) || n.Public() != nil {
		panic("a key that is none holds something")
	}
}

// insidePublic makes keys public, and public keys of points that stay secret.
func insidePublic() {
	var k keys.Public
	p, a := secretJacobian(406), secretAffine(407)
	infinity := p
	infinity.Z.Sub(&infinity.Z, &infinity.Z) // secret, and 0
	if k.SetJacobian(&infinity) || !k.SetJacobian(&p) {
		panic("SetJacobian is wrong")
	}
	k.SetAffine(&a)
	words[0] = uint64(k.OddY())
	affine = *k.Affine()
}

func insideXOnly() {
	var k keys.XOnly
	a := secretAffine(408)
	k.SetAffine(&a)
	affine = *k.Affine()
}

func insideGroup() {
	var s keys.GroupScalar
	d := secretScalar(409)
	s.Value().Set(&d)
	var p keys.GroupPoint
	q := secretJacobian(410)
	p.Value().Set(&q)
	p.Changed()
	if p.IsAffine() {
		panic("Changed is wrong")
	}
	p.Normalized()
	jacobian = point.Jacobian(*p.Value())
}
