package vectors

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestBIP340 checks the verdict on every row of BIP-340's vector file, and the signature with every
// secret key in the file. Four messages are not 32 bytes long.
func TestBIP340(t *testing.T) {
	signed, valid, otherLengths := 0, 0, 0
	for _, row := range loadCSV(t, "bip340.csv", 19) {
		index := row.text("index")
		encoded, msg, sig := row.bytes("public key"), row.bytes("message"), row.bytes("signature")
		if len(msg) != 32 {
			otherLengths++
		}
		want := row.verdict("verification result")
		if want {
			valid++
		}

		key, err := koblitz.ParseXOnlyPublicKey(encoded)
		if got := err == nil && verifies(t, key, msg, sig); got != want {
			t.Errorf("row %s: verification is %v, want %v (key: %v)", index, got, want, err)
		}
		if err == nil && !bytes.Equal(key.Bytes(), encoded) {
			t.Errorf("row %s: the parsed key encodes to other bytes", index)
		}

		if row.text("secret key") == "" {
			continue
		}
		signed++
		secret := privateKey(t, row.text("secret key"))
		if !bytes.Equal(secret.XOnlyPublicKey().Bytes(), encoded) {
			t.Errorf("row %s: public key %x", index, secret.XOnlyPublicKey().Bytes())
		}
		for _, unchecked := range []bool{false, true} {
			o := &schnorr.SignOptions{Aux: row.bytes("aux_rand"), Unchecked: unchecked}
			for _, key := range []*koblitz.PrivateKey{secret, secret.Blinded()} {
				got, err := schnorr.Sign(key, msg, o)
				if err != nil || !bytes.Equal(got, sig) {
					t.Errorf("row %s, unchecked %v: %x, %v, want %x", index, unchecked, got, err, sig)
				}
			}
		}
	}
	count(t, "signing", signed, 8)
	count(t, "valid", valid, 9)
	count(t, "messages of other lengths", otherLengths, 4)
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
