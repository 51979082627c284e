package wycheproof

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"testing"

	"github.com/koblitz-go/koblitz"
	dropinecdsa "github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	dropin "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// hashes holds the hash functions of the files by name. SHAKE128 and SHAKE256 have outputs of 32
// and 64 bytes, as in RFC 8692. Package ecdsa refuses hashes of less than 20 bytes even though the
// standard allows them; testECDSA checks that none of these functions returns less.
var hashes = map[string]func(msg []byte) []byte{
	"SHA-256":  func(msg []byte) []byte { h := sha256.Sum256(msg); return h[:] },
	"SHA-512":  func(msg []byte) []byte { h := sha512.Sum512(msg); return h[:] },
	"SHA3-256": func(msg []byte) []byte { h := sha3.Sum256(msg); return h[:] },
	"SHA3-512": func(msg []byte) []byte { h := sha3.Sum512(msg); return h[:] },
	"SHAKE128": func(msg []byte) []byte { return sha3.SumSHAKE128(msg, 32) },
	"SHAKE256": func(msg []byte) []byte { return sha3.SumSHAKE256(msg, 64) },
}

func testDER(t *testing.T, f *file) {
	testECDSA(t, f, "EcdsaVerify", ecdsa.ParseDER, ecdsa.Verify)
}

func testBitcoin(t *testing.T, f *file) {
	testECDSA(t, f, "EcdsaBitcoinVerify", ecdsa.ParseDER, ecdsa.VerifyLowS)
}

func testP1363(t *testing.T, f *file) {
	testECDSA(t, f, "EcdsaP1363Verify", ecdsa.ParseSignature, ecdsa.Verify)
}

func testECDSA(t *testing.T, f *file, kind string, parse func([]byte) (*ecdsa.Signature, error),
	verify func(*koblitz.PublicKey, []byte, *ecdsa.Signature) bool) {
	for i := range f.TestGroups {
		g := &f.TestGroups[i]
		hash := hashes[g.Sha]
		if g.Type != kind || hash == nil {
			t.Fatalf("group %d: type %s, hash %s", i, g.Type, g.Sha)
		}
		key := groupKey(t, g)
		var prepared []*koblitz.PreparedKey
		for _, kib := range []int{0, 1, 2, 4, 8, 13, 26} {
			prepared = append(prepared, key.Prepare(kib<<10))
		}
		for j := range g.Tests {
			row := &g.Tests[j]
			digest, b := hash(reference.Hex(row.Msg)), reference.Hex(row.Sig)
			if len(digest) < 20 {
				t.Fatalf("group %d: %s gives %d bytes", i, g.Sha, len(digest))
			}
			sig, err := parse(b)
			accepted := err == nil && verify(key, digest, sig)
			f.judge(t, row, accepted, err)
			if kind != "EcdsaP1363Verify" {
				checkDropIn(t, row, key, digest, b, err == nil && ecdsa.Verify(key, digest, sig))
			}
			if err == nil {
				checkPrepared(t, row, prepared, key, digest, sig)
			}
			if accepted {
				checkAccepted(t, row, key, digest, b, sig)
			}
		}
	}
}

// checkDropIn checks the verdict of package compat/impl/ecdsa, which also accepts a high s.
func checkDropIn(t *testing.T, row *row, key *koblitz.PublicKey, digest, b []byte, want bool) {
	t.Helper()
	same, err := dropin.ParsePubKey(key.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	sig, err := dropinecdsa.ParseDERSignature(b)
	if got := err == nil && sig.Verify(digest, same); got != want {
		t.Errorf("row %d: the drop-in's verdict is %v, %v", row.TcId, got, err)
	}
}

// checkPrepared checks that prepared keys give the same verdicts as the key.
func checkPrepared(
	t *testing.T, row *row, prepared []*koblitz.PreparedKey,
	key *koblitz.PublicKey, digest []byte, sig *ecdsa.Signature,
) {
	t.Helper()
	either, low := ecdsa.Verify(key, digest, sig), ecdsa.VerifyLowS(key, digest, sig)
	for _, k := range prepared {
		if ecdsa.VerifyPrepared(k, digest, sig) != either ||
			ecdsa.VerifyPreparedLowS(k, digest, sig) != low {
			t.Errorf("row %d: the key with a table of %d bytes has another verdict", row.TcId, k.Size())
		}
	}
}

// groupKey parses the key of a group of rows in each of the encodings in the file.
func groupKey(t *testing.T, g *group) *koblitz.PublicKey {
	t.Helper()
	key, err := koblitz.ParsePublicKey(reference.Hex(g.PublicKey.Uncompressed))
	if err != nil {
		t.Fatal(err)
	}
	fromDER, err := parseSPKI(reference.Hex(g.PublicKeyDer))
	if err != nil || !fromDER.Equal(key) {
		t.Errorf("%s: %v, %v, want %v", g.PublicKeyDer, fromDER, err, key)
	}
	compressed, err := koblitz.ParsePublicKey(key.Bytes())
	if err != nil || !compressed.Equal(key) {
		t.Errorf("%x: %v, %v, want %v", key.Bytes(), compressed, err, key)
	}
	if got := hex.EncodeToString(key.UncompressedBytes()); got != g.PublicKey.Uncompressed {
		t.Errorf("%s became %s", g.PublicKey.Uncompressed, got)
	}
	return key
}

// checkAccepted checks a valid signature further: encoding it returns the input, the lax parser
// agrees, the signature with n - s is valid too, and exactly one recovery id finds the signer's
// key.
func checkAccepted(
	t *testing.T, row *row, key *koblitz.PublicKey, digest, b []byte, sig *ecdsa.Signature,
) {
	t.Helper()
	if !bytes.Equal(sig.DER(), b) && !bytes.Equal(sig.Bytes(), b) {
		t.Errorf("row %d: %x encodes to %x", row.TcId, b, sig.DER())
	}
	if lax, err := ecdsa.ParseDERLax(sig.DER()); err != nil || *lax != *sig {
		t.Errorf("row %d: lax: %v, %v", row.TcId, lax, err)
	}
	low := sig.Normalize()
	if !low.IsLowS() || !ecdsa.Verify(key, digest, low) || !ecdsa.VerifyLowS(key, digest, low) {
		t.Errorf("row %d: the lower s does not verify", row.TcId)
	}
	if ecdsa.VerifyLowS(key, digest, sig) != sig.IsLowS() {
		t.Errorf("row %d: VerifyLowS and IsLowS do not agree", row.TcId)
	}
	found := 0
	for id := byte(0); id < 4; id++ {
		if q, err := ecdsa.Recover(digest, append(sig.Bytes(), id)); err == nil {
			if q.Equal(key) {
				found++
			}
			if !ecdsa.Verify(q, digest, sig) {
				t.Errorf("row %d: the signature does not verify under the key of recovery id %d", row.TcId, id)
			}
		}
	}
	if found != 1 {
		t.Errorf("row %d: %d recovery ids find the key", row.TcId, found)
	}
}
