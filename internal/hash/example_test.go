package hash_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/hash"
)

// This computes the nonces of RFC 6979 for the private key 1 and a hash of zeros.
func ExampleNonces() {
	key, digest := [32]byte{31: 1}, [32]byte{}
	var n hash.Nonces
	var first, second [32]byte
	n.Init(&key, &digest, nil)
	n.Next(&first)
	n.Next(&second)
	n.Wipe()
	fmt.Println(first != second)
	// Output: true
}
