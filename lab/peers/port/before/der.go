package before

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// SignDER returns a signature of the hash in DER.
func SignDER(secret, hash []byte) ([]byte, error) {
	priv, _ := btcec.PrivKeyFromBytes(secret)
	return ecdsa.Sign(priv, hash).Serialize(), nil
}

// VerifyDER reports whether der is a signature of the hash, with a low or a high s.
func VerifyDER(pub, hash, der []byte) (bool, error) {
	key, err := btcec.ParsePubKey(pub)
	if err != nil {
		return false, err
	}
	sig, err := ecdsa.ParseDERSignature(der)
	if err != nil {
		return false, err
	}
	return sig.Verify(hash, key), nil
}
