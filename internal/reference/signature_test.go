package reference

import (
	"bytes"
	"crypto/sha256"
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

// TestKnownAnswers checks a nonce on which independent implementations of RFC 6979 agree for this
// curve, and row 1 of BIP-340's vectors. The vectors module has more.
func TestKnownAnswers(t *testing.T) {
	hash := sha256.Sum256([]byte("Satoshi Nakamoto"))
	const known = "8f8a276c19f4149656b280621e358cce24f5f52542772691ee69063b74f15d15"
	nonce := new(big.Int).SetBytes(Hex(known))
	if got := NoncesRFC6979(big.NewInt(1), hash[:], nil)(); got.Cmp(nonce) != 0 {
		t.Errorf("nonce %x, want %x", got, nonce)
	}
	d := new(big.Int).SetBytes(Hex("b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef"))
	message := Hex("243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89")
	sig := Hex("6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341" +
		"8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a")
	publicKey := Hex("dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659")
	got, ok := SignBIP340(d, message, append(make([]byte, 31), 1))
	if !ok || !bytes.Equal(got, sig) || !VerifyBIP340(publicKey, message, sig) {
		t.Errorf("signature %x, want %x", got, sig)
	}
}
