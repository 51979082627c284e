package reference

import (
	"math/big"
	"testing"
)

// TestSwiftEC checks, over small fields, that an encoder that draws u and the branch uniformly,
// until there is a t other than 0, chooses each pair (u, t) for a coordinate x with the same
// probability:
//
//   - every pair without a zero encodes the x coordinate of a point;
//   - every branch of the inverse map leads to a t with which u encodes x, or to 0;
//   - exactly one branch leads to each pair. The exceptions are pairs with u³ + B = −t²,
//     to which no branch leads. They are about one of P pairs.
func TestSwiftEC(t *testing.T) {
	for _, p := range []int64{31, 43, 67} {
		for b := int64(1); b <= 7; b++ {
			m := &SwiftEC{P: big.NewInt(p), B: big.NewInt(b)}
			if m.C = m.Root(big.NewInt(p - 3)); m.add(m.mul(m.C, m.C), big.NewInt(3)).Sign() != 0 {
				t.Fatalf("−3 is not a square modulo %d", p)
			}
			// On secp256k1 no point has y = 0. So −B must not be a cube.
			if new(big.Int).Exp(m.neg(m.B), big.NewInt((p-1)/3), m.P).Int64() != 1 {
				testSwiftEC(t, m)
			}
		}
	}
}

func testSwiftEC(t *testing.T, m *SwiftEC) {
	p := m.P.Int64()
	branches := map[[3]int64]int{} // the number of branches that lead from u and x to t
	for u := int64(1); u < p; u++ {
		for x := range p {
			if !m.IsSquare(m.G(big.NewInt(x))) {
				continue
			}
			for branch := range 8 {
				v := m.Inverse(big.NewInt(u), big.NewInt(x), branch)
				if v == nil || v.Sign() == 0 {
					continue
				}
				branches[[3]int64{u, x, v.Int64()}]++
				if got := m.Decode(big.NewInt(u), v); got.Int64() != x {
					t.Errorf("p = %d, B = %v: (%d, %v) encodes %v, not %d", p, m.B, u, v, got, x)
				}
			}
		}
	}
	for u := int64(1); u < p; u++ {
		for v := int64(1); v < p; v++ {
			x := m.Decode(big.NewInt(u), big.NewInt(v))
			if !m.IsSquare(m.G(x)) {
				t.Errorf("p = %d, B = %v: (%d, %d) encodes %v, not a point", p, m.B, u, v, x)
			}
			want := 1
			if m.add(m.G(big.NewInt(u)), big.NewInt(v*v)).Sign() == 0 {
				want = 0
			}
			if n := branches[[3]int64{u, x.Int64(), v}]; n != want {
				t.Errorf("p = %d, B = %v: %d branches lead to (%d, %d)", p, m.B, n, u, v)
			}
		}
	}
}
