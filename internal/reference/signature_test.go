package reference

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestECDSA(t *testing.T) {
	c := Secp256k1()
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 6 {
		d := inGroup(RandInt(r))
		q := c.ScalarMult(d, c.G)
		hash := bytes32(RandInt(r))[:20+2*i]
		R, s, id, ok := SignECDSA(d, hash, NoncesRFC6979(d, hash, nil)())
		if !ok || !VerifyECDSA(q, hash, R, s) {
			t.Fatal("a signature does not verify")
		}
		low, lowID := LowS(s, id)
		if new(big.Int).Lsh(low, 1).Cmp(N()) > 0 || !VerifyECDSA(q, hash, R, low) {
			t.Fatal("LowS returns a high s")
		}
		for _, sig := range []struct {
			s  *big.Int
			id int
		}{{s, id}, {low, lowID}} {
			if got, ok := RecoverECDSA(hash, R, sig.s, sig.id); !ok || !got.Equal(q) {
				t.Fatal("recovery finds another key")
			}
			if got, _ := RecoverECDSA(hash, R, sig.s, sig.id^1); got.Equal(q) {
				t.Fatal("recovery does not look at the id")
			}
		}
		for _, bad := range [][2]*big.Int{
			{new(big.Int), s}, {R, new(big.Int)}, {N(), s}, {R, N()},
			{new(big.Int).Add(R, N()), s}, {R, new(big.Int).Xor(s, big.NewInt(2))},
		} {
			if VerifyECDSA(q, hash, bad[0], bad[1]) {
				t.Fatalf("(%x, %x) verifies", bad[0], bad[1])
			}
		}
		hash[3] ^= 1
		if VerifyECDSA(q, hash, R, s) {
			t.Fatal("another hash verifies")
		}
	}
	if VerifyECDSA(Point{}, make([]byte, 32), big.NewInt(1), big.NewInt(1)) {
		t.Error("infinity is taken for a key")
	}
}

// inGroup reduces x to the range [1, n).
func inGroup(x *big.Int) *big.Int {
	x.Mod(x, new(big.Int).Sub(N(), big.NewInt(1)))
	return x.Add(x, big.NewInt(1))
}
