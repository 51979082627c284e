package vectors

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestBIP340 checks the verdict on every row of BIP-340's vector file, and the signature with every
// secret key in the file. Four messages are not 32 bytes long.
func TestBIP340(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(load(t, "bip340.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	signed, valid, otherLengths := 0, 0, 0
	for _, row := range rows[1:] {
		field := func(name string) []byte {
			i, ok := column[name]
			if !ok {
				t.Fatalf("there is no column %q", name)
			}
			return unhex(t, row[i])
		}
		index := row[column["index"]]
		msg, sig := field("message"), field("signature")
		if len(msg) != 32 {
			otherLengths++
		}
		var want bool
		switch row[column["verification result"]] {
		case "TRUE":
			want = true
			valid++
		case "FALSE":
		default:
			t.Fatalf("row %s has no result", index)
		}

		key, err := koblitz.ParseXOnlyPublicKey(field("public key"))
		if got := err == nil && verifies(t, key, msg, sig); got != want {
			t.Errorf("row %s: verification is %v, want %v (key: %v)", index, got, want, err)
		}
		if err == nil && !bytes.Equal(key.Bytes(), field("public key")) {
			t.Errorf("row %s: the parsed key encodes to other bytes", index)
		}

		if len(field("secret key")) == 0 {
			continue
		}
		signed++
		secret, err := koblitz.ParsePrivateKey(field("secret key"))
		if err != nil {
			t.Errorf("row %s: %v", index, err)
			continue
		}
		if !bytes.Equal(secret.XOnlyPublicKey().Bytes(), field("public key")) {
			t.Errorf("row %s: public key %x", index, secret.XOnlyPublicKey().Bytes())
		}
		for _, unchecked := range []bool{false, true} {
			o := &schnorr.SignOptions{Aux: field("aux_rand"), Unchecked: unchecked}
			for _, key := range []*koblitz.PrivateKey{secret, secret.Blinded()} {
				got, err := schnorr.Sign(key, msg, o)
				if err != nil || !bytes.Equal(got, sig) {
					t.Errorf("row %s, unchecked %v: %x, %v, want %x", index, unchecked, got, err, sig)
				}
			}
		}
	}
	count(t, "all", len(rows)-1, 19)
	count(t, "signing", signed, 8)
	count(t, "valid", valid, 9)
	count(t, "messages of other lengths", otherLengths, 4)
}

// TestBIP340Peer checks the verdicts and signatures in btcec's table of BIP-340 vectors. One row
// has a nonce of RFC 6979; its signature is only verified.
func TestBIP340Peer(t *testing.T) {
	rows := goTable(t, btcec, "schnorr/signature_test.go", "bip340TestVectors")
	for i, row := range rows {
		msg, sig := unhex(t, row.text(t, "message")), unhex(t, row.text(t, "signature"))
		want := row["verifyResult"] == true
		key, err := koblitz.ParseXOnlyPublicKey(unhex(t, row.text(t, "publicKey")))
		if (err == nil) != (row["validPubKey"] == true) {
			t.Errorf("row %d: the key: %v", i, err)
		}
		if got := err == nil && verifies(t, key, msg, sig); got != want {
			t.Errorf("row %d: verification is %v, want %v", i, got, want)
		}
		if row.text(t, "secretKey") == "" || row["rfc6979"] == true {
			continue
		}
		secret, aux := privateKey(t, row.text(t, "secretKey")), unhex(t, row.text(t, "auxRand"))
		got, err := schnorr.Sign(secret, msg, &schnorr.SignOptions{Aux: aux})
		if err != nil || !bytes.Equal(got, sig) {
			t.Errorf("row %d: signed %x, %v, want %x", i, got, err, sig)
		}
	}
	count(t, "all", len(rows), 14)
}

// verifies returns the verdict of Verify. It fails the test if prepared keys of any table size give
// another verdict.
func verifies(t *testing.T, key *koblitz.XOnlyPublicKey, msg, sig []byte) bool {
	t.Helper()
	want := schnorr.Verify(key, msg, sig)
	for _, kib := range []int{0, 1, 2, 4, 8, 13, 26} {
		if got := schnorr.VerifyPrepared(key.Prepare(kib<<10), msg, sig); got != want {
			t.Errorf("VerifyPrepared(%v, %x, %x) with %d KiB = %v, and Verify returns %v",
				key, msg, sig, kib, got, want)
		}
	}
	return want
}
