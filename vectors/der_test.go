package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestStrictDERBitcoin parses the signatures in Bitcoin Core's lists. There, each has the byte for
// the hash type at its end, which is removed because ParseDER does not take it.
func TestStrictDERBitcoin(t *testing.T) {
	var canonical []string
	loadJSON(t, "bitcoin_sig_canonical.json", &canonical)
	for _, s := range canonical {
		b := unhex(t, s)
		b = b[:len(b)-1]
		sig, err := ecdsa.ParseDER(b)
		// The first signature has r = s = 0: it is well formed, but the values are out of range.
		if s == "300602010002010001" {
			if err == nil {
				t.Errorf("%s: zeros were accepted", s)
			}
			continue
		}
		if err != nil || !bytes.Equal(sig.DER(), b) {
			t.Errorf("%s: %x, %v", s, sig.DER(), err)
		}
	}
	count(t, "canonical", len(canonical), 5)

	var list []string
	if err := json.Unmarshal(load(t, "bitcoin_sig_noncanonical.json"), &list); err != nil {
		t.Fatal(err)
	}
	encodings, name := 0, ""
	for _, s := range list {
		b, err := hex.DecodeString(s)
		if err != nil {
			name = s
			continue
		}
		encodings++
		b = b[:len(b)-1]
		_, err = ecdsa.ParseDER(b)
		// The error in the row is the undefined hash type 0x11; the signature before it is well
		// formed.
		if want := name == "hashtype:"; (err == nil) != want {
			t.Errorf("%s %s: %v", name, s, err)
		}
	}
	count(t, "not canonical", encodings, 15)
}

// TestStrictDERPeer runs dcrec's table, and those rows of btcec's table that are parsed strictly.
// btcec ignores bytes after the sequence; BIP-66 forbids them.
func TestStrictDERPeer(t *testing.T) {
	accepted := 0
	check := func(peer string, row goRow, want bool) {
		t.Helper()
		b, _ := row["sig"].([]byte)
		sig, err := ecdsa.ParseDER(b)
		if (err == nil) != want {
			t.Errorf("%s: %s: %v", peer, row["name"], err)
		}
		if err == nil {
			accepted++
			if !bytes.Equal(sig.DER(), b) {
				t.Errorf("%s: %s: %x became %x", peer, row["name"], b, sig.DER())
			}
			if lax, err := ecdsa.ParseDERLax(b); err != nil || *lax != *sig {
				t.Errorf("%s: %s: lax: %v, %v", peer, row["name"], lax, err)
			}
		}
	}
	rows := goTable(t, dcrec, "ecdsa/signature_test.go", "TestSignatureParsing.tests")
	for _, row := range rows {
		check("dcrec", row, row["err"] == nil)
	}
	count(t, "dcrec", len(rows), 28)
	count(t, "dcrec, accepted", accepted, 2)

	accepted = 0
	strict := 0
	rows = goTable(t, btcec, "ecdsa/signature_test.go", "signatureTests")
	for _, row := range rows {
		if row["der"] == true {
			strict++
			check("btcec", row, row["isValid"] == true && row["name"] != "trailing crap.")
		}
	}
	count(t, "btcec", len(rows), 23)
	count(t, "btcec, strict", strict, 17)
	count(t, "btcec, accepted", accepted, 1)
}
