//go:build valgrind

package main

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// deal returns secret shares of three participants, two of whom can sign, and signers 0 and 2.
func deal() ([]*koblitz.PrivateKey, *frost.Signers) {
	shares, commitment, err := frost.Deal(secretKey(), 2, 3)
	if err != nil {
		panic(err)
	}
	return shares, signersOf(commitment)
}

func signersOf(c *frost.Commitment) *frost.Signers {
	keys := []*koblitz.PublicKey{must(c.PublicShare(0)), must(c.PublicShare(2))}
	return must(frost.NewSigners(2, 3, []uint32{0, 2}, keys, must(c.PublicKey())))
}

func frostDeal() {
	shares, commitment, err := frost.Deal(secretKey(), 2, 3)
	if err != nil {
		panic(err)
	}
	if err := commitment.Check(1, shares[1]); err != nil {
		panic(err)
	}
	if commitment.Check(0, shares[1]) == nil {
		panic("the share of another participant passes")
	}
}

// nonce returns a nonce for a known message.
func nonce(share *koblitz.PrivateKey) *frost.SecretNonce {
	return must(frost.GenerateNonce(&frost.NonceOptions{
		Share: share, PublicShare: share.PublicKey(),
		Message: frost.NewInput([]byte("message")), Extra: frost.NewInput(secret(6)),
	}))
}

func frostSign() {
	shares, signers := deal()
	first, second := nonce(shares[0]), must(frost.GenerateNonce(nil))
	sink += len(fmt.Sprint(first))
	nonces := []*frost.PublicNonce{first.Public(), second.Public()}
	tweaks := []frost.Tweak{{Value: make([]byte, 32), XOnly: true}}
	session := must(frost.NewSession(signers, must(frost.AggregateNonces(nonces)), tweaks, nil))
	if _, err := session.Sign(first, 0, shares[1]); err == nil {
		panic("the share of another participant signs")
	}
	partials := [][]byte{
		public(must(session.Sign(first, 0, shares[0]))),
		public(must(session.Sign(second, 2, shares[2]))),
	}
	verifying(func() {
		if err := session.VerifyPartials(nonces, partials); err != nil {
			panic(err)
		}
	})
	sink += len(must(session.Aggregate(partials)))
	unused := nonce(shares[0])
	unused.Zeroize()
}

func frostSignDeterministically() {
	shares, signers := deal()
	others := must(frost.AggregateNonces([]*frost.PublicNonce{nonce(shares[0]).Public()}))
	for _, random := range [][]byte{nil, secret(5)} {
		_, partial, err := frost.SignDeterministically(
			signers, others, nil, nil, 2, shares[2], random)
		if err != nil {
			panic(err)
		}
		sink += len(partial)
	}
}

func frostRFC9591() {
	shares, signers := deal()
	first := must(frost.GenerateNonceRFC9591(shares[0]))
	second := must(frost.GenerateNonceRFC9591(shares[2]))
	nonces := []*frost.PublicNonce{first.Public(), second.Public()}
	session := must(frost.NewSessionRFC9591(signers, nonces, nil))
	partials := [][]byte{
		public(must(session.Sign(first, 0, shares[0]))),
		public(must(session.Sign(second, 2, shares[2]))),
	}
	sink += len(must(session.Aggregate(partials)))
}

// generate runs a key generation of two participants, and returns the share of the first.
func generate() *frost.KeyShare {
	a, b := must(frost.StartKeyGen(0, 2, 2, nil)), must(frost.StartKeyGen(1, 2, 2, nil))
	sink += len(fmt.Sprint(a))
	contributions := []*frost.Contribution{
		a.Contribution(), must(frost.ParseContribution(b.Contribution().Bytes())),
	}
	var mine, theirs []*koblitz.PrivateKey
	verifying(func() { mine, theirs = must(a.Shares(contributions)), must(b.Shares(contributions)) })
	defer b.Zeroize()
	if _, err := a.Finish([]*koblitz.PrivateKey{mine[0], theirs[1]}); err == nil {
		panic("a wrong share is accepted")
	}
	return must(a.Finish([]*koblitz.PrivateKey{mine[0], theirs[0]}))
}

func frostKeyGeneration() { sink += len(generate().Share.PublicKey().Bytes()) }

// repair returns a repair, and the parts that participants 0 and 2 send.
func repair() (r *frost.Repair, first, second []*frost.RepairPart) {
	shares, commitment, err := frost.Deal(secretKey(), 2, 3)
	if err != nil {
		panic(err)
	}
	r = must(frost.NewRepair(commitment, 3, 1, []uint32{0, 2}))
	return r, must(r.Parts(0, shares[0])), must(r.Parts(2, shares[2]))
}

func frostRepair() {
	r, first, second := repair()
	received := must(frost.ParseRepairPart(second[0].Bytes()))
	share := must(r.Share([]*frost.RepairPart{
		must(r.AddParts(0, []*frost.RepairPart{first[0], received})),
		must(r.AddParts(2, []*frost.RepairPart{first[1], second[1]})),
	}))
	share.Zeroize()
}

func plantedShare() {
	shares, _ := deal()
	branch(shares[1].Bytes())
}

func plantedPartial() {
	shares, signers := deal()
	n := nonce(shares[0])
	sum := must(frost.AggregateNonces([]*frost.PublicNonce{n.Public()}))
	session := must(frost.NewSession(signers, sum, nil, nil))
	branch(must(session.Sign(n, 0, shares[0])))
}

func plantedPart() {
	_, parts, _ := repair()
	branch(parts[1].Bytes()[32:])
}

func plantedGenerated() { branch(generate().Share.Bytes()) }
