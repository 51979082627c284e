package before

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// SignCompact returns the 65 bytes of a signed message of Bitcoin: 27, plus 4 for a compressed
// key, plus the recovery id; then r and s.
func SignCompact(secret, hash []byte) ([]byte, error) {
	return ecdsa.SignCompact(secp256k1.PrivKeyFromBytes(secret), hash, true), nil
}

// RecoverCompact returns the signer's key, compressed if the signature says so.
func RecoverCompact(sig, hash []byte) ([]byte, error) {
	key, compressed, err := ecdsa.RecoverCompact(sig, hash)
	if err != nil {
		return nil, err
	}
	if compressed {
		return key.SerializeCompressed(), nil
	}
	return key.SerializeUncompressed(), nil
}
