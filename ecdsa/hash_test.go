package ecdsa_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestHashLengths checks that bytes of a hash after the first 32 are ignored, and that a shorter
// hash is read as a number (SEC 1, section 4.1.3).
func TestHashLengths(t *testing.T) {
	k := koblitz.GenerateKey()
	long := sha256.Sum256([]byte("message"))
	sig, _ := ecdsa.Sign(k, long[:], nil)
	if !verifies(t, k.PublicKey(), append(long[:], "and more"...), sig) {
		t.Error("more than 256 bits count")
	}
	short := long[:20]
	sig, _ = ecdsa.Sign(k, short, nil)
	if !verifies(t, k.PublicKey(), append(make([]byte, 12), short...), sig) {
		t.Error("a short hash is not the number that it spells")
	}
	if verifies(t, k.PublicKey(), append(bytes.Clone(short), 0), sig) {
		t.Error("a zero after a short hash does not count")
	}
}

// TestShortHashes checks that hashes shorter than 20 bytes are refused everywhere, even with a
// signature that is valid by the standard.
func TestShortHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for n := range 24 {
		d, h := secret(r), random(r, n)
		k := private(t, d)
		rr, s, id, ok := reference.SignECDSA(d, h, secret(r))
		if !ok {
			t.Fatal("the reference does not sign")
		}
		s, id = reference.LowS(s, id)
		sig, sig65 := parse(t, pair(rr, s)), append(pair(rr, s), byte(id))
		want := n >= 20
		if verifies(t, k.PublicKey(), h, sig) != want || verifiesLowS(t, k.PublicKey(), h, sig) != want {
			t.Errorf("a hash of %d bytes: the verdict is not %v", n, want)
		}
		key, err := ecdsa.Recover(h, sig65)
		if (err == nil) != want ||
			want && !key.Equal(k.PublicKey()) ||
			!want && !strings.Contains(err.Error(), "want at least 20") {
			t.Errorf("a hash of %d bytes: Recover = %v, %v", n, key, err)
		}
		for name, form := range forms {
			for _, o := range []*ecdsa.SignOptions{nil, {Unchecked: true}} {
				b, err := form.sign([]byte("dst"), k, h, o)
				if want && err != nil ||
					!want && (string(b) != "dst" || err == nil ||
						!strings.Contains(err.Error(), "want at least 20")) {
					t.Errorf("a hash of %d bytes: %s = %x, %v", n, name, b, err)
				}
			}
		}
	}
}

// TestEmptyHash checks that a signature of the empty hash, which anyone can forge without the
// private key, is refused, although the standard accepts it.
func TestEmptyHash(t *testing.T) {
	Q := curve.ScalarMult(big.NewInt(7), curve.G)
	key, R := public(t, Q), curve.Add(Q, Q)
	r := new(big.Int).Mod(R.X, curve.Order)
	s := new(big.Int).Mul(r, new(big.Int).ModInverse(big.NewInt(2), curve.Order))
	s.Mod(s, curve.Order)
	if !reference.VerifyECDSA(Q, nil, r, s) {
		t.Fatal("the forgery is none")
	}
	sig := parse(t, pair(r, s))
	for _, h := range [][]byte{nil, {}, {0}, make([]byte, 19)} {
		if verifies(t, key, h, sig) || verifies(t, key, h, sig.Normalize()) {
			t.Errorf("a forgery of a hash of %d bytes verifies", len(h))
		}
	}
}

// TestLeftmostGoesRound checks that a package that replaces another library can bypass the rule for
// short hashes: it passes the 32 bytes that hash.Leftmost returns for a hash of any length. The
// signatures, verdicts and keys must be those of the standard for the hash itself.
func TestLeftmostGoesRound(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for n := range 40 {
		d, h := secret(r), random(r, n)
		rr, s, id, ok := reference.SignECDSA(d, h, reference.NoncesRFC6979(d, h, nil)())
		if !ok {
			t.Fatal("the reference does not sign")
		}
		s, id = reference.LowS(s, id)
		want := append(pair(rr, s), byte(id))
		var b [32]byte
		hash.Leftmost(&b, h)
		k := private(t, d)
		got, err := ecdsa.SignRecoverable(k, b[:], nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("a hash of %d bytes: %x, %v, want %x", n, got, err, want)
		}
		if !verifies(t, k.PublicKey(), b[:], parse(t, want[:64])) {
			t.Errorf("a hash of %d bytes does not verify", n)
		}
		if key, err := ecdsa.Recover(b[:], want); err != nil || !key.Equal(k.PublicKey()) {
			t.Errorf("a hash of %d bytes: Recover = %v, %v", n, key, err)
		}
	}
}
