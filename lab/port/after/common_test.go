package after

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
)

var order = btcec.Params().N

// A source makes random test inputs, the same ones in every run.
type source struct{ *rand.Rand }

func newSource(seed byte) source { return source{rand.New(rand.NewChaCha8([32]byte{seed}))} }

func (s source) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return b
}

// hash returns 32 bytes that encode a number below the group order.
func (s source) hash() []byte {
	b := s.bytes(32)
	b[0] &= 0x7f
	return b
}

// secret returns a private key, sometimes the least or the greatest one.
func (s source) secret() []byte {
	switch s.IntN(10) {
	case 0:
		return big.NewInt(1).FillBytes(make([]byte, 32))
	case 1:
		return new(big.Int).Sub(order, big.NewInt(1)).FillBytes(make([]byte, 32))
	}
	return s.hash()
}

// flip returns b with one bit changed.
func (s source) flip(b []byte) []byte {
	b = bytes.Clone(b)
	i := s.IntN(8 * len(b))
	b[i/8] ^= 1 << (i % 8)
	return b
}

// damage returns b unchanged in half of the calls, and otherwise b with one bit flipped, shortened
// or lengthened.
func (s source) damage(b []byte) []byte {
	switch s.IntN(8) {
	case 0, 1:
		return s.flip(b)
	case 2:
		return b[:s.IntN(len(b))]
	case 3:
		return append(bytes.Clone(b), s.bytes(1+s.IntN(3))...)
	}
	return b
}

// A tally counts the comparisons in which the code before and the code after a port both returned a
// result, and those in which both returned an error.
type tally struct{ results, errors int }

// same checks that a function has the same result before and after a port. Errors may have
// different texts.
func (c *tally) same(
	t *testing.T, what string, before []byte, err1 error, after []byte, err2 error,
) {
	t.Helper()
	if (err1 == nil) != (err2 == nil) || err1 == nil && !bytes.Equal(before, after) {
		t.Errorf("%s: before %x, %v; after %x, %v", what, before, err1, after, err2)
	}
	if err1 == nil {
		c.results++
	} else {
		c.errors++
	}
}

// atLeast fails the test if c counts fewer results or fewer errors than the arguments of these
// names.
func (c *tally) atLeast(t *testing.T, results, errors int) {
	t.Helper()
	if c.results < results || c.errors < errors {
		t.Errorf("%d results and %d errors", c.results, c.errors)
	}
}

// truth encodes b as a byte.
func truth(b bool) []byte {
	if b {
		return []byte{1}
	}
	return []byte{0}
}

// peer returns the encoding of a random public key, compressed or uncompressed.
func (s source) peer() []byte {
	_, pub := btcec.PrivKeyFromBytes(s.secret())
	if s.IntN(2) == 0 {
		return pub.SerializeUncompressed()
	}
	return pub.SerializeCompressed()
}
