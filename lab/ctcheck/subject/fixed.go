package main

import (
	"context"
	"crypto"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// fixed holds cases, functions that call the library with secrets, with arguments that package
// operations lacks.
var fixed = slices.Concat([]func(){
	printing, recoverAndVerify, rare, batchPublicKeys, batchSharedX, batchSchnorrSign, batchECDSASign,
	keyZeroize, ecdsaSigner, schnorrSigner, groupBase, groupRefuse, groupPoints,
	groupFromPublic, groupHash, groupSum, groupLagrange,
}, protocolsFixed, dropInsFixed)

// keyZeroize zeroizes a key. Its copy and its blinded form must become invalid too.
func keyZeroize() {
	k := secretKey(213)
	c, b := *k, k.Blinded()
	k.Zeroize()
	if !k.IsZero() || !c.IsZero() || !b.IsZero() || k.Bytes() != nil || k.PublicKey() != nil {
		panic("a zeroized key is a key")
	}
}

func ecdsaSigner() {
	s := must(ecdsa.NewSigner(secretKey(451)))
	for _, digest := range digests() {
		if sig, err := s.Sign(nil, digest, nil); len(digest) == 32 {
			must(sig, err)
		} else {
			refused(sig, err)
		}
	}
	digest := digests()[1]
	must(s.Sign(nil, digest, crypto.SHA256))
	sink += len(s.Public().(*koblitz.PublicKey).Bytes())
	show(s)
	refused(s.Sign(nil, digest, crypto.SHA512))
	refused(s.Sign(nil, digests()[1], crypto.BLAKE2b_512+1))
	refused(ecdsa.NewSigner(nil))
	refused((*ecdsa.Signer)(nil).Sign(nil, digest, nil))
	if (*ecdsa.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
}

func schnorrSigner() {
	s := must(schnorr.NewSigner(secretKey(452)))
	for _, msg := range messages() {
		must(s.SignMessage(nil, msg, nil))
		must(s.Sign(nil, msg, nil))
	}
	sink += len(s.Public().(*koblitz.XOnlyPublicKey).Bytes())
	show(s)
	must(s.SignMessage(nil, nil, crypto.SHA256))
	refused(s.SignMessage(nil, nil, crypto.BLAKE2s_256)) // this hash function is not linked
	refused(s.Sign(nil, nil, crypto.SHA256))
	refused(s.Sign(nil, nil, crypto.BLAKE2b_512+1))
	refused(schnorr.NewSigner(nil))
	refused((*schnorr.Signer)(nil).Sign(nil, nil, nil))
	if (*schnorr.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
	options := &schnorr.SignOptions{Aux: secretBytes(453)}
	show(options)
	show(*options)
}

func groupBase() {
	var p group.Point
	p.ScalarBaseMult(secretGroupScalar(307))
	p.Zeroize()
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

func groupHash() {
	tag := []byte(operations.Tag)
	for _, msg := range secretMessages(326) {
		copy(bytes32[:], must(new(group.Scalar).HashToScalar(msg, tag)).Bytes())
		copy(bytes32[:], must(new(group.Point).HashToCurve(msg, tag)).Bytes())
		copy(bytes32[:], must(new(group.Point).EncodeToCurve(msg, tag)).Bytes())
		refused(new(group.Scalar).HashToScalar(msg, nil))
		refused(new(group.Point).HashToCurve(msg, nil))
		refused(new(group.Point).EncodeToCurve(msg, nil))
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

// recoverAndVerify does with a new signature what a caller does who is handed it: its numbers are
// public by then.
func recoverAndVerify() {
	k, digest, message := secretKey(229), digests()[1], messages()[1]
	sig := must(ecdsa.SignRecoverable(k, digest, nil))
	if !must(ecdsa.Recover(digest, sig)).Equal(k.PublicKey()) {
		panic("Recover finds another key")
	}
	bip340 := must(schnorr.Sign(k, message, nil))
	if !schnorr.Verify(k.XOnlyPublicKey(), message, bip340) {
		panic("Verify refuses a signature")
	}
}

// rare makes calls with arguments that package operations does not vary. Most of them are errors.
func rare() {
	k, theirs := secretKey(241), must(ellswift.Encode(publicKey(242), make([]byte, 32)))
	refused(ellswift.SharedSecret(k, theirs[1:], theirs, true))
	refused(ellswift.SharedSecret(k, theirs, theirs[1:], true))
	must(ellswift.Create(k, nil))
	_, _, err := dleq.Prove(k, publicKey(243), &dleq.Options{G: new(koblitz.PublicKey)})
	refused(0, err)
	_, _, err = dleq.Prove(k, publicKey(243), &dleq.Options{Message: make([]byte, 1)})
	refused(0, err)
	_, _, err = dleq.Prove(k, publicKey(243), nil)
	must(0, err)
	for _, key := range []*koblitz.PrivateKey{k, k.Blinded()} {
		_, _, err = dleq.Prove(key, publicKey(243), &dleq.Options{Message: make([]byte, 32)})
		must(0, err)
	}
	for _, initiating := range []bool{false, true} {
		must(ellswift.SharedSecret(k, theirs, theirs, initiating))
	}
	must(schnorr.Sign(k, make([]byte, 65), nil)) // 65 bytes are too long for a copy
	bytes32 = schnorr.TaggedHash("tag", secretBytes(246), secretBytes(247))
	must(new(group.Scalar).SetUniformBytes(secretString(301, 48)))
	refused(k.PublicKey().TweakAdd(k.Negate().Bytes()))
	x := secretGroupScalar(245)
	words[0] = choiceOf(x.Equal(nil))
	refused(0, group.BatchHashToCurve(make([]group.Point, 1), nil, []byte(operations.Tag)))
	refused(0, group.BatchHashToCurve(nil, nil, nil))
	if new(silentpay.ScanKey).PublicKey() != nil {
		panic("no key has a public key")
	}
	row := batch.Packed(secretBytes(244), 32)
	out, verdicts := make([]byte, 65), make([]batch.Verdict, 1)
	ctx, unchecked := context.Background(), &batch.SecretOptions{Unchecked: true}
	refused(batch.SecretRows{Secrets: row}.PublicKeys(ctx, out[:33], verdicts, unchecked))
	refused(batch.ECDSASignRows{Secrets: row, Hashes: row}.Sign(ctx, out[:64], verdicts, nil))
	refused(batch.ECDHRows{Secrets: row, Keys: row}.SharedX(ctx, out[:32], verdicts, unchecked))
}

// printing prints and encodes a secret value of each type. Printing makes a point public, but not
// the Z of its projective coordinates.
func printing() {
	show(secretKey(208))
	show(&ecdsa.SignOptions{Entropy: secretBytes(231)})
	show(&schnorr.SignOptions{Aux: secretBytes(453)})
	show(&dleq.Options{Aux: secretBytes(708)})
	show(secretGroupScalar(313))
	show(secretGroupPoint(323))
}
