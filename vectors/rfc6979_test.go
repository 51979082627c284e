package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestRFC6979Widespread checks that Sign makes the signatures that many implementations use as RFC
// 6979 vectors for this curve. The RFC has no vectors for it.
func TestRFC6979Widespread(t *testing.T) {
	rows := goTable(t, btcec, "ecdsa/signature_test.go", "TestRFC6979.tests")
	for _, row := range rows {
		key := privateKey(t, row.text(t, "key"))
		hash := sha256.Sum256([]byte(row.text(t, "msg")))
		sig, err := ecdsa.Sign(key, hash[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(sig.DER()); got != row.text(t, "signature") {
			t.Errorf("%q: signature %s, want %s", row["msg"], got, row["signature"])
		}
		nonceIs(t, row.text(t, "msg"), sig, row.text(t, "nonce"))
		if !ecdsa.VerifyLowS(key.PublicKey(), hash[:], sig) {
			t.Errorf("%q: the signature does not verify", row["msg"])
		}
	}
	count(t, "btcec", len(rows), 6)

	rows = goTable(t, dcrec, "nonce_test.go", "TestRFC6979Compat.tests")
	for _, row := range rows {
		hash := sha256.Sum256([]byte(row.text(t, "msg")))
		sig, err := ecdsa.Sign(privateKey(t, row.text(t, "key")), hash[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		nonceIs(t, row.text(t, "msg"), sig, row.text(t, "nonce"))
	}
	count(t, "dcrec", len(rows), 6)
}

// nonceIs checks the nonce of a signature: the x coordinate of nonce·G must be r.
func nonceIs(t *testing.T, name string, sig *ecdsa.Signature, nonce string) {
	t.Helper()
	R := [32]byte(privateKey(t, nonce).XOnlyPublicKey().Bytes())
	if R != sig.R() {
		t.Errorf("%s: r is %x, the nonce %s gives %x", name, sig.R(), nonce, R)
	}
}

// TestRFC6979Nonces checks that signing uses the nonces in dcrec's table. dcrec pads or truncates
// keys to 32 bytes; the test does so before signing. dcrec's version parameter of 16 bytes
// corresponds to the end of the additional data, with zeros before it. Two kinds of rows cannot be
// tested: nonces after the first, and additional data of other lengths than 32 bytes, which dcrec
// ignores and this library uses (RFC 6979, section 3.6).
func TestRFC6979Nonces(t *testing.T) {
	rows := goTable(t, dcrec, "nonce_test.go", "TestNonceRFC6979.tests")
	run := 0
	for _, row := range rows {
		key, hash := unhex(t, row.text(t, "key")), unhex(t, row.text(t, "hash"))
		extra, version := unhex(t, row.text(t, "extraData")), unhex(t, row.text(t, "version"))
		if row["iterations"] != 0 || len(extra) != 0 && len(extra) != 32 {
			continue
		}
		run++
		if len(key) < 32 {
			key = append(make([]byte, 32-len(key)), key...)
		}
		if len(version) == 16 {
			extra = append(append(extra, make([]byte, 32-len(extra))...), version...)
		}
		sig, err := ecdsa.Sign(privateKey(t, hex.EncodeToString(key[:32])), hash,
			&ecdsa.SignOptions{Entropy: extra})
		if err != nil {
			t.Fatal(err)
		}
		nonceIs(t, row.text(t, "name"), sig, row.text(t, "expected"))
	}
	count(t, "all", len(rows), 15)
	count(t, "run", run, 11)
}

// TestSignPeer checks that signing the messages of dcrec's tests gives the signatures in those
// tests, which were checked with a computer algebra system. Signatures with nonces that are not of
// RFC 6979 are only verified and recovered.
func TestSignPeer(t *testing.T) {
	rows := goTable(t, dcrec, "ecdsa/signature_test.go", "signTests.tests")
	deterministic := 0
	for _, row := range rows {
		name := row.text(t, "name")
		key, hash := privateKey(t, row.text(t, "key")), unhex(t, row.text(t, "hash"))
		var want []byte
		for _, field := range []string{"wantSigR", "wantSigS"} {
			b := unhex(t, row.text(t, field))
			want = append(append(want, make([]byte, 32-len(b))...), b...)
		}
		switch row["wantCode"] {
		case 0:
			want = append(want, 0)
		case goName("pubKeyRecoveryCodeOddnessBit"):
			want = append(want, 1)
		default:
			t.Fatalf("%s: the recovery id is %v", name, row["wantCode"])
		}
		if row["rfc6979"] == true {
			deterministic++
			got, err := ecdsa.SignRecoverable(key, hash, nil)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: signed %x, %v, want %x", name, got, err, want)
			}
		}
		recovered, err := ecdsa.Recover(hash, want)
		if err != nil || !recovered.Equal(key.PublicKey()) {
			t.Errorf("%s: recovered %v, %v", name, recovered, err)
		}
		sig, err := ecdsa.ParseSignature(want[:64])
		if err != nil || !ecdsa.VerifyLowS(key.PublicKey(), hash, sig) {
			t.Errorf("%s: the signature does not verify: %v", name, err)
		}
	}
	count(t, "all", len(rows), 18)
	count(t, "of RFC 6979", deterministic, 14)
}

// tinyECDSA is the content of tests/fixtures/ecdsa.json of tiny-secp256k1, made with libsecp256k1.
type tinyECDSA struct {
	Valid []struct {
		Description, D, M, Signature string
		RecoveryID                   byte `json:"recoveryId"`
	}
	ExtraEntropy []struct {
		D, M                                                          string
		Signature                                                     string
		ExtraEntropy0, ExtraEntropy1, ExtraEntropyRand, ExtraEntropyN string
		ExtraEntropyMax                                               string
		RecoveryID                                                    byte `json:"recoveryId"`
		RecoveryID0, RecoveryID1, RecoveryIDRand                      byte
		RecoveryIDN, RecoveryIDMax                                    byte
	}
	Invalid struct {
		Sign []struct {
			Description, Exception, D, M string
		}
		Verify []struct {
			Description, Exception, Q, M, Signature string
			Strict                                  bool
		}
		Recover []struct {
			Description, Exception, M, Signature string
			RecoveryID                           byte `json:"recoveryId"`
		}
	}
}

// TestTinyECDSA checks that signing, verification and recovery give the results in tiny-secp256k1's
// fixtures for ECDSA.
func TestTinyECDSA(t *testing.T) {
	var file tinyECDSA
	loadJSON(t, "tiny_ecdsa.json.gz", &file)

	for _, row := range file.Valid {
		key, hash := privateKey(t, row.D), unhex(t, row.M)
		want := append(unhex(t, row.Signature), row.RecoveryID)
		got, err := ecdsa.SignRecoverable(key, hash, nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: signed %x, %v, want %x", row.Description, got, err, want)
		}
		sig, err := ecdsa.ParseSignature(want[:64])
		if err != nil || !ecdsa.VerifyLowS(key.PublicKey(), hash, sig) {
			t.Errorf("%s: the signature does not verify: %v", row.Description, err)
		}
		recovered, err := ecdsa.Recover(hash, want)
		if err != nil || !recovered.Equal(key.PublicKey()) {
			t.Errorf("%s: recovered %v, %v", row.Description, recovered, err)
		}
	}
	count(t, "valid", len(file.Valid), 2020)

	for i, row := range file.ExtraEntropy {
		key, hash := privateKey(t, row.D), unhex(t, row.M)
		for _, c := range []struct {
			extra, want string
			id          byte
		}{
			{"", row.Signature, row.RecoveryID},
			{"0000000000000000000000000000000000000000000000000000000000000000",
				row.ExtraEntropy0, row.RecoveryID0},
			{"0000000000000000000000000000000000000000000000000000000000000001",
				row.ExtraEntropy1, row.RecoveryID1},
			{"6e723d3fd94ed5d2b6bdd4f123364b0f3ca52af829988a63f8afe91d29db1c33",
				row.ExtraEntropyRand, row.RecoveryIDRand},
			{"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
				row.ExtraEntropyN, row.RecoveryIDN},
			{"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
				row.ExtraEntropyMax, row.RecoveryIDMax},
		} {
			want := append(unhex(t, c.want), c.id)
			o := &ecdsa.SignOptions{Entropy: unhex(t, c.extra)}
			got, err := ecdsa.SignRecoverable(key, hash, o)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("extra entropy, row %d, %q: signed %x, %v, want %x", i, c.extra, got, err, want)
			}
		}
	}
	count(t, "extra entropy", len(file.ExtraEntropy), 5)

	for _, row := range file.Invalid.Sign {
		refusedPrivate(t, row.Description, row.D)
	}
	count(t, "invalid keys", len(file.Invalid.Sign), 4)

	for i, row := range file.Invalid.Verify {
		key, keyErr := parsePublic(t, row.Q)
		sig, sigErr := ecdsa.ParseSignature(unhex(t, row.Signature))
		verify := ecdsa.Verify
		if row.Strict {
			verify = ecdsa.VerifyLowS
		}
		if keyErr == nil && sigErr == nil && verify(key, unhex(t, row.M), sig) {
			t.Errorf("row %d: %s: the invalid signature verifies", i, row.Description)
		}
		if (row.Exception == "Expected Point") != (keyErr != nil) {
			t.Errorf("row %d: %s: the key: %v", i, row.Description, keyErr)
		}
		if row.Exception == "Expected Signature" && sigErr == nil {
			t.Errorf("row %d: %s: the signature was parsed", i, row.Description)
		}
	}
	count(t, "invalid signatures", len(file.Invalid.Verify), 25)

	for _, row := range file.Invalid.Recover {
		_, err := ecdsa.Recover(unhex(t, row.M), append(unhex(t, row.Signature), row.RecoveryID))
		// Unlike in tiny-secp256k1, a hash may have any length in this library.
		if want := row.Exception != "Expected Hash"; (err != nil) != want {
			t.Errorf("%s: recovery: %v", row.Description, err)
		}
	}
	count(t, "invalid recoveries", len(file.Invalid.Recover), 8)
}
