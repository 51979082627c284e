package after

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// SignDER returns a signature of the hash in DER.
func SignDER(secret, hash []byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	sig, err := ecdsa.Sign(priv, hash, nil)
	if err != nil {
		return nil, err
	}
	return sig.DER(), nil
}

// VerifyDER reports whether der is a signature of the hash, with a low or a high s.
func VerifyDER(pub, hash, der []byte) (bool, error) {
	key, err := koblitz.ParsePublicKey(pub)
	if err != nil {
		return false, err
	}
	sig, err := ecdsa.ParseDER(der)
	if err != nil {
		return false, err
	}
	return ecdsa.Verify(key, hash, sig), nil // VerifyLowS for a low s only
}
