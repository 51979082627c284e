package kernels

import "math/big"

// SHA256Constants returns the round constants of SHA-256: the first 32 bits of the fractional parts
// of the cube roots of the first 64 primes.
func SHA256Constants() (k [64]uint32) {
	for i, n := 0, int64(2); i < len(k); n++ {
		if !big.NewInt(n).ProbablyPrime(0) {
			continue
		}
		k[i] = uint32(cubeRoot(new(big.Int).Lsh(big.NewInt(n), 96)).Uint64())
		i++
	}
	return k
}

// cubeRoot returns the integer part of the cube root of x, by bisection.
func cubeRoot(x *big.Int) *big.Int {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(x.BitLen()/3+1))
	for {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if middle.Cmp(low) == 0 {
			return low
		}
		if new(big.Int).Exp(middle, big.NewInt(3), nil).Cmp(x) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
}
