package halfagg_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// Two people sign a message each. Anyone can replace their two signatures by one aggregate.
func Example() {
	var statements []halfagg.Statement
	var signatures [][64]byte
	for _, text := range []string{"first", "second"} {
		key := koblitz.GenerateKey()
		message := sha256.Sum256([]byte(text))
		signature, err := schnorr.Sign(key, message[:], nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		statements = append(statements, halfagg.Statement{
			Key: [32]byte(key.XOnlyPublicKey().Bytes()), Message: message,
		})
		signatures = append(signatures, [64]byte(signature))
	}
	aggregate, err := halfagg.Aggregate(statements, signatures)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(aggregate), halfagg.VerifyAggregate(aggregate, statements))
	// Output: 96 <nil>
}
