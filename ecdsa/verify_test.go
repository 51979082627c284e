package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// crafted compares the verdicts for the number r with those of package reference. The rest of the
// signature and the hash are computed from chosen factors u1 and u2 of the verification equation
// R = u1·G + u2·Q, under the key Q = d·G. It returns the verdict.
func crafted(t *testing.T, d, u1, u2, r *big.Int) bool {
	t.Helper()
	n, q := curve.Order, curve.ScalarMult(d, curve.G)
	mod := func(x *big.Int) *big.Int { return x.Mod(x, n) }
	s := mod(new(big.Int).Mul(r, new(big.Int).ModInverse(u2, n)))
	z := bytes32(mod(new(big.Int).Mul(u1, s)))
	key, sig := public(q), parse(pair(r, s))
	want, low := reference.VerifyECDSA(q, z, r, s), new(big.Int).Lsh(s, 1).Cmp(n) <= 0
	if verifies(t, key, z, sig) != want || verifiesLowS(t, key, z, sig) != (want && low) ||
		sig.IsLowS() != low || !sig.Normalize().IsLowS() ||
		verifies(t, key, z, sig.Normalize()) != want {
		t.Errorf("u1 = %x, u2 = %x, d = %x, r = %x: the verdict must be %v, low s %v",
			u1, u2, d, r, want, low)
	}
	return want
}

// TestVerifyCrafted reaches cases that random signatures practically never reach: u1 = 0, equal or
// opposite summands, and R at infinity.
func TestVerifyCrafted(t *testing.T) {
	n := curve.Order
	r := rand.New(rand.NewPCG(2, 2))
	small := []*big.Int{
		big.NewInt(1), big.NewInt(2), big.NewInt(3),
		new(big.Int).Sub(n, big.NewInt(1)), new(big.Int).Sub(n, big.NewInt(2)),
		reference.Lambda(), new(big.Int).Sub(n, reference.Lambda()),
	}
	for _, d := range append(slices.Clone(small), reference.Secret(r), reference.Secret(r)) {
		q := curve.ScalarMult(d, curve.G)
		for i := range 2 * len(small) {
			u1, u2 := reference.Secret(r), small[i%len(small)]
			switch i % 4 {
			case 0:
				u1 = new(big.Int)
			case 1: // R is infinity
				u1.Neg(u1.Mul(u2, d)).Mod(u1, n)
			case 2:
				u1 = small[(i/4)%len(small)]
			}
			R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, q))
			rr := reference.Secret(r)
			if !R.IsInfinity() {
				rr.Mod(R.X, n)
			}
			if rr.Sign() != 0 && crafted(t, d, u1, u2, rr) == R.IsInfinity() {
				t.Fatal("the test is wrong")
			}
		}
	}
}

// TestVerifyWrongR checks that numbers r related to the x coordinate of R are refused, such as its
// neighbour, and numbers that would be accepted if r + n could exceed p.
func TestVerifyWrongR(t *testing.T) {
	n, p := curve.Order, reference.P()
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		d, u1, u2 := reference.Secret(r), reference.Secret(r), reference.Secret(r)
		R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, curve.ScalarMult(d, curve.G)))
		if R.IsInfinity() {
			continue
		}
		for name, x := range map[string]*big.Int{
			"x":           new(big.Int).Set(R.X),
			"x - n mod p": new(big.Int).Sub(R.X, n),
			"x + n mod p": new(big.Int).Add(R.X, n),
			"x - p mod n": new(big.Int).Mod(new(big.Int).Sub(R.X, p), n),
			"x + 1":       new(big.Int).Add(R.X, big.NewInt(1)),
			"x of λ·R":    curve.MulBeta(R).X,
		} {
			if x.Mod(x, p); x.Sign() == 0 || x.Cmp(n) >= 0 {
				continue
			}
			if crafted(t, d, u1, u2, x) != (name == "x") {
				t.Fatalf("the test is wrong: r is %s", name)
			}
		}
	}
}

// TestFlippedBits checks that every flipped bit of a signature, a hash and a key is detected.
func TestFlippedBits(t *testing.T) {
	k, hash := koblitz.GenerateKey(), bytes.Repeat([]byte{0x5c}, 32)
	sig, key := reference.Must(ecdsa.Sign(k, hash, nil)).Bytes(), k.PublicKey().Bytes()
	var bits secrettest.Bits
	bits.AddEvery(1, "signature", sig)
	bits.AddEvery(1, "hash", hash)
	bits.AddEvery(1, "key", key)
	for i := range bits {
		value := bits.Flip(i)
		public, err := koblitz.ParsePublicKey(key)
		parsed, err2 := ecdsa.ParseSignature(sig)
		if err == nil && err2 == nil && verifies(t, public, hash, parsed) {
			t.Errorf("bit %d, of the %s, does not matter", i, value)
		}
		bits.Flip(i)
	}
}

// TestChangingSignature verifies a signature that changes to another one when it is read again. The
// verdict is that on the first. Anyone could compute a signature if the key were multiplied by one
// r and the result compared with another. A high s would pass if another s were verified.
func TestChangingSignature(t *testing.T) {
	k, hash := koblitz.GenerateKey(), make([]byte, 32)
	key, prepared := k.PublicKey(), k.PublicKey().Prepare(1<<10)
	sig := reference.Must(ecdsa.Sign(k, hash, nil))
	other := reference.Must(ecdsa.Sign(k, bytes.Repeat([]byte{1}, 32), nil))
	content := func(sig *ecdsa.Signature) []byte {
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(sig)), unsafe.Sizeof(*sig)))
	}
	high := withNegatedS(sig)
	for _, c := range []struct {
		first, second   *ecdsa.Signature
		valid, validLow bool
	}{{sig, other, true, true}, {other, sig, false, false}, {high, sig, true, false}} {
		for name, f := range map[string]func(*ecdsa.Signature) bool{
			"Verify": func(s *ecdsa.Signature) bool { return ecdsa.Verify(key, hash, s) == c.valid },
			"VerifyLowS": func(s *ecdsa.Signature) bool {
				return ecdsa.VerifyLowS(key, hash, s) == c.validLow
			},
			"VerifyPrepared": func(s *ecdsa.Signature) bool {
				return ecdsa.VerifyPrepared(prepared, hash, s) == c.valid
			},
			"VerifyPreparedLowS": func(s *ecdsa.Signature) bool {
				return ecdsa.VerifyPreparedLowS(prepared, hash, s) == c.validLow
			},
		} {
			changing.Each(t, content(c.first), content(c.second), func(b []byte) {
				if !f((*ecdsa.Signature)(unsafe.Pointer(&b[0]))) {
					t.Errorf("%s: %v becomes %v: the verdict is not that on the first", name, c.first, c.second)
				}
			})
		}
	}
}
