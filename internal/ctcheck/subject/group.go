package main

import (
	"fmt"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ct"
)

// groups are the cases of package group.
var groups = []func(){groupRandom, groupParse, groupScalars, groupInvert, groupKeys, groupBase, groupPoints, groupPrint}

// secretGroupScalar returns a scalar far from 0 and n.
func secretGroupScalar(seed uint64) *group.Scalar {
	s, err := new(group.Scalar).SetBytes(secretBytes(seed))
	must(err)
	return s
}

func groupRandom() { copy(bytes32[:], group.RandomScalar().Bytes()) }

func groupParse() {
	secretGroupScalar(300)
	wide := append(secretBytes(301), secretBytes(302)...)
	s, err := new(group.Scalar).SetUniformBytes(wide)
	must(err)
	copy(bytes32[:], s.AppendBytes(nil))
}

func groupScalars() {
	x, y := secretGroupScalar(303), secretGroupScalar(304)
	v := new(group.Scalar).Add(x, y)
	v.Sub(v, x).Neg(v).Mul(v, y).Set(v)
	equal, zero := v.Equal(x), v.IsZero()
	words[0] = choiceOf(equal) ^ choiceOf(zero)
	v.Zeroize()
}

func groupInvert() {
	x := secretGroupScalar(305)
	copy(bytes32[:], new(group.Scalar).Invert(x).Bytes())
}

func groupKeys() {
	k, err := secretGroupScalar(306).PrivateKey()
	must(err)
	s, err := new(group.Scalar).SetPrivateKey(k)
	must(err)
	copy(bytes32[:], s.Bytes())
}

func groupBase() {
	var p group.Point
	p.ScalarBaseMult(secretGroupScalar(307))
	p.Zeroize()
}

func groupPoints() {
	var p, q, r group.Point
	p.ScalarBaseMult(secretGroupScalar(308))
	q.ScalarMult(secretGroupScalar(309), &p)
	r.Add(&p, &q).Sub(&r, &p).Double(&r).Neg(&r)
	equal, identity := r.Equal(&q), r.IsIdentity()
	words[0] = choiceOf(equal) ^ choiceOf(identity)
	r.Set(&q)
	group.BatchNormalize([]group.Point{p, q, r})
	sink += len(q.Bytes())
}

// groupPrint prints and encodes a secret scalar, and a secret point, which becomes
// public by that.
func groupPrint() {
	s := secretGroupScalar(310)
	sink += len(fmt.Sprintf("%v %+v %#v %x %s", s, *s, s, *s, *s))
	sink += len(s.String()) + len(s.GoString()) + len(s.LogValue().String())
	_, text := s.MarshalText()
	_, json := s.MarshalJSON()
	_, binary := s.MarshalBinary()
	_, gob := s.GobEncode()
	if text == nil || json == nil || binary == nil || gob == nil {
		panic("a scalar is encoded")
	}

	var p group.Point
	p.ScalarBaseMult(s)
	sink += len(fmt.Sprintf("%v %+v %#v %x %s %d", p, &p, p, p, &p, p))
	sink += len(p.String()) + len(p.GoString()) + len(p.LogValue().String())
	hexadecimal, err := p.MarshalText()
	must(err)
	must(p.UnmarshalText(hexadecimal))
	p.ScalarBaseMult(secretGroupScalar(311))
	encoding, err := p.MarshalBinary()
	must(err)
	copy(bytes32[:], encoding) // still secret: who writes it decides
	must(p.UnmarshalBinary(new(group.Point).SetGenerator().Bytes()))
}

// choiceOf turns a bool into a number without a branch: that of a caller is the
// caller's.
func choiceOf(b bool) uint64 {
	var c ct.Choice
	if b {
		c = 1
	}
	return uint64(c)
}
