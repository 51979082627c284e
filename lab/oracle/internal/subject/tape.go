package subject

import (
	"encoding/binary"
	"math/big"
	"sync"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// A tape is a sequence of bytes that determines all choices and values of a subject. Past its end,
// it yields zeros.
type tape []byte

// more reports whether the tape has bytes left.
func (t *tape) more() bool { return len(*t) != 0 }

// bytes removes the next n bytes from the tape and returns them.
func (t *tape) bytes(n int) []byte {
	b := make([]byte, n)
	*t = (*t)[copy(b, *t):]
	return b
}

func (t *tape) byte() byte { return t.bytes(1)[0] }

func (t *tape) bool() bool { return t.byte()&1 != 0 }

// below returns a number less than n, from one byte of the tape. n is at most 256.
func (t *tape) below(n int) int { return int(t.byte()) % n }

func (t *tape) uint16() uint16 { return binary.BigEndian.Uint16(t.bytes(2)) }

func (t *tape) uint32() uint32 { return binary.BigEndian.Uint32(t.bytes(4)) }

// edges returns numbers at which arithmetic modulo p or n has special cases: p and n, their halves
// and their difference, cube roots of 1, coordinates of the base point, powers of two, and
// alternating words of zeros and ones.
var edges = sync.OnceValue(func() []*big.Int {
	c := secp256k1.Params()
	one := big.NewInt(1)
	list := []*big.Int{c.P, c.N, new(big.Int).Sub(c.P, c.N), c.Gx, c.Gy}
	for _, m := range []*big.Int{c.P, c.N} {
		root := new(big.Int).ModSqrt(new(big.Int).Sub(m, big.NewInt(3)), m)
		cube := new(big.Int).Sub(root, one)
		cube.Mul(cube, new(big.Int).ModInverse(big.NewInt(2), m)).Mod(cube, m)
		other := new(big.Int).Sub(m, one)
		list = append(list, new(big.Int).Rsh(m, 1), root, cube, other.Sub(other, cube))
	}
	for _, bits := range []uint{0, 1, 3, 26, 32, 52, 64, 127, 128, 129, 192, 208, 234, 255, 256} {
		list = append(list, new(big.Int).Lsh(one, bits))
	}
	// Words of zeros alternate with words of ones, for words of several sizes.
	for _, bits := range []int{26, 32, 52, 64, 128} {
		x := new(big.Int)
		for i := range 256 {
			x.SetBit(x, i, uint(i/bits&1))
		}
		list = append(list, x)
	}
	return list
})

// number returns a number of 256 bits: a random one, an edge case, or a number related to an edge
// case.
func (t *tape) number() *[32]byte {
	out := new([32]byte)
	kind := t.byte()
	if kind < 100 {
		copy(out[:], t.bytes(32))
		return out
	}
	x := new(big.Int).Set(edges()[t.below(len(edges()))])
	switch {
	case kind < 160:
		x.Add(x, big.NewInt(int64(t.below(17)-8)))
	case kind < 175:
		x.Lsh(x, uint(t.below(256)))
	case kind < 190:
		x.Rsh(x, uint(t.below(256)))
	case kind < 205:
		x.Xor(x, new(big.Int).Lsh(big.NewInt(1), uint(t.below(256))))
	}
	x.Mod(x, new(big.Int).Lsh(big.NewInt(1), 256)).FillBytes(out[:])
	return out
}

// slice returns a slice of bytes: mostly the 32 bytes of a number, but sometimes fewer or more
// bytes, or nil.
func (t *tape) slice() []byte {
	b := t.number()[:]
	switch kind := t.byte(); {
	case kind < 180:
		return b
	case kind < 190:
		return nil
	case kind < 220:
		return b[:t.below(33)]
	case kind < 235:
		return b[t.below(33):]
	default:
		return append(b, t.bytes(t.below(40))...)
	}
}
