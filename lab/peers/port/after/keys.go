package after

import "github.com/koblitz-go/koblitz"

// Keys returns the public key of a secret, compressed, and a peer's key, uncompressed.
func Keys(secret, peer []byte) (own, other []byte, err error) {
	priv, err := koblitz.ParsePrivateKey(secret) // an error unless it is 32 bytes in [1, n)
	if err != nil {
		return nil, nil, err
	}
	key, err := koblitz.ParsePublicKey(peer)
	if err != nil {
		return nil, nil, err
	}
	return priv.PublicKey().Bytes(), key.UncompressedBytes(), nil
}
