package divsteps

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestJacobi checks symbols against math/big. It checks that the algorithm gives up, and returns no
// symbol, if its limit on runs is too low, that at most ten runs are needed, and that comparisons
// by the leading words are sometimes wrong, so that a becomes negative.
func TestJacobi(t *testing.T) {
	for _, tt := range testModuli {
		t.Run(tt.name, func(t *testing.T) {
			m, value := newModulus(t, tt.hex)
			n := 100000
			if !cputest.Deep() {
				n = 10000
			}
			counts, negative := map[int]int{}, 0
			for _, x := range append(inputs(value, n), closeToFractions(value)...) {
				negative += checkJacobi(t, m, value, x, counts)
			}
			t.Logf("inputs by the runs that they need: %v; a became negative %d times", counts, negative)
			for n := range counts {
				if n > 10 {
					t.Errorf("%d runs", n)
				}
			}
			if negative == 0 {
				t.Error("no comparison was wrong")
			}
		})
	}
}

// closeToFractions returns numbers x close to m·k/l. For those, the algorithm meets numbers that
// are equal in their leading words.
func closeToFractions(m *big.Int) (xs []*big.Int) {
	for l := int64(2); l < 40; l++ {
		for k := int64(1); k < l; k++ {
			x := new(big.Int).Mul(m, big.NewInt(k))
			x.Div(x, big.NewInt(l))
			for d := int64(-2); d <= 2; d++ {
				for _, shift := range []uint{0, 60, 100, 180} {
					y := new(big.Int).Lsh(big.NewInt(d), shift)
					xs = append(xs, y.Add(y, x).Mod(y, m))
				}
			}
		}
	}
	return xs
}

// checkJacobi checks the symbol of x, adds to counts the number of runs that it needs, and returns
// how often a was negative after a run.
func checkJacobi(t *testing.T, m *Modulus, value, x *big.Int, counts map[int]int) (negative int) {
	t.Helper()
	l := reference.Words(x)
	want := big.Jacobi(x, value)
	if got, ok := m.JacobiVartime(&l); !ok || got != want {
		t.Fatalf("%x: %d, %v, want %d", x, got, ok, want)
	}
	needed := 0
	for {
		got, ok := m.jacobi(&l, needed)
		if ok {
			if got != want {
				t.Fatalf("%x: %d after %d runs, want %d", x, got, needed, want)
			}
			break
		}
		if got != 0 {
			t.Fatalf("%x: %d runs are not enough, and give %d", x, needed, got)
		}
		needed++
	}
	counts[needed]++
	s := jacobiState{a: uint256{l[0], l[1], l[2], l[3]}, b: m.value()}
	for !s.a.isZero() {
		if jacobiRunVartime(&s); !s.a.isZero() && s.negative != 0 {
			negative++
		}
	}
	return negative
}

func BenchmarkJacobiVartime(b *testing.B) {
	m, _ := newModulus(b, testModuli[0].hex)
	x := [4]uint64{1, 2, 3, 4}
	for i := range b.N {
		symbol, _ := m.JacobiVartime(&x)
		x[i&3] = x[i&3]*0x9e3779b97f4a7c15 + uint64(symbol) + 1
	}
}
