package reference

import (
	"math/big"
	"sync"
)

// EdgeInts returns integers in [0, 2^256) for which arithmetic mod p and mod n is most likely
// wrong. They are 0, 2^256, p, n, p/2, n/2, some differences of these numbers, the cube roots of
// unity β and λ, the coordinates of G, and powers of two, each with its neighbours, and numbers
// whose limbs are all zeros or all ones.
func EdgeInts() []*big.Int {
	p, n, one := P(), N(), big.NewInt(1)
	top := new(big.Int).Lsh(one, 256)

	centres := []*big.Int{
		new(big.Int), top, p, n,
		new(big.Int).Rsh(p, 1), new(big.Int).Rsh(n, 1),
		new(big.Int).Sub(top, p), new(big.Int).Sub(top, n), // 2^256 mod p and mod n
		new(big.Int).Sub(p, n),
		new(big.Int).Lsh(new(big.Int).Sub(top, p), 1),
		new(big.Int).Sub(p, new(big.Int).Sub(top, p)),
		Beta(), mulP(Beta(), Beta()), new(big.Int).Sub(p, Beta()),
		Lambda(), new(big.Int).Sub(n, Lambda()), new(big.Int).Sub(n, new(big.Int).Add(Lambda(), one)),
		Gx(), Gy(), new(big.Int).Sqrt(n), new(big.Int).Sqrt(p),
	}
	for _, bit := range []uint{
		31, 32, 33, 51, 52, 63, 64, 65, 104, 127, 128, 129, 156, 191, 192, 193, 208, 223, 224, 255,
	} {
		centres = append(centres, new(big.Int).Lsh(one, bit))
	}

	var out []*big.Int
	seen := map[string]bool{}
	add := func(x *big.Int) {
		if x.Sign() >= 0 && x.BitLen() <= 256 && !seen[x.String()] {
			seen[x.String()] = true
			out = append(out, x)
		}
	}
	for _, x := range centres {
		for d := int64(-2); d <= 2; d++ {
			add(new(big.Int).Add(x, big.NewInt(d)))
		}
	}
	// These are all numbers whose four 64-bit limbs are all zeros or all ones, and those whose
	// eight 32-bit limbs are zero except one, or all ones except one.
	for mask := range 16 {
		add(limbs(64, 4, func(i int) bool { return mask>>i&1 == 1 }))
	}
	for limb := range 8 {
		add(limbs(32, 8, func(i int) bool { return i == limb }))
		add(limbs(32, 8, func(i int) bool { return i != limb }))
	}
	return out
}

// limbs returns the integer with the given count of limbs of the given number of bits. Limb i is
// all ones if isOnes(i) is true, and zero otherwise.
func limbs(bits uint, count int, isOnes func(i int) bool) *big.Int {
	x := new(big.Int)
	ones := new(big.Int).Lsh(big.NewInt(1), bits)
	ones.Sub(ones, big.NewInt(1))
	for i := count - 1; i >= 0; i-- {
		x.Lsh(x, bits)
		if isOnes(i) {
			x.Or(x, ones)
		}
	}
	return x
}

// A Source yields random words: any *rand.Rand, of math/rand or math/rand/v2.
type Source interface{ Uint64() uint64 }

// edges returns the result of EdgeInts, which it computes once. RandInt does not change it.
var edges = sync.OnceValue(EdgeInts)

// RandInt returns a random integer in [0, 2^256). A quarter of these integers are near an edge
// case, a quarter have long runs of equal bits, and the others are uniform.
func RandInt(r Source) *big.Int {
	x := new(big.Int)
	switch r.Uint64() % 4 {
	case 0: // near an edge case
		x.Set(edges()[r.Uint64()%uint64(len(edges()))])
		x.Add(x, new(big.Int).SetUint64(r.Uint64()%16))
		x.Sub(x, new(big.Int).SetUint64(r.Uint64()%16))
		return x.And(x, limbs(64, 4, func(int) bool { return true }))
	case 1: // runs of equal bits
		for x.BitLen() == 0 || r.Uint64()%8 != 0 {
			run := limbs(1, int(1+r.Uint64()%128), func(int) bool { return true })
			x.Xor(x, run.Lsh(run, uint(r.Uint64()%256)))
		}
		return x.And(x, limbs(64, 4, func(int) bool { return true }))
	}
	for range 4 {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(r.Uint64()))
	}
	return x
}

// Secret returns a pseudo-random number in [1, n) from r. Many of these numbers are near 0, n or
// another edge.
func Secret(r Source) *big.Int {
	for {
		if d := RandInt(r); inOrder(d) {
			return d
		}
	}
}
