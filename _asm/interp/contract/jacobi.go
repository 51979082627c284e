package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
)

// JacobiRuns returns calls of a kernel that makes one run of 61 halvings in the algorithm for
// Jacobi symbols. The buffer state holds a and b, four words each, a word with the changes of the
// sign in bit 0, and a word that the kernel sets to all ones if a has become negative. The first
// run of an input and later ones are tested.
func JacobiRuns(r *rand.Rand, n int) []*Call {
	const halvings = 61
	var calls []*Call
	for k := range n {
		moduli := inverseModuli()
		b := moduli[k%len(moduli)]
		a := inverseInput(b, r)
		for range r.IntN(6) {
			if next, odd := euclidRun(a, b, halvings); next.Sign() != 0 {
				a, b = next.Abs(next), odd.Abs(odd)
			}
		}
		changes := r.Uint64()
		wantA, wantB := euclidRun(a, b, halvings)
		negative := uint64(0)
		if wantA.Sign() < 0 {
			negative = ^uint64(0)
		}
		wantA.Abs(wantA)
		wantB.Abs(wantB)
		before, after := big.Jacobi(a, b), big.Jacobi(wantA, wantB)
		calls = append(calls, &Call{
			Name: fmt.Sprintf("a = %#x, b = %#x", a, b),
			Buffers: []Buffer{{Param: "s", Words: 10, Out: true,
				In: append(append(append([]uint64{}, Limbs(a)...), Limbs(b)...), changes, r.Uint64())}},
			Check: func(v Values) error {
				s := v["s"]
				if x, y := Int(s[:4]), Int(s[4:8]); x.Cmp(wantA) != 0 || y.Cmp(wantB) != 0 {
					return fmt.Errorf("a = %#x and b = %#x, want %#x and %#x", x, y, wantA, wantB)
				}
				if changed := (s[8]^changes)&1 == 1; before != 0 && changed != (before != after) {
					return fmt.Errorf("the sign changes: %v; the symbol goes from %d to %d",
						changed, before, after)
				}
				if wantA.Sign() != 0 && s[9] != negative {
					return fmt.Errorf("negative is %#x, want %#x", s[9], negative)
				}
				return nil
			},
		})
	}
	return calls
}
