package secp256k1_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// The types of this module are aliases of koblitz's types.
func Example() {
	var key *impl.PrivateKey = secp256k1.PrivKeyFromBytes([]byte{1})
	fmt.Println(hex.EncodeToString(key.PubKey().SerializeCompressed()))
	// Output: 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
}

func ExampleParsePubKey() {
	for _, length := range []int{33, 34, 65} {
		_, err := secp256k1.ParsePubKey(bytes.Repeat([]byte{4}, length))
		var kind secp256k1.ErrorKind
		fmt.Println(errors.As(err, &kind), string(kind), err != nil)
	}
	// Output:
	// true ErrPubKeyInvalidFormat true
	// true ErrPubKeyInvalidLen true
	// true ErrPubKeyNotOnCurve true
}

func ExampleGenerateSharedSecret() {
	a, err := secp256k1.GeneratePrivateKey()
	if err != nil {
		panic(err)
	}
	b, err := secp256k1.GeneratePrivateKeyFromRand(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	if err != nil {
		panic(err)
	}
	fmt.Println(bytes.Equal(secp256k1.GenerateSharedSecret(a, b.PubKey()),
		secp256k1.GenerateSharedSecret(b, a.PubKey())))
	// Output: true
}
