package after

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// SignEthereum returns a signature of 65 bytes: r, s and the recovery id.
func SignEthereum(secret, hash []byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	if len(hash) != 32 {
		return nil, fmt.Errorf("the hash has %d bytes, not 32", len(hash))
	}
	return ecdsa.SignRecoverable(priv, hash, nil)
}

// Sender returns the address that signed the hash.
func Sender(hash, sig []byte) (common.Address, error) {
	if len(hash) != 32 {
		return common.Address{}, fmt.Errorf("the hash has %d bytes, not 32", len(hash))
	}
	pub, err := ecdsa.Recover(hash, sig)
	if err != nil {
		return common.Address{}, err
	}
	return common.BytesToAddress(crypto.Keccak256(pub.UncompressedBytes()[1:])[12:]), nil
}
