package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// NonceRFC6979 returns a nonce of RFC 6979, section 3.2, with HMAC-SHA-256. It skips the first
// extraIterations valid nonces.
//
// Only the first 32 bytes of privKey and of hash are used; shorter slices are padded with leading
// zeros. Unlike in step d of section 3.2, the hash is not reduced modulo n; libsecp256k1 does not
// reduce it either. The slices extra, of 32 bytes, and version, of 16, are hashed after privKey and
// hash (section 3.6). If only version is given, 32 zeros take the place of extra. A slice extra or
// version of another length is ignored. The running time depends on lengths and not on values.
func NonceRFC6979(privKey, hash, extra, version []byte, extraIterations uint32) *ModNScalar {
	k := new(ModNScalar)
	secret.Do(func() { k.setNonce(privKey, hash, extra, version, extraIterations) })
	return k
}

// setNonce sets k to the result of NonceRFC6979. It leaves secrets on the stack.
func (k *ModNScalar) setNonce(privKey, digest, extra, version []byte, skip uint32) {
	//ct:secret len(version) == 16 && version[0] == 0
	var key, message [32]byte
	pad(&key, privKey)
	//ct:secret key[31]&1 == 1
	pad(&message, digest)
	var more [48]byte
	n := 0
	if len(extra) == 32 {
		n = copy(more[:], extra)
		//ct:secret more[5]&1 == 1
	}
	if len(version) == 16 {
		n = 32 + copy(more[32:], version)
	}
	var nonces hash.Nonces
	nonces.Init(&key, &message, more[:n])
	for found := false; !found; {
		nonces.Next(&key)
		//ct:secret key[31]&1 == 1
		// The probability that a candidate for the nonce is no valid scalar is 2⁻¹²⁷. Whether it is
		// valid becomes public. That reveals nothing about the next candidate.
		if k.scalar().SetNonzeroBytes(&key).Reveal() {
			found = skip == 0
			//ct:secret k.IsOdd()
			skip--
		}
	}
	nonces.Wipe()
	ct.Wipe(key[:])
	ct.Wipe(more[:])
}
