package before

import (
	"crypto/sha256"

	"github.com/btcsuite/btcd/btcec/v2"
)

// SharedX returns the x coordinate of the shared point, unhashed.
func SharedX(secret, peer []byte) ([]byte, error) {
	priv, _ := btcec.PrivKeyFromBytes(secret)
	pub, err := btcec.ParsePubKey(peer)
	if err != nil {
		return nil, err
	}
	return btcec.GenerateSharedSecret(priv, pub), nil
}

// SharedHash returns the SHA-256 of the shared point, compressed, as in Lightning.
func SharedHash(secret, peer []byte) ([]byte, error) {
	priv, _ := btcec.PrivKeyFromBytes(secret)
	pub, err := btcec.ParsePubKey(peer)
	if err != nil {
		return nil, err
	}
	var point, shared btcec.JacobianPoint
	pub.AsJacobian(&point)
	btcec.ScalarMultNonConst(&priv.Key, &point, &shared)
	shared.ToAffine()
	hash := sha256.Sum256(btcec.NewPublicKey(&shared.X, &shared.Y).SerializeCompressed())
	return hash[:], nil
}
