package vectors

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

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
