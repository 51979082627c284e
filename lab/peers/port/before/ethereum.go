package before

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// SignEthereum returns a signature of 65 bytes: r, s and the recovery id.
func SignEthereum(secret, hash []byte) ([]byte, error) {
	priv, err := crypto.ToECDSA(secret)
	if err != nil {
		return nil, err
	}
	return crypto.Sign(hash, priv)
}

// Sender returns the address that signed the hash.
func Sender(hash, sig []byte) (common.Address, error) {
	pub, err := crypto.SigToPub(hash, sig)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*pub), nil
}
