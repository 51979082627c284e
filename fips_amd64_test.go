//go:build !purego

package koblitz_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"os"
	"os/exec"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestFIPS140 runs everyRandom, TestResults and TestTaprootTweak in processes in which
// the standard library is in FIPS 140-3 mode. docs/fips.md describes these modes. With
// GODEBUG=fips140=only, unapproved functions of the standard library panic.
func TestFIPS140(t *testing.T) {
	const variable = "KOBLITZ_TEST_FIPS140"
	if mode := os.Getenv(variable); mode != "" {
		if refused := refusesSHA1(); refused != (mode == "only") {
			t.Fatalf("GODEBUG=%s: SHA-1 is refused: %v", os.Getenv("GODEBUG"), refused)
		}
		everyRandom(t)
		return
	}
	self := reference.Must(os.Executable())
	for _, mode := range []string{"on", "only"} {
		child := exec.Command(self, "-test.run=^(TestFIPS140|TestResults|TestTaprootTweak)$",
			"-test.v", "-test.count=1")
		child.Env = append(os.Environ(), "GODEBUG=fips140="+mode, variable+"="+mode)
		out, err := child.CombinedOutput()
		if err != nil || bytes.Count(out, []byte("--- PASS: Test")) != 3 {
			t.Errorf("GODEBUG=fips140=%s: %v\n%s", mode, err, out)
		}
	}
}

// refusesSHA1 reports whether the standard library panics when SHA-1 is used.
func refusesSHA1() (refused bool) {
	defer func() { refused = recover() != nil }()
	sha1.Sum(nil)
	return false
}

// everyRandom uses the functions that read crypto/rand or hash, and that TestResults and
// TestTaprootTweak do not call.
func everyRandom(t *testing.T) {
	k, other := koblitz.GenerateKey(), koblitz.GenerateKey().Blinded()
	digest := schnorr.TaggedHash("a tag", k.PublicKey().Bytes())
	for _, key := range []*koblitz.PrivateKey{k, other} {
		sig, err := ecdsa.SignRecoverable(key, digest[:], &ecdsa.SignOptions{Entropy: digest[:]})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ecdsa.Recover(digest[:], sig); err != nil || !got.Equal(key.PublicKey()) {
			t.Errorf("Recover = %v, %v", got, err)
		}
		sig, err = schnorr.Sign(key, digest[:], nil)
		if err != nil || !schnorr.Verify(key.XOnlyPublicKey(), digest[:], sig) {
			t.Errorf("BIP-340: %x, %v", sig, err)
		}
	}
	a, err := ecdh.SharedSHA256(k, other.PublicKey())
	b, err2 := ecdh.SharedSHA256(other, k.PublicKey())
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("shared secrets %x, %v, and %x, %v", a, err, b, err2)
	}
	messages := [][]byte{nil, a, digest[:]}
	for i, got := range batch.AppendSHA256(nil, messages) {
		if got != sha256.Sum256(messages[i]) {
			t.Errorf("SHA-256 of %x = %x", messages[i], got)
		}
	}
	batch.AppendKeccak256(nil, messages)
}
