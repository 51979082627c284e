package before

import "github.com/btcsuite/btcd/btcec/v2"

// Keys returns the public key of a secret, compressed, and a peer's key, uncompressed.
func Keys(secret, peer []byte) (own, other []byte, err error) {
	_, pub := btcec.PrivKeyFromBytes(secret)
	key, err := btcec.ParsePubKey(peer)
	if err != nil {
		return nil, nil, err
	}
	return pub.SerializeCompressed(), key.SerializeUncompressed(), nil
}
