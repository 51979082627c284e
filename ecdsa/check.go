package ecdsa

import "github.com/koblitz-go/koblitz/internal/keys"

// check reports whether a signature that was just made verifies under the
// signer's own public key, with a low s. Everything that it looks at is public.
func check(key *keys.Public, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && verify(key.Affine(), hash, sig)
}
