package main

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/musig2"
)

// musigs holds cases, functions that call the library with secrets, for packages musig2 and musig.
var musigs = []func(){musigNumbers, musigNonces, musigSign, musigRefuse, musigDeterministic}

// musigNumbers derives a secret nonce with and without a private key, and signs with it.
func musigNumbers() {
	defer without512()()
	d, c := secretScalar(620), secretScalar(621)
	c.Declassify()
	var k musig.SecretPair
	for _, key := range []*scalar.Scalar{nil, &d} {
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
	v.Sign(&number, &k, &d, &c)
	k.Combine(&number, &v.B)
	if k.AnyZero() {
		panic("a nonce is zero")
	}
	musig.MaskKey(secretArray(623), &d)
	k.Hash("tag", secretBytes(634))
	k.Wipe()
}

// musigSession returns the session of two signers, one of which has the given key and nonce.
func musigSession(key *koblitz.PrivateKey, nonce *musig2.SecretNonce) *musig2.Session {
	k := must(musig2.AggregateKeys(key.PublicKey(), publicKey(624)))
	all := must(musig2.AggregateNonces(nonce.PublicNonce(), nonce.PublicNonce()))
	return must(musig2.NewSession(k, all, nil))
}

func musigNonces() {
	defer without512()()
	key := secretKey(625)
	k := must(musig2.AggregateKeys(key.PublicKey()))
	for _, o := range []*musig2.NonceOptions{
		nil, {Message: musig2.NewInput(nil)},
		{AggregateKey: k, Message: musig2.NewInput([]byte{}), Extra: musig2.NewInput(secretBytes(626))},
	} {
		nonce := must(musig2.GenerateNonce(key, o))
		if nonce.IsZero() {
			panic("a nonce is zero")
		}
		nonce.Zeroize()
	}
	nonce := must(musig2.GenerateNonce(key.Blinded(), nil))
	sink += len(nonce.PublicNonce().Bytes())
	must(musig2.GenerateNonceWithoutKey(key.PublicKey(), nil))
	refused(musig2.GenerateNonce(nil, nil))
	var none *musig2.SecretNonce
	none.Zeroize()
	if none.PublicNonce() != nil || !none.IsZero() {
		panic("nothing is a nonce")
	}
}

func musigSign() {
	defer without512()()
	key := secretKey(627)
	nonce := must(musig2.GenerateNonce(key, nil))
	s := musigSession(key, nonce)
	sink += len(must(s.Sign(nonce, key)).Bytes())
	refused(s.Sign(nonce, key))
}

// musigRefuse signs with arguments that are refused.
func musigRefuse() {
	defer without512()()
	key, other := secretKey(628), secretKey(629)
	nonce := must(musig2.GenerateNonce(key, nil))
	s := musigSession(key, nonce)
	var none *musig2.Session
	refused(none.Sign(nonce, key))
	refused(s.Sign(nonce, nil))
	refused(s.Sign(nil, key))
	refused(s.Sign(nonce, other))
	refused(s.Sign(must(musig2.GenerateNonce(other, nil)), other))
}

// musigDeterministic signs with a nonce that depends on the arguments alone, and with arguments
// that are refused.
func musigDeterministic() {
	defer without512()()
	key := secretKey(630)
	k := must(musig2.AggregateKeys(key.PublicKey(), publicKey(631)))
	others := must(musig2.AggregateNonces(must(musig2.GenerateNonce(key, nil)).PublicNonce()))
	infinite := must(musig2.ParseAggregateNonce(make([]byte, musig2.NonceSize)))
	stranger := must(musig2.AggregateKeys(publicKey(631)))
	for _, c := range []struct {
		key    *koblitz.PrivateKey
		k      *musig2.AggregateKey
		others *musig2.AggregateNonce
		random []byte
		good   bool
	}{
		{key, k, others, nil, true},
		{key, k, others, secretBytes(632), true},
		{nil, k, others, nil, false},
		{key, nil, others, nil, false},
		{key, k, nil, nil, false},
		{key, k, others, secretBytes(632)[1:], false},
		{key, k, infinite, nil, false},
		{key, stranger, others, nil, false},
	} {
		_, _, err := musig2.DeterministicSign(c.key, c.k, c.others, nil, c.random)
		if (err == nil) != c.good {
			panic(err)
		}
	}
	for _, msg := range messages() {
		if _, _, err := musig2.DeterministicSign(key, k, others, msg, nil); err != nil {
			panic(err)
		}
	}
}
