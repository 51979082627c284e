package main

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
)

// equality holds cases, functions that call the library with secrets, for package dleq.
var equality = []func(){equalityProve, equalityRefuse}

// equalityProve proves statements with and without options, for a key with blinding and without.
func equalityProve() {
	key, b := secretKey(700), publicKey(701)
	for _, o := range []*dleq.Options{
		nil,
		{Aux: secretBytes(702)},
		{G: publicKey(703), Message: make([]byte, 32), Aux: secretBytes(704)},
	} {
		s, proof, err := dleq.Prove(key, b, o)
		if err != nil || dleq.Verify(s, proof) != nil {
			panic("a proof does not verify")
		}
	}
	if _, _, err := dleq.Prove(key.Blinded(), b, nil); err != nil {
		panic(err)
	}
}

// equalityRefuse calls Prove with arguments that are missing or have a wrong length. It also prints
// options.
func equalityRefuse() {
	key, b := secretKey(705), publicKey(706)
	prove := func(key *koblitz.PrivateKey, b *koblitz.PublicKey, o *dleq.Options) {
		_, proof, err := dleq.Prove(key, b, o)
		refused(proof, err)
	}
	prove(key, nil, nil)
	prove(new(koblitz.PrivateKey), b, nil)
	prove(key, b, &dleq.Options{G: new(koblitz.PublicKey)})
	prove(key, b, &dleq.Options{Message: make([]byte, 1)})
	prove(key, b, &dleq.Options{Aux: secretString(707, 1)})
	options := &dleq.Options{Aux: secretBytes(708)}
	show(options)
	show(*options)
}
