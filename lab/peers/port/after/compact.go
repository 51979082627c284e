package after

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// SignCompact returns the 65 bytes of a signed message of Bitcoin: 27, plus 4 for a compressed
// key, plus the recovery id; then r and s.
func SignCompact(secret, hash []byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	sig, err := ecdsa.SignRecoverable(priv, hash, nil) // r, s and the id, 0 to 3
	if err != nil {
		return nil, err
	}
	return append([]byte{27 + 4 + sig[64]}, sig[:64]...), nil
}

// RecoverCompact returns the signer's key, compressed if the signature says so.
func RecoverCompact(sig, hash []byte) ([]byte, error) {
	if len(sig) != 65 || sig[0] < 27 || sig[0] > 34 {
		return nil, fmt.Errorf("not a compact signature: %x", sig)
	}
	code := sig[0] - 27
	key, err := ecdsa.Recover(hash, append(sig[1:65:65], code&3))
	if err != nil {
		return nil, err
	}
	if code&4 != 0 {
		return key.Bytes(), nil
	}
	return key.UncompressedBytes(), nil
}
