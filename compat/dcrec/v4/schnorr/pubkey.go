package schnorr

import (
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// PubKeyBytesLen is the length of an encoded public key in bytes.
const PubKeyBytesLen = 33

// ParsePubKey returns the key that pubKeyStr encodes. It accepts only the compressed form. Errors
// for a wrong length or first byte have no particular type; all other errors are those of package
// secp256k1.
func ParsePubKey(pubKeyStr []byte) (*secp256k1.PublicKey, error) {
	switch {
	case pubKeyStr == nil:
		return nil, errors.New("nil pubkey byte string")
	case len(pubKeyStr) != PubKeyBytesLen:
		return nil, fmt.Errorf("bad pubkey byte string size (want %v, have %v)",
			PubKeyBytesLen, len(pubKeyStr))
	}
	b := [PubKeyBytesLen]byte(pubKeyStr) // the type that is checked is parsed
	if b[0]&^1 != secp256k1.PubKeyFormatCompressedEven {
		return nil, errors.New("wrong pubkey type (not compressed)")
	}
	return secp256k1.ParsePubKey(b[:])
}
