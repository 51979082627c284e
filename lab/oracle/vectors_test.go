package oracle

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/big"
	"os"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

var update = flag.Bool("update", false, "write the vectors of EC-Schnorr-DCRv0 anew")

// TestVectors checks that the test vectors of the replacement are signatures of the real module.
// With the flag -update it writes the vectors.
func TestVectors(t *testing.T) {
	const file = "../../compat/dcrec/v4/schnorr/testdata/dcrv0.txt"
	want := vectors(t)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error(file, "differs from the signatures of the real module; go test -run TestVectors -update")
	}
}

// vectors returns lines with a private key, a hash, a public key and a signature. The numbers in
// the first lines are edge cases; those in other lines are hashes of the line's number.
func vectors(t *testing.T) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# EC-Schnorr-DCRv0: private key, message hash, public key, signature.")
	fmt.Fprintln(&b, "# Made by github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1; see lab/oracle.")
	n := secp256k1.Params().N
	edge := []*big.Int{big.NewInt(1), big.NewInt(2), new(big.Int).Rsh(n, 1),
		new(big.Int).Sub(n, big.NewInt(1))}
	messages := []*big.Int{new(big.Int), big.NewInt(1), n,
		new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))}
	for i := range 48 {
		key, message := sha256.Sum256([]byte{byte(i)}), sha256.Sum256([]byte{byte(i), 1})
		if i < 16 {
			edge[i/4].FillBytes(key[:])
			messages[i%4].FillBytes(message[:])
		}
		private := secp256k1.PrivKeyFromBytes(key[:])
		sig, err := schnorr.Sign(private, message[:])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%x %x %x %x\n", key, message, private.PubKey().SerializeCompressed(),
			sig.Serialize())
	}
	return b.Bytes()
}
