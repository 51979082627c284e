package btcec

import "github.com/koblitz-go/koblitz/compat/impl/secp256k1"

// PrivKeyFromBytes returns the private key with the number in the first 32 bytes of pk, big-endian,
// and its public key. A number of n or more is reduced modulo n, and 0 is accepted. The running
// time depends only on the length of pk.
func PrivKeyFromBytes(pk []byte) (*secp256k1.PrivateKey, *secp256k1.PublicKey) {
	//ct:secret len(pk) == 32 && pk[31]&1 == 1
	key := secp256k1.PrivKeyFromBytes(pk)
	//ct:secret key.Key.IsOverHalfOrder()
	//ct:secret key.Key.IsOdd()
	return key, key.PubKey()
}
