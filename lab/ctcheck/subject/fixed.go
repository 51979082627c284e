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
	"github.com/koblitz-go/koblitz/schnorr"
)

// fixed holds cases, functions that call the library with secrets, with arguments that package
// operations lacks.
var fixed = slices.Concat([]func(){
	printing, recoverAndVerify, rare, batchSchnorrSign, ecdsaSigner, schnorrSigner, groupPoints,
}, protocolsFixed)

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

// groupPoints adds a secret point to points that are made from public values, and wipes the sum.
func groupPoints() {
	p, q := secretGroupPoint(308), new(group.Point)
	p.Add(p, must(q.SetXOnlyPublicKey(publicKey(319).XOnlyPublicKey())))
	p.Add(p, q.SetIdentity()).Add(p, q.SetGenerator()).Add(p, q.SetNamedGenerator("name"))
	p.Zeroize()
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
	k := secretKey(241)
	must(ellswift.Create(k, nil))
	_, _, err := dleq.Prove(k, publicKey(243), nil)
	must(0, err)
	bytes32 = schnorr.TaggedHash("tag", secretBytes(246), secretBytes(247))
	refused(k.PublicKey().TweakAdd(k.Negate().Bytes()))
	row := batch.Packed(secretBytes(244), 32)
	out, verdicts := make([]byte, 33), make([]batch.Verdict, 1)
	refused(batch.SecretRows{Secrets: row}.PublicKeys(context.Background(), out[:32], verdicts, nil))
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
