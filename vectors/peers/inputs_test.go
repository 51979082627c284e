package peers

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	peer "github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	p      = reference.P()
	n      = reference.N()
	lambda = reference.Lambda()
)

// A source makes random inputs.
type source struct{ *rand.Rand }

func newSource(seed uint64) *source {
	return &source{rand.New(rand.NewPCG(seed, 340))}
}

// bytes returns size random bytes.
func (s *source) bytes(size int) []byte { return reference.Bytes(s, size) }

// number returns a number below 2²⁵⁶, often near an edge case or with long runs of equal bits.
func (s *source) number() *big.Int { return reference.RandInt(s) }

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
