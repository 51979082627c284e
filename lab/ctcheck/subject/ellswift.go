package main

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

func ellswiftCreate() {
	must(ellswift.Create(secretKey(590), nil))
	must(ellswift.Create(secretKey(591), secretBytes(592)))
}

func ellswiftShared() {
	theirs, ours := ellswiftEncoding(593), ellswiftEncoding(594)
	for _, initiating := range []bool{false, true} {
		must(ellswift.SharedSecret(secretKey(595), ours, theirs, initiating))
		must(ellswift.AppendSharedSecret(nil, secretKey(596), ours, theirs, initiating))
	}
}

// ellswiftNone calls functions without a private key, and with arguments of wrong lengths.
func ellswiftNone() {
	k, none, theirs := secretKey(597), new(koblitz.PrivateKey), ellswiftEncoding(598)
	refused(ellswift.Create(none, nil))
	refused(ellswift.Create(k, secretString(599, 31)))
	refused(ellswift.SharedSecret(none, theirs, theirs, true))
	refused(ellswift.SharedSecret(k, theirs[1:], theirs, true))
	refused(ellswift.SharedSecret(k, theirs, theirs[1:], true))
}

// ellswiftEncoding returns the encoding of a public key.
func ellswiftEncoding(seed uint64) []byte {
	return must(ellswift.Encode(publicKey(seed), make([]byte, 32)))
}

func swiftecMult() {
	var x swiftec.X
	x.SetBytes((*[64]byte)(ellswiftEncoding(600)))
	k := secretScalar(601)
	x.Mult(&bytes32, &k)
}
