package reference

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRFC6979 checks that this package computes the nonces for SHA-256 and secp256k1 on which
// independent implementations agree. RFC 6979 itself has no vectors for this curve; the vectors
// module has more.
func TestRFC6979(t *testing.T) {
	for _, tt := range []struct{ key, msg, nonce string }{
		{"1", "Satoshi Nakamoto", "8f8a276c19f4149656b280621e358cce24f5f52542772691ee69063b74f15d15"},
		{
			"1", "All those moments will be lost in time, like tears in rain. Time to die...",
			"38aa22d72376b4dbc472e06c3ba403ee0a394da63fc58d88686c611aba98d6b3",
		},
		{
			"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", "Satoshi Nakamoto",
			"33a19b60e25fb6f4435af53a3d42d493644827367e6453928554f43e49aa6f90",
		},
		{
			"f8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181", "Alan Turing",
			"525a82b70e67874398067543fd84c83d30c175fdc45fdeee082fe13b1d7cfdf1",
		},
	} {
		hash := sha256.Sum256([]byte(tt.msg))
		if got := NoncesRFC6979(fromHex(tt.key), hash[:], nil)(); got.Cmp(fromHex(tt.nonce)) != 0 {
			t.Errorf("%q with key %s: nonce %x, want %s", tt.msg, tt.key, got, tt.nonce)
		}
	}
	next := NoncesRFC6979(big.NewInt(1), []byte("x"), nil)
	if next().Cmp(next()) == 0 {
		t.Error("the second nonce is the first")
	}
	first := NoncesRFC6979(big.NewInt(1), []byte("x"), nil)()
	if NoncesRFC6979(big.NewInt(1), []byte("x"), []byte("y"))().Cmp(first) == 0 {
		t.Error("additional data changes nothing")
	}
}

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

// TestBIP340 checks that this package gives the results in rows 0, 1 and 4 of the specification's
// test vectors. The vectors module has all of them.
func TestBIP340(t *testing.T) {
	for _, tt := range []struct{ d, key, aux, msg, sig string }{
		{
			"3", "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0",
		},
		{
			"b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef",
			"dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
			"0000000000000000000000000000000000000000000000000000000000000001",
			"243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
			"6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a",
		},
		{
			"", "d69c3509bb99e412e68b0fe8544e72837dfa30746d8be2aa65975f29d22dc7b9",
			"",
			"4df3c3f68fcc83b27e9d42c90431a72499f17875c81a599b566c9889b9696703",
			"00000000000000000000003b78ce563f89a0ed9414f5aa28ad0d96d6795f9c6376afb1548af603b3eb45c9f8207dee1060cb71c04e80f593060b07d28308d7f4",
		},
	} {
		key, aux, msg, sig := unhex(tt.key), unhex(tt.aux), unhex(tt.msg), unhex(tt.sig)
		if tt.d != "" {
			if got, ok := SignBIP340(fromHex(tt.d), msg, aux); !ok || !bytes.Equal(got, sig) {
				t.Errorf("key %s: signature %x, want %s", tt.d, got, tt.sig)
			}
		}
		if !VerifyBIP340(key, msg, sig) {
			t.Errorf("%s does not verify", tt.sig)
		}
		for i := 0; i < 64; i += 7 {
			sig[i] ^= 0x10
			if VerifyBIP340(key, msg, sig) {
				t.Errorf("%x verifies", sig)
			}
			sig[i] ^= 0x10
		}
	}
}

// inGroup reduces x to the range [1, n).
func inGroup(x *big.Int) *big.Int {
	x.Mod(x, new(big.Int).Sub(N(), big.NewInt(1)))
	return x.Add(x, big.NewInt(1))
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}
