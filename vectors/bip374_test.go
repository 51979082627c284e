package vectors

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
)

// TestBIP374Prove makes the proofs of BIP-374. A key that is out of range does not parse, and a
// point at infinity is a public key without a value.
func TestBIP374Prove(t *testing.T) {
	const generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	proven, refused := 0, 0
	for _, row := range loadCSV(t, "bip374_generate.csv", 11) {
		base := new(koblitz.PublicKey)
		if row.text("point_B") != "INFINITY" {
			base = publicKey(t, row.text("point_B"))
		}
		var proof []byte
		key, err := koblitz.ParsePrivateKey(row.bytes("scalar_a"))
		if err == nil {
			_, proof, err = dleq.Prove(key, base, &dleq.Options{
				G:       publicKey(t, row.text("point_G")),
				Message: row.bytes("message"),
				Aux:     row.bytes("auxrand_r"),
			})
		}
		if row.text("result_proof") == "INVALID" {
			if refused++; err == nil {
				t.Errorf("%s: there is no error", row.text("comment"))
			}
			continue
		}
		proven++
		if got := hex.EncodeToString(proof); err != nil || got != row.text("result_proof") {
			t.Errorf("%s: %s, %v", row.text("comment"), got, err)
		}
		if row.text("point_G") != generator {
			continue
		}
		_, own, err := dleq.Prove(key, base, &dleq.Options{
			Message: row.bytes("message"), Aux: row.bytes("auxrand_r")})
		if err != nil || !bytes.Equal(own, proof) {
			t.Errorf("%s: without a generator: %x, %v", row.text("comment"), own, err)
		}
	}
	count(t, "proofs", proven, 8)
	count(t, "refused", refused, 3)
}

func TestBIP374Verify(t *testing.T) {
	valid, invalid := 0, 0
	for _, row := range loadCSV(t, "bip374_verify.csv", 15) {
		err := dleq.Verify(&dleq.Statement{
			G:       publicKey(t, row.text("point_G")),
			A:       publicKey(t, row.text("point_A")),
			B:       publicKey(t, row.text("point_B")),
			C:       publicKey(t, row.text("point_C")),
			Message: row.bytes("message"),
		}, row.bytes("proof"))
		if row.verdict("result_success") {
			if valid++; err != nil {
				t.Errorf("%s: %v", row.text("comment"), err)
			}
		} else if invalid++; !errors.Is(err, dleq.ErrProof) {
			t.Errorf("%s: %v, want %v", row.text("comment"), err, dleq.ErrProof)
		}
	}
	count(t, "valid proofs", valid, 8)
	count(t, "other proofs", invalid, 7)
}
