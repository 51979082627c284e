package musig2

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// The program lab/oracle compares every call with that of the replaced module. The tests of this
// package are about what it cannot compare: memory, short reads, and intended differences.

// digest returns the SHA-256 of the given bytes.
func digest(numbers ...byte) [32]byte { return sha256.Sum256(numbers) }

// signers returns n private keys, and their public keys.
func signers(n int) (private []*secp256k1.PrivateKey, public []*secp256k1.PublicKey) {
	for i := range n {
		b := digest(byte(i))
		private = append(private, secp256k1.PrivKeyFromBytes(b[:]))
		public = append(public, private[i].PubKey())
	}
	return private, public
}

// noncesOf returns the nonces for the key that come from the random bytes digest(i, 1).
func noncesOf(t testing.TB, key *secp256k1.PublicKey, i byte) *Nonces {
	t.Helper()
	b := digest(i, 1)
	n, err := GenNonces(WithPublicKey(key), WithCustomRand(bytes.NewReader(b[:])))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// opposite returns −p.
func opposite(p *secp256k1.PublicKey) *secp256k1.PublicKey {
	b := p.SerializeCompressed()
	b[0] ^= 1
	q, err := secp256k1.ParsePubKey(b)
	if err != nil {
		panic(err)
	}
	return q
}
