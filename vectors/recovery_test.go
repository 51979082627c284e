package vectors

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// fromCompact converts a signature from the format of dcrec and btcec to r ‖ s ‖ id. In that format
// the first byte is the recovery id plus 27, or plus 31 for a compressed key. An invalid first byte
// becomes an invalid id.
func fromCompact(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	id := (b[0] - 27) &^ 4
	if b[0] < 27 || b[0] >= 35 {
		id = 0xff
	}
	return append(append([]byte(nil), b[1:]...), id)
}

// TestRecoverPeer checks that Recover returns the keys and errors in the tables of btcec's and
// dcrec's tests. Two rows of btcec's table have keys; all other rows of both must give errors.
func TestRecoverPeer(t *testing.T) {
	recovered := 0
	rows := goTable(t, btcec, "ecdsa/signature_test.go", "recoveryTests")
	for i, row := range rows {
		sig := unhex(t, row.text(t, "sig"))
		sig[0] += 27 // the table has the id without 27; btcec's test also adds 27
		key, err := ecdsa.Recover(unhex(t, row.text(t, "msg")), fromCompact(sig))
		if (err == nil) != (row["err"] == nil) {
			t.Errorf("btcec, row %d: %v, want %v", i, err, row["err"])
		}
		if err == nil {
			recovered++
			if !key.Equal(publicKey(t, row.text(t, "pub"))) {
				t.Errorf("btcec, row %d: %x, want %s", i, key.Bytes(), row["pub"])
			}
		}
	}
	count(t, "btcec", len(rows), 9)
	count(t, "btcec, recovered", recovered, 2)

	rows = goTable(t, dcrec, "ecdsa/signature_test.go", "TestRecoverCompactErrors.tests")
	for _, row := range rows {
		hash, sig := unhex(t, row.text(t, "hash")), fromCompact(unhex(t, row.text(t, "sig")))
		if key, err := ecdsa.Recover(hash, sig); err == nil {
			t.Errorf("dcrec: %s: recovered %x, want %v", row["name"], key.Bytes(), row["err"])
		}
	}
	count(t, "dcrec", len(rows), 15)
}

// TestVerifyFailures checks that the signatures of dcrec's table of invalid ones do not verify.
func TestVerifyFailures(t *testing.T) {
	rows := goTable(t, dcrec, "ecdsa/signature_test.go", "TestVerifyFailures.tests")
	parsed := 0
	for _, row := range rows {
		sig, err := ecdsa.ParseSignature(unhex(t, row.text(t, "r")+row.text(t, "s")))
		if err != nil {
			continue
		}
		parsed++
		key, hash := privateKey(t, row.text(t, "key")), unhex(t, row.text(t, "hash"))
		if ecdsa.Verify(key.PublicKey(), hash, sig) {
			t.Errorf("%s: verified", row["name"])
		}
	}
	count(t, "all", len(rows), 4)
	count(t, "parsed", parsed, 2)
}

// TestEIP155 checks that signing EIP-155's example transaction gives the signature in the EIP, and
// that recovery finds the signer's key.
func TestEIP155(t *testing.T) {
	var example struct {
		Private, Hash, R, S string
		Chain, V            byte
	}
	loadJSON(t, "eip155.json", &example)
	number := func(s string) []byte {
		x, ok := new(big.Int).SetString(s, 10)
		if !ok {
			t.Fatalf("%q is not a number", s)
		}
		return x.FillBytes(make([]byte, 32))
	}
	key, hash := privateKey(t, example.Private), unhex(t, example.Hash)
	want := append(number(example.R), number(example.S)...)
	want = append(want, example.V-35-2*example.Chain)
	got, err := ecdsa.SignRecoverable(key, hash, nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("signed %x, %v, want %x", got, err, want)
	}
	if q, err := ecdsa.Recover(hash, want); err != nil || !q.Equal(key.PublicKey()) {
		t.Errorf("recovered %v, %v, want %s", q, err, hex.EncodeToString(key.PublicKey().Bytes()))
	}
}
