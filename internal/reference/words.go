package reference

import "math/big"

// Words returns the four 64-bit words of x, least significant first. It ignores higher words.
func Words(x *big.Int) (w [4]uint64) {
	for i := range w {
		w[i] = new(big.Int).Rsh(x, uint(64*i)).Uint64()
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
