package ecdsa_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestVerifyCrafted checks that verification gives the verdicts of package reference for signatures
// that are computed from chosen factors u1 and u2 of the verification equation R = u1·G + u2·Q. So
// the test reaches cases that random signatures practically never reach: u1 = 0, equal or opposite
// summands, and R at infinity.
func TestVerifyCrafted(t *testing.T) {
	n := curve.Order
	mod := func(x *big.Int) *big.Int { return x.Mod(x, n) }
	r := rand.New(rand.NewPCG(2, 2))
	small := []*big.Int{
		big.NewInt(1), big.NewInt(2), big.NewInt(3),
		new(big.Int).Sub(n, big.NewInt(1)), new(big.Int).Sub(n, big.NewInt(2)),
		reference.Lambda(), new(big.Int).Sub(n, reference.Lambda()),
	}
	var ds []*big.Int
	ds = append(ds, small...)
	ds = append(ds, secret(r), secret(r))
	for _, d := range ds {
		q := curve.ScalarMult(d, curve.G)
		key := public(q)
		for i := range 2 * len(small) {
			u2 := small[i%len(small)]
			u1 := secret(r)
			switch i % 4 {
			case 0:
				u1 = new(big.Int)
			case 1: // R is infinity
				u1 = mod(new(big.Int).Neg(new(big.Int).Mul(u2, d)))
			case 2:
				u1 = small[(i/4)%len(small)]
			}
			R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, q))
			var rr *big.Int
			if R.IsInfinity() {
				rr = secret(r)
			} else {
				rr = mod(new(big.Int).Set(R.X))
			}
			if rr.Sign() == 0 {
				continue
			}
			s := mod(new(big.Int).Mul(rr, new(big.Int).ModInverse(u2, n)))
			z := bytes32(mod(new(big.Int).Mul(u1, s)))
			sig := parse(pair(rr, s))
			want := reference.VerifyECDSA(q, z, rr, s)
			if want == R.IsInfinity() {
				t.Fatal("the test is wrong")
			}
			if got := verifies(t, key, z, sig); got != want {
				t.Errorf("Verify of u1 = %x, u2 = %x, d = %x = %v, want %v", u1, u2, d, got, want)
			}
			low := new(big.Int).Lsh(s, 1).Cmp(n) <= 0
			if got := verifiesLowS(t, key, z, sig); got != (want && low) {
				t.Errorf("VerifyLowS of u1 = %x, u2 = %x, d = %x = %v", u1, u2, d, got)
			}
			if sig.IsLowS() != low || !sig.Normalize().IsLowS() ||
				verifies(t, key, z, sig.Normalize()) != want {
				t.Errorf("low s of %x", s)
			}
		}
	}
}

// TestVerifyWrongR checks that numbers r near the x coordinate of R mod n are refused: numbers that
// would be accepted if r + n could exceed p, and their neighbours.
func TestVerifyWrongR(t *testing.T) {
	n, p := curve.Order, reference.P()
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		d, u1, u2 := secret(r), secret(r), secret(r)
		q := curve.ScalarMult(d, curve.G)
		R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, q))
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
			x.Mod(x, p)
			if x.Sign() == 0 || x.Cmp(n) >= 0 {
				continue
			}
			s := new(big.Int).Mul(x, new(big.Int).ModInverse(u2, n))
			s.Mod(s, n)
			z := new(big.Int).Mul(u1, s)
			hash := bytes32(z.Mod(z, n))
			want := reference.VerifyECDSA(q, hash, x, s)
			if want != (name == "x") {
				t.Fatal("the test is wrong")
			}
			if got := verifies(t, public(q), hash, parse(pair(x, s))); got != want {
				t.Errorf("r is %s: Verify = %v", name, got)
			}
		}
	}
}

// TestFlippedBits checks that every flipped bit of a signature, a hash and a key is detected.
func TestFlippedBits(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("message"))
	sig, err := ecdsa.Sign(k, hash[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	key := k.PublicKey()
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i/8] ^= 1 << (i % 8)
		return b
	}
	for i := range 512 {
		bad, err := ecdsa.ParseSignature(flip(sig.Bytes(), i))
		if err == nil && verifies(t, key, hash[:], bad) {
			t.Errorf("bit %d of the signature does not matter", i)
		}
	}
	for i := range 256 {
		if verifies(t, key, flip(hash[:], i), sig) {
			t.Errorf("bit %d of the hash does not matter", i)
		}
	}
	for i := range 264 {
		bad, err := koblitz.ParsePublicKey(flip(key.Bytes(), i))
		if err == nil && verifies(t, bad, hash[:], sig) {
			t.Errorf("bit %d of the key does not matter", i)
		}
	}
}
