//go:build linux && !purego

package parallel

import (
	"math/big"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestGuardPages checks that the kernels access no byte outside of their arguments.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Features())
	r := random(t)
	g := reference.Secp256k1().G
	ps := cputest.Guarded(t, unsafe.Sizeof(Point{}))
	as := cputest.Guarded(t, unsafe.Sizeof([2]Addend{}))
	qs := cputest.Guarded(t, unsafe.Sizeof(Affine{}))
	ms := cputest.Guarded(t, unsafe.Sizeof(Multiples{}))
	for i := range ps {
		p, a, q := (*Point)(ps[i]), (*[2]Addend)(as[i]), (*Affine)(qs[i])
		*p, *q = *newPoint(r, g), Affine{limbs(r, g.X), limbs(r, g.Y)}
		SetAddends(a, p)
		p.Double(2).DoubleAdd(1, &a[0], 0).DoubleAdd(0, &a[1], ^uint64(0)).DoubleAddAffine(1, q)
		// 2·(2·4·G + G − λ·G) + G
		c := reference.Secp256k1()
		want := c.Add(c.ScalarMult(reference.Lambda(), c.Neg(c.Double(g))), c.Add(c.Double(g), g))
		for range 4 {
			want = c.Add(want, c.Double(c.Double(g)))
		}
		if got := pointOf(t, p); !got.Equal(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		m := (*Multiples)(ms[i])
		m.Set(q)
		p.SetInfinity().DoubleAddMultiples(1, m, 7, 0, 7, ^uint64(0)) // 15·G − λ·15·G
		fifteen := c.ScalarMult(big.NewInt(15), g)
		want = c.Add(fifteen, c.Neg(c.MulBeta(fifteen)))
		if got := pointOf(t, p); !got.Equal(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
