package btcec

import "github.com/koblitz-go/koblitz/compat/impl/secp256k1"

// NewPrivateKey returns a random private key.
func NewPrivateKey() (*PrivateKey, error) { return secp256k1.GeneratePrivateKey() }

// PrivKeyFromScalar returns the private key with the given scalar.
func PrivKeyFromScalar(key *ModNScalar) *PrivateKey { return secp256k1.NewPrivateKey(key) }
