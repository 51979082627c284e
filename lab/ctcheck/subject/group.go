package main

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ct"
)

// groups holds cases, functions that call the library with secrets, for package group.
var groups = []func(){
	groupRandom, groupParse, groupRefuse, groupScalars, groupInvert, groupKeys, groupPrint,
	groupBase, groupPoints, groupMult, groupAffine, groupFromPublic, groupPublicKey, groupHash,
	groupHashMany, groupSum, groupLagrange,
}

func groupRandom() { copy(bytes32[:], group.RandomScalar().Bytes()) }

func groupParse() {
	secretGroupScalar(300)
	for _, n := range []int{48, 64} {
		s := must(new(group.Scalar).SetUniformBytes(secretString(301, n)))
		copy(bytes32[:], s.AppendBytes(nil))
	}
	// The first number is below the group order n, and the second is not. Reducing them must take
	// the same steps.
	for _, b := range [][]byte{secretBytes(324), secretCopy(ones())} {
		s := must(new(group.Scalar).SetBytesReduced(b))
		copy(bytes32[:], s.Bytes())
	}
}

// groupRefuse parses values that are too short, too long or out of range. It also converts 0 and
// infinity to keys. All these calls must return errors.
func groupRefuse() {
	s := secretGroupScalar(302)
	refused(s.SetBytes(secretString(310, 31)))
	refused(s.SetBytes(secretCopy(ones())))
	refused(s.SetUniformBytes(secretString(311, 65)))
	refused(s.SetBytesReduced(secretString(325, 33)))
	refused(s.SetPrivateKey(new(koblitz.PrivateKey)))
	refused(s.Sub(s, s).PrivateKey())
	p := secretGroupPoint(312)
	refused(p.Sub(p, p).PublicKey())
}

func groupScalars() {
	x, y := secretGroupScalar(303), secretGroupScalar(304)
	v := new(group.Scalar).Add(x, y)
	v.Sub(v, x).Negate(v).Mul(v, y).Set(v)
	equal, zero, none := v.Equal(x), v.IsZero(), v.Equal(nil)
	words[0] = choiceOf(equal) ^ choiceOf(zero) ^ choiceOf(none)
	v.Set(x).SetUint64(binary.BigEndian.Uint64(secretBytes(322)))
	x.Zeroize()
}

func groupInvert() {
	x := secretGroupScalar(305)
	copy(bytes32[:], new(group.Scalar).Invert(x).Bytes())
}

func groupKeys() {
	k := must(secretGroupScalar(306).PrivateKey())
	s := must(new(group.Scalar).SetPrivateKey(k))
	copy(bytes32[:], s.Bytes())
}

// groupPrint prints and encodes a secret scalar and a secret point. Printing makes the point
// public, but not the Z of its projective coordinates.
func groupPrint() {
	show(secretGroupScalar(313))
	show(secretGroupPoint(323))
}

func groupBase() {
	var p group.Point
	p.ScalarBaseMult(secretGroupScalar(307))
	p.Zeroize()
}

func groupPoints() {
	p, q := secretGroupPoint(308), secretGroupPoint(309)
	r := new(group.Point).Add(p, q)
	r.Sub(r, p).Double(r).Negate(r)
	equal, identity, none := r.Equal(q), r.IsIdentity(), r.Equal(nil)
	words[0] = choiceOf(equal) ^ choiceOf(identity) ^ choiceOf(none)
	r.Set(q)
	group.BatchNormalize([]group.Point{*p, *q, *r})
	r.SetIdentity()
	p.SetGenerator()
}

// groupMult multiplies a secret point by a secret scalar. It then multiplies the identity, which is
// also marked as secret.
func groupMult() {
	k, p := secretGroupScalar(314), secretGroupPoint(315)
	new(group.Point).ScalarMult(k, p)
	new(group.Point).ScalarMult(k, p.Sub(p, p))
}

// groupAffine encodes and copies points, once with a projective Z of 1 and once with another Z.
func groupAffine() {
	p := []group.Point{*secretGroupPoint(316), *secretGroupPoint(317)}
	sink += len(p[0].Bytes())
	group.BatchNormalize(p)
	sink += len(p[0].AppendBytes(nil))
	p[1].Set(&p[0]).ScalarMult(secretGroupScalar(318), &p[0])
}

// groupFromPublic adds a secret point to a public key and to an x-only public key, and tries
// invalid keys.
func groupFromPublic() {
	k := publicKey(319)
	p := must(new(group.Point).SetPublicKey(k))
	q := must(new(group.Point).SetXOnlyPublicKey(k.XOnlyPublicKey()))
	r := secretGroupPoint(320)
	r.Add(r, p).Add(r, q)
	refused(r.SetPublicKey(new(koblitz.PublicKey)))
	refused(r.SetXOnlyPublicKey(new(koblitz.XOnlyPublicKey)))
}

// groupPublicKey converts a secret point to a public key twice: first from projective coordinates
// with a denominator other than 1, then normalized, with the denominator 1.
func groupPublicKey() {
	p := []group.Point{*secretGroupPoint(321)}
	k := must(p[0].PublicKey())
	group.BatchNormalize(p)
	l := must(p[0].PublicKey())
	if !k.Equal(l) {
		panic("PublicKey is wrong")
	}
}

// hashTag is a domain separation tag, which is public.
const hashTag = "koblitz-ctcheck-V01-CS01"

func groupHash() {
	tag := []byte(hashTag)
	for _, msg := range secretMessages(326) {
		copy(bytes32[:], must(new(group.Scalar).HashToScalar(msg, tag)).Bytes())
		copy(bytes32[:], must(new(group.Point).HashToCurve(msg, tag)).Bytes())
		copy(bytes32[:], must(new(group.Point).EncodeToCurve(msg, tag)).Bytes())
		refused(new(group.Scalar).HashToScalar(msg, nil))
		refused(new(group.Point).HashToCurve(msg, nil))
		refused(new(group.Point).EncodeToCurve(msg, nil))
	}
}

// groupHashMany hashes a number of messages that takes lanes where the CPU has them, and one
// message.
func groupHashMany() {
	for _, n := range []int{1, manyRows} {
		msgs := make([][]byte, n)
		for i := range msgs {
			msgs[i] = secretString(uint64(1500+i), 40)
		}
		points := make([]group.Point, n)
		must(0, group.BatchHashToCurve(points, msgs, []byte(hashTag)))
		sink += len(points[n-1].Bytes())
		refused(0, group.BatchHashToCurve(points, msgs, nil))
		refused(0, group.BatchHashToCurve(points[1:], msgs, []byte(hashTag)))
	}
}

// groupSum sums products of secret points, with the identity among them, and tries unequal lengths.
func groupSum() {
	p, identity := secretGroupPoint(327), secretGroupPoint(328)
	identity.Sub(identity, identity)
	k := []*group.Scalar{secretGroupScalar(329), secretGroupScalar(330), secretGroupScalar(331)}
	must(new(group.Point).MultiScalarMult(k, []*group.Point{p, identity, p}))
	refused(new(group.Point).MultiScalarMult(k, nil))
	new(group.Point).SetNamedGenerator("name")
}

// groupLagrange takes Lagrange coefficients for secret identifiers, and tries identifiers that are
// missing, zero and equal.
func groupLagrange() {
	x, y, zero := secretGroupScalar(332), secretGroupScalar(333), secretGroupScalar(334)
	copy(bytes32[:], must(group.Lagrange([]*group.Scalar{x, y}))[1].Bytes())
	refused(group.Lagrange(nil))
	refused(group.Lagrange([]*group.Scalar{x, zero.Sub(zero, zero)}))
	refused(group.Lagrange([]*group.Scalar{x, y, x}))
}

// choiceOf converts a bool to a number without a branch: the compiler emits no branch for this
// code.
func choiceOf(b bool) uint64 {
	var c ct.Choice
	if b {
		c = 1
	}
	return uint64(c)
}
