package vectors

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
)

// csvRows returns the rows of a CSV file as maps from the names in its first row.
func csvRows(t *testing.T, name string) (out []map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(load(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		fields := map[string]string{}
		for i, name := range rows[0] {
			fields[name] = row[i]
		}
		out = append(out, fields)
	}
	return out
}

// TestBIP374Prove makes the proofs of BIP-374. A key that is out of range does not parse, and a
// point at infinity is a public key without a value.
func TestBIP374Prove(t *testing.T) {
	const generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	proven, refused := 0, 0
	for _, row := range csvRows(t, "bip374_generate.csv") {
		base := new(koblitz.PublicKey)
		if row["point_B"] != "INFINITY" {
			base = publicKey(t, row["point_B"])
		}
		var proof []byte
		key, err := koblitz.ParsePrivateKey(unhex(t, row["scalar_a"]))
		if err == nil {
			_, proof, err = dleq.Prove(key, base, &dleq.Options{
				G:       publicKey(t, row["point_G"]),
				Message: unhex(t, row["message"]),
				Aux:     unhex(t, row["auxrand_r"]),
			})
		}
		if row["result_proof"] == "INVALID" {
			if refused++; err == nil {
				t.Errorf("%s: there is no error", row["comment"])
			}
			continue
		}
		proven++
		if got := hex.EncodeToString(proof); err != nil || got != row["result_proof"] {
			t.Errorf("%s: %s, %v", row["comment"], got, err)
		}
		if row["point_G"] != generator {
			continue
		}
		_, own, err := dleq.Prove(key, base, &dleq.Options{
			Message: unhex(t, row["message"]), Aux: unhex(t, row["auxrand_r"])})
		if err != nil || !bytes.Equal(own, proof) {
			t.Errorf("%s: without a generator: %x, %v", row["comment"], own, err)
		}
	}
	count(t, "proofs", proven, 8)
	count(t, "refused", refused, 3)
}

func TestBIP374Verify(t *testing.T) {
	valid, invalid := 0, 0
	for _, row := range csvRows(t, "bip374_verify.csv") {
		err := dleq.Verify(&dleq.Statement{
			G:       publicKey(t, row["point_G"]),
			A:       publicKey(t, row["point_A"]),
			B:       publicKey(t, row["point_B"]),
			C:       publicKey(t, row["point_C"]),
			Message: unhex(t, row["message"]),
		}, unhex(t, row["proof"]))
		switch row["result_success"] {
		case "TRUE":
			if valid++; err != nil {
				t.Errorf("%s: %v", row["comment"], err)
			}
		case "FALSE":
			if invalid++; !errors.Is(err, dleq.ErrProof) {
				t.Errorf("%s: %v, want %v", row["comment"], err, dleq.ErrProof)
			}
		default:
			t.Errorf("%s: the result is %q", row["comment"], row["result_success"])
		}
	}
	count(t, "valid proofs", valid, 8)
	count(t, "other proofs", invalid, 7)
}
