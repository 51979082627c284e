package wire_test

import (
	"encoding/hex"
	"fmt"

	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// The transaction of EIP-155's example.
func ExampleTransaction_Decode() {
	raw, err := hex.DecodeString("f86c098504a817c800825208943535353535353535353535353535353535353535" +
		"880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276" +
		"a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83")
	if err != nil {
		panic(err)
	}
	var tx wire.Transaction
	if err := tx.Decode(raw); err != nil {
		panic(err)
	}
	fmt.Println("chain", tx.ChainID, "parity", tx.YParity)
	fmt.Printf("the payload has %d bytes\n", len(tx.AppendSigningPayload(nil)))
	// Output:
	// chain 1 parity 0
	// the payload has 45 bytes
}
