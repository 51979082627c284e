package ecdsa_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var curve = reference.Secp256k1()

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// secret returns a random number in [1, n). Many of these numbers are near 0, n or another edge.
func secret(r *rand.Rand) *big.Int {
	for {
		if d := reference.RandInt(r); d.Sign() > 0 && d.Cmp(curve.Order) < 0 {
			return d
		}
	}
}

func private(t testing.TB, d *big.Int) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(bytes32(d))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func public(t testing.TB, p reference.Point) *koblitz.PublicKey {
	t.Helper()
	k, err := koblitz.ParsePublicKey(append(append([]byte{4}, bytes32(p.X)...), bytes32(p.Y)...))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func parse(t testing.TB, b []byte) *ecdsa.Signature {
	t.Helper()
	sig, err := ecdsa.ParseSignature(b)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func pair(r, s *big.Int) []byte { return append(bytes32(r), bytes32(s)...) }

// withNegatedS returns the signature with the same r, and with n - s in place of s.
func withNegatedS(sig *ecdsa.Signature) *ecdsa.Signature {
	r, s := sig.R(), sig.S()
	other := new(big.Int).Sub(curve.Order, new(big.Int).SetBytes(s[:]))
	t, err := ecdsa.ParseSignature(append(r[:], bytes32(other)...))
	if err != nil {
		panic(err)
	}
	return t
}

// TestVectors checks that Sign makes the signatures in a few test vectors that many implementations
// share. The vectors module has more.
func TestVectors(t *testing.T) {
	nMinus1 := new(big.Int).Sub(curve.Order, big.NewInt(1))
	for _, test := range []struct {
		key *big.Int
		msg string
		sig string
	}{
		{big.NewInt(1), "Satoshi Nakamoto",
			"934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
				"2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"},
		{nMinus1, "Satoshi Nakamoto",
			"fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0" +
				"6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5"},
		{big.NewInt(1), "All those moments will be lost in time, like tears in rain. Time to die...",
			"8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b" +
				"547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21"},
	} {
		h := sha256.Sum256([]byte(test.msg))
		sig, err := ecdsa.Sign(private(t, test.key), h[:], nil)
		if err != nil || hex.EncodeToString(sig.Bytes()) != test.sig {
			t.Errorf("signature of %q = %x, %v, want %s", test.msg, sig.Bytes(), err, test.sig)
		}
	}
}

func TestZeroValues(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	good, _ := ecdsa.Sign(k, hash, nil)
	for _, sig := range []*ecdsa.Signature{nil, {}} {
		if verifies(t, k.PublicKey(), hash, sig) || verifiesLowS(t, k.PublicKey(), hash, sig) ||
			sig.IsLowS() || !sig.IsZero() {
			t.Error("a zero value verifies")
		}
		if sig.Bytes() != nil || string(sig.AppendBytes([]byte("x"))) != "x" ||
			sig.DER() != nil || string(sig.AppendDER([]byte("x"))) != "x" ||
			sig.R() != [32]byte{} || sig.S() != [32]byte{} || !sig.Normalize().IsZero() {
			t.Error("a zero value has an encoding")
		}
	}
	for _, key := range []*koblitz.PublicKey{nil, {}} {
		if verifies(t, key, hash, good) || verifiesLowS(t, key, hash, good) ||
			verifies(t, key, hash, nil) {
			t.Error("a zero key verifies")
		}
	}
}

func TestAllocations(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded := k.Blinded()
	key := k.PublicKey()
	hash, entropy := sha256.Sum256([]byte("message")), make([]byte, 32)
	sig, _ := ecdsa.Sign(k, hash[:], nil)
	high := parse(t, sig.Bytes())
	buf := make([]byte, 0, 72)
	raw, der, compact := sig.Bytes(), sig.DER(), key.Bytes()
	sig65, _ := ecdsa.SignRecoverable(k, hash[:], nil)
	kept := &ecdsa.SignOptions{Entropy: entropy}
	for _, test := range []struct {
		name string
		max  float64
		f    func() bool
	}{
		{"Verify", 0, func() bool { return ecdsa.Verify(key, hash[:], high) }},
		{"VerifyLowS", 0, func() bool { return ecdsa.VerifyLowS(key, hash[:], sig) }},
		{"AppendSign", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, k, hash[:], nil)
			return err == nil
		}},
		{"AppendSign, blinded", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, blinded, hash[:], nil)
			return err == nil
		}},
		{"AppendSign with entropy", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, k, hash[:], &ecdsa.SignOptions{Entropy: entropy})
			return err == nil
		}},
		{"AppendSign with much entropy in a local variable", 0, func() bool {
			var local [100]byte
			_, err := ecdsa.AppendSign(buf, k, hash[:], &ecdsa.SignOptions{Entropy: local[:]})
			return err == nil
		}},
		{"AppendSign with options that are kept", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, k, hash[:], kept)
			return err == nil
		}},
		{"AppendSignRecoverable", 0, func() bool {
			_, err := ecdsa.AppendSignRecoverable(buf, k, hash[:], nil)
			return err == nil
		}},
		{"AppendSign, checked", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, k, hash[:], nil)
			return err == nil
		}},
		{"AppendSignRecoverable, checked", 0, func() bool {
			_, err := ecdsa.AppendSignRecoverable(buf, blinded, hash[:],
				&ecdsa.SignOptions{Entropy: entropy})
			return err == nil
		}},
		{"AppendBytes", 0, func() bool { return len(sig.AppendBytes(buf)) == 64 }},
		{"AppendDER", 0, func() bool { return len(sig.AppendDER(buf)) >= 64 }},
		{"Parse and Verify", 0, func() bool {
			sig, err := ecdsa.ParseSignature(raw)
			return err == nil && ecdsa.Verify(key, hash[:], sig)
		}},
		{"ParseDER, ParsePublicKey and Verify", 0, func() bool {
			sig, err1 := ecdsa.ParseDER(der)
			key, err2 := koblitz.ParsePublicKey(compact)
			return err1 == nil && err2 == nil && ecdsa.Verify(key, hash[:], sig)
		}},
		{"ParseDERLax", 0, func() bool {
			sig, err := ecdsa.ParseDERLax(der)
			return err == nil && sig.IsLowS()
		}},
		{"Sign", 1, func() bool {
			_, err := ecdsa.Sign(k, hash[:], &ecdsa.SignOptions{Entropy: entropy})
			return err == nil
		}},
		{"SignRecoverable", 1, func() bool {
			_, err := ecdsa.SignRecoverable(k, hash[:], nil)
			return err == nil
		}},
		{"Bytes", 1, func() bool { return len(sig.Bytes()) == 64 }},
		{"DER", 1, func() bool { return len(sig.DER()) >= 64 }},
		{"Recover", 1, func() bool {
			k, err := ecdsa.Recover(hash[:], sig65)
			return err == nil && !k.IsZero()
		}},
	} {
		if n := testing.AllocsPerRun(10, func() {
			if !test.f() {
				t.Errorf("%s fails", test.name)
			}
		}); n > test.max {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}
