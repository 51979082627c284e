package adaptor

import (
	"crypto/rand"
	"crypto/subtle"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// nonce derives a nonce as BIP-340 does: it hashes the secret, masked by a hash of fresh
// randomness, and the public parts. The result has a public key, and the caller zeroizes it.
func nonce(tag string, secret *group.Scalar, parts ...[]byte) (*koblitz.PrivateKey, error) {
	var random [32]byte
	defer clear(random[:])
	rand.Read(random[:])
	masked := secret.Bytes()
	defer clear(masked)
	mask := schnorr.TaggedHash(tag+"/aux", random[:])
	defer clear(mask[:])
	subtle.XORBytes(masked, masked, mask[:])
	digest := schnorr.TaggedHash(tag, append([][]byte{masked}, parts...)...)
	defer clear(digest[:])
	k := modn.Reduce(new(group.Scalar), &digest)
	defer k.Zeroize()
	return k.PrivateKey()
}
