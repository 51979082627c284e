package peers

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	peer "github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/koblitz-go/koblitz"
)

func number(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic(s)
	}
	return x
}

var (
	p      = number("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f")
	n      = number("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	lambda = number("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72")
	beta   = number("7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee")
)

// edges returns numbers at which arithmetic is likely to fail: numbers near zero, near p and n,
// near their halves and differences, powers of two, and the constants of the endomorphism.
func edges() []*big.Int {
	one := big.NewInt(1)
	half := new(big.Int).Rsh(n, 1)
	list := []*big.Int{p, n, lambda, beta, half, new(big.Int).Sub(p, n), new(big.Int).Sub(n, lambda),
		new(big.Int).Lsh(one, 256), new(big.Int), big.NewInt(3), big.NewInt(8)}
	for _, bit := range []uint{8, 31, 32, 52, 63, 64, 104, 127, 128, 129, 156, 191, 192, 208, 255} {
		list = append(list, new(big.Int).Lsh(one, bit))
	}
	var all []*big.Int
	limit := new(big.Int).Lsh(one, 256)
	for _, x := range list {
		for d := int64(-2); d <= 2; d++ {
			y := new(big.Int).Add(x, big.NewInt(d))
			if y.Sign() >= 0 && y.Cmp(limit) < 0 {
				all = append(all, y)
			}
		}
	}
	return all
}

// A source makes random inputs. Many of them are numbers that edges returns.
type source struct {
	*rand.Rand
	edges []*big.Int
}

func newSource(seed uint64) *source {
	return &source{rand.New(rand.NewPCG(seed, 340)), edges()}
}

// bytes returns size random bytes.
func (s *source) bytes(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return b
}

// number returns a number below 2²⁵⁶. One in four is from edges, and one in eight has long runs of
// equal bits.
func (s *source) number() *big.Int {
	switch s.IntN(8) {
	case 0, 1:
		return s.edges[s.IntN(len(s.edges))]
	case 2:
		x := new(big.Int)
		for bit := 0; bit < 256; {
			run := 1 + s.IntN(64)
			if s.IntN(2) == 1 {
				for i := bit; i < min(bit+run, 256); i++ {
					x.SetBit(x, i, 1)
				}
			}
			bit += run
		}
		return x
	}
	return new(big.Int).SetBytes(s.bytes(32))
}

// scalar returns a number in [1, n).
func (s *source) scalar() *big.Int {
	for {
		if x := new(big.Int).Mod(s.number(), n); x.Sign() != 0 {
			return x
		}
	}
}

func b32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func mod(x *big.Int) *big.Int { return x.Mod(x, n) }

// A pair holds the same private key in the types of both libraries.
type pair struct {
	d    *big.Int
	ours *koblitz.PrivateKey
	peer *peer.PrivateKey
}

func newPair(t *testing.T, d *big.Int) *pair {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(b32(d))
	if err != nil {
		t.Fatalf("%x: %v", d, err)
	}
	return &pair{d, k, peer.PrivKeyFromBytes(b32(d))}
}

func samePublic(ours *koblitz.PublicKey, theirs *peer.PublicKey) bool {
	return bytes.Equal(ours.UncompressedBytes(), theirs.SerializeUncompressed()) &&
		bytes.Equal(ours.Bytes(), theirs.SerializeCompressed())
}

// flip returns a copy of b with one bit changed.
func (s *source) flip(b []byte) []byte {
	b = append([]byte(nil), b...)
	i := s.IntN(8 * len(b))
	b[i/8] ^= 1 << (i % 8)
	return b
}
