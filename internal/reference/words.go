package reference

import "math/big"

// Words returns the four 64-bit words of x, least significant first. It ignores higher words.
func Words(x *big.Int) (w [4]uint64) {
	for i := range w {
		w[i] = bitsOf(x, 64*i, 64)
	}
	return w
}

// FromWords returns the number with the given 64-bit words, least significant first.
func FromWords(words ...uint64) *big.Int {
	x := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(words[i]))
	}
	return x
}

// Limbs52 returns the five limbs of x in radix 2^52, least significant first.
func Limbs52(x *big.Int) (l [5]uint64) {
	for i := range l {
		l[i] = bitsOf(x, 52*i, 52)
	}
	return l
}

// FromLimbs52 returns the number with the given limbs in radix 2^52, least significant first.
func FromLimbs52(l [5]uint64) *big.Int {
	x := new(big.Int)
	for i := 4; i >= 0; i-- {
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(l[i]))
	}
	return x
}

// bitsOf returns the given number of bits of x, at most 64, from bit number pos up.
func bitsOf(x *big.Int, pos, count int) uint64 {
	y := new(big.Int).Rsh(x, uint(pos))
	return y.And(y, new(big.Int).SetUint64(1<<count-1)).Uint64()
}
