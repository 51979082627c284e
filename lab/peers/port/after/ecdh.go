package after

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
)

// SharedX returns the x coordinate of the shared point, unhashed.
func SharedX(secret, peer []byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	pub, err := koblitz.ParsePublicKey(peer)
	if err != nil {
		return nil, err
	}
	return ecdh.SharedX(priv, pub)
}

// SharedHash returns the SHA-256 of the shared point, compressed, as in Lightning.
func SharedHash(secret, peer []byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	pub, err := koblitz.ParsePublicKey(peer)
	if err != nil {
		return nil, err
	}
	return ecdh.SharedSHA256(priv, pub)
}
