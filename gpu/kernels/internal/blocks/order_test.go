package blocks

import (
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	n = reference.N()
	d = new(big.Int).Sub(top, n)
)

// ones returns 2^bits − 1.
func ones(bits int) *big.Int {
	x := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return x.Sub(x, big.NewInt(1))
}

// upper returns operands whose product has the upper half h and the lower half 2^256 − h − 1. h
// must be below 2^256 − 1.
func upper(h *big.Int) []*big.Int {
	return []*big.Int{new(big.Int).Add(h, big.NewInt(1)), ones(256)}
}

// second returns operands for which the upper half is k after the first fold of the reduction
// modulo n, for k in [1, d) and d = 2^256 − n. The first fold adds the operands' upper half times d
// to their lower half. The upper half times d is at least (k − 1)·2^256 and less than k·2^256, and
// the addition of the lower half makes the sum k·2^256 or more.
func second(k *big.Int) []*big.Int {
	h := new(big.Int).Lsh(k, 256)
	h.Sub(h, big.NewInt(1))
	return upper(h.Div(h, d))
}

// orders returns operands whose products carry in rare places of the reduction modulo n.
func orders(r *rand.Rand) [][]*big.Int {
	rows := [][]*big.Int{
		upper(new(big.Int)),
		upper(new(big.Int).Sub(ones(256), big.NewInt(1))),
	}
	// Four consecutive limbs of the upper half h are all ones. The products of these limbs with
	// limbs of d are added to one pair of limbs, which then carries.
	for i := range 5 {
		for range 8 {
			h := new(big.Int).Lsh(ones(128), uint(32*i))
			h.Or(h, reference.RandInt(r))
			rows = append(rows, upper(h.SetBit(h, 0, 0)), second(ones(128)))
		}
	}
	// A carry runs through several limbs: those of the upper half after the first fold, and those
	// of the sum after the last fold.
	for bits := 32; bits <= 256; bits += 32 {
		for i := range 8 {
			if bits <= 128 {
				k := new(big.Int).And(reference.RandInt(r), ones(128))
				k.Or(k, ones(bits))
				rows = append(rows, second(k.Add(k, big.NewInt(1))))
			}
			x := new(big.Int).Sub(ones(bits), new(big.Int).Mul(d, big.NewInt(int64(i%2))))
			x.Sub(x, big.NewInt(int64(i/2)))
			if bits < 256 {
				x.Add(x, new(big.Int).Lsh(big.NewInt(r.Int64N(1<<32)), uint(bits)))
			}
			if bits > 128 {
				rows = append(rows, []*big.Int{x, big.NewInt(1)})
			}
		}
	}
	return rows
}
