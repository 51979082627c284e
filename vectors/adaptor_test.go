package vectors

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/x/adaptor"
)

// TestAdaptor checks every vector of dlcspecs for encrypted ECDSA signatures.
func TestAdaptor(t *testing.T) {
	var rows []struct {
		Kind       string
		Adaptor    string `json:"adaptor_sig"`
		Hash       string `json:"message_hash"`
		Key        string `json:"public_signing_key"`
		Encryption string `json:"encryption_key"`
		Decryption string `json:"decryption_key"`
		Signature  string
		Error      string
		Comment    string
	}
	loadJSON(t, "dlcspecs_ecdsa_adaptor.json", &rows)
	kinds, refused := map[string]int{}, 0
	for i, r := range rows {
		kinds[r.Kind]++
		encoded := unhex(t, r.Adaptor)
		a, err := adaptor.ParseECDSA(encoded)
		if r.Kind == "serialization" {
			if (err == nil) != (r.Error == "") {
				t.Errorf("row %d: %v, want %q", i, err, r.Error)
			}
			if err == nil && !bytes.Equal(a.Bytes(), encoded) {
				t.Errorf("row %d encodes to other bytes", i)
			}
			if err != nil {
				refused++
			}
			continue
		}
		if err != nil {
			t.Errorf("row %d: %v", i, err)
			continue
		}
		encryption := publicKey(t, r.Encryption)
		signature, err := ecdsa.ParseSignature(unhex(t, r.Signature))
		if err != nil {
			t.Fatal(err)
		}
		if r.Kind == "verification" {
			valid := a.Verify(publicKey(t, r.Key), encryption, unhex(t, r.Hash))
			if valid != (r.Error == "") {
				t.Errorf("row %d: valid: %v, want %q", i, valid, r.Error)
			}
			if !valid {
				refused++
				continue
			}
			if got, err := a.Decrypt(privateKey(t, r.Decryption)); err != nil || *got != *signature {
				t.Errorf("row %d: decrypted signature %v, %v", i, got, err)
			}
		}
		key, err := a.Recover(encryption, signature)
		if (err == nil) != (r.Error == "") {
			t.Errorf("row %d: %v, want %q", i, err, r.Error)
		}
		if err != nil {
			refused++
		} else if !key.Equal(privateKey(t, r.Decryption)) {
			t.Errorf("row %d: another key is recovered", i)
		}
	}
	count(t, "verification", kinds["verification"], 3)
	count(t, "recovery", kinds["recovery"], 3)
	count(t, "serialization", kinds["serialization"], 5)
	count(t, "refused", refused, 4)
}
