package schnorr_test

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

func ExampleSign() {
	key := secp256k1.PrivKeyFromBytes([]byte{1})
	hash := sha256.Sum256([]byte("message"))
	sig, err := schnorr.Sign(key, hash[:])
	if err != nil {
		panic(err)
	}
	parsed, err := schnorr.ParseSignature(sig.Serialize())
	fmt.Println(*parsed == *sig, err, parsed.Verify(hash[:], key.PubKey()))
	_, err = schnorr.Sign(key, hash[:31])
	fmt.Println(errors.Is(err, schnorr.ErrInvalidHashLen), err)
	// Output:
	// true <nil> true
	// true wrong size for message hash (got 31, want 32)
}
