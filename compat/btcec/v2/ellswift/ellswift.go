package ellswift

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
)

// V2Ecdh returns the shared secret of BIP-324, in constant time in the private key.
func V2Ecdh(
	priv *btcec.PrivateKey, ellswiftTheirs, ellswiftOurs [64]byte, initiating bool,
) (*chainhash.Hash, error) {
	shared, err := impl.V2Ecdh(priv, ellswiftTheirs, ellswiftOurs, initiating)
	if err != nil {
		return nil, err
	}
	return (*chainhash.Hash)(&shared), nil
}
