package musig2_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Three signers sign for a taproot output. Each keeps its private key and secret nonce, and sends
// the rest to the others.
func Example() {
	var private []*koblitz.PrivateKey
	var public []*koblitz.PublicKey
	for range 3 {
		key := koblitz.GenerateKey()
		private, public = append(private, key), append(public, key.PublicKey())
	}
	internal := must(musig2.AggregateKeys(public...))
	output := must(internal.TaprootTweak(nil)) // an output without scripts

	// In the first round each signer sends a public nonce.
	secret := make([]*musig2.SecretNonce, 3)
	nonces := make([]*musig2.PublicNonce, 3)
	for i, key := range private {
		secret[i] = must(musig2.GenerateNonce(key, nil))
		nonces[i] = secret[i].PublicNonce()
	}

	// In the second round each signer sends a partial signature.
	msg := []byte("the signature hash of a transaction")
	session := must(musig2.NewSession(output, must(musig2.AggregateNonces(nonces...)), msg))
	sigs := make([]*musig2.PartialSignature, 3)
	for i, key := range private {
		sigs[i] = must(session.Sign(secret[i], key))
	}

	if err := session.VerifyAll(sigs, nonces); err != nil {
		panic(err)
	}
	sig := must(session.Aggregate(sigs...))
	fmt.Println(schnorr.Verify(output.XOnlyPublicKey(), msg, sig))
	// Output: true
}

// Two signers share one extended public key (BIP-328), and sign for its child with the number 7.
func ExampleAggregateKey_TweakAdd() {
	keys := []*koblitz.PrivateKey{koblitz.GenerateKey(), koblitz.GenerateKey()}
	parent := must(musig2.AggregateKeys(keys[0].PublicKey(), keys[1].PublicKey()))

	// CKDpub of BIP-32: the chain code of an aggregate key is a constant. The first half of the hash
	// is the tweak, and the second half is the child's chain code.
	chain := sha256.Sum256([]byte("MuSig2MuSig2MuSig2"))
	h := hmac.New(sha512.New, chain[:])
	h.Write(parent.PublicKey().Bytes())
	h.Write(binary.BigEndian.AppendUint32(nil, 7))
	child := must(parent.TweakAdd(h.Sum(nil)[:32]))

	var secret []*musig2.SecretNonce
	var nonces []*musig2.PublicNonce
	for _, key := range keys {
		n := must(musig2.GenerateNonce(key, nil))
		secret, nonces = append(secret, n), append(nonces, n.PublicNonce())
	}
	msg := []byte("message")
	session := must(musig2.NewSession(child, must(musig2.AggregateNonces(nonces...)), msg))
	sig := must(session.Aggregate(
		must(session.Sign(secret[0], keys[0])), must(session.Sign(secret[1], keys[1]))))
	fmt.Println(schnorr.Verify(child.XOnlyPublicKey(), msg, sig))
	// Output: true
}

// A signer sends a partial signature of another session, and is named.
func ExampleSession_VerifyAll() {
	keys := []*koblitz.PrivateKey{koblitz.GenerateKey(), koblitz.GenerateKey()}
	k := must(musig2.AggregateKeys(keys[0].PublicKey(), keys[1].PublicKey()))
	var secret []*musig2.SecretNonce
	var nonces []*musig2.PublicNonce
	for _, key := range keys {
		n := must(musig2.GenerateNonce(key, nil))
		secret, nonces = append(secret, n), append(nonces, n.PublicNonce())
	}
	sum := must(musig2.AggregateNonces(nonces...))
	session := must(musig2.NewSession(k, sum, []byte("one message")))
	other := must(musig2.NewSession(k, sum, []byte("another message")))

	err := session.VerifyAll([]*musig2.PartialSignature{
		must(session.Sign(secret[0], keys[0])), must(other.Sign(secret[1], keys[1])),
	}, nonces)
	var invalid *musig2.InvalidError
	fmt.Println(errors.As(err, &invalid), invalid.Signers)

	_, err = session.Sign(secret[0], keys[0])
	fmt.Println(err)
	// Output:
	// true [1]
	// musig2: the secret nonce was used before, or is a zero value
}
