package lanewise

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

func TestLanesLiftX(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(4))
		for _, n := range laneCounts() {
			got := make([]point.Affine, n)
			odd, ok := make([]bool, n), make([]bool, n)
			for i := range got {
				x := vartimetest.Element(reference.RandInt(r))
				got[i].X = *x.Normalize()
				odd[i] = r.Intn(2) == 0
			}
			lift(got, odd, ok)
			for i := range got {
				var want point.Affine
				choice := ct.Choice(0)
				if odd[i] {
					choice = 1
				}
				good := want.LiftX(&got[i].X, choice).Bool()
				if ok[i] != good || good && (got[i].Equal(&want) != 1 ||
					got[i].Y.Limbs() != got[i].Y.Normalize().Limbs()) {
					t.Fatalf("%d rows, row %d: x = %x: %v %v", n, i, got[i].X.Limbs(), ok[i], good)
				}
			}
		}
	})
}

func TestLanesToAffine(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(5))
		for _, n := range laneCounts() {
			src := make([]point.Jacobian, n)
			for i := range src {
				z := big.NewInt(1)
				switch r.Intn(6) {
				case 0:
					z = new(big.Int)
				case 1:
					z = reference.P() // the other form of zero
				case 2, 3, 4:
					z.Add(z, new(big.Int).Rsh(reference.RandInt(r), 1))
				}
				e := vartimetest.Element(z)
				p := toPoint(big.NewInt(int64(1 + i)))
				src[i].SetAffine(&p)
				src[i].X.Mul(&src[i].X, new(field.Element).Square(&e))
				src[i].Y.Mul(&src[i].Y, &e).Mul(&src[i].Y, new(field.Element).Square(&e))
				src[i].Z = e
				if e.IsZero().Bool() {
					src[i].X, src[i].Y = p.X, p.Y
				}
			}
			got, want := make([]point.Affine, n), make([]point.Affine, n)
			finite := make([]bool, n)
			NewLanes(n).ToAffine(got, finite, src)
			point.BatchToAffineVartime(want, src)
			for i := range got {
				if got[i] != want[i] || finite[i] == src[i].IsInfinity().Bool() {
					t.Fatalf("%d rows, row %d: %v %v, want %v", n, i, got[i], finite[i], want[i])
				}
			}
		}
	})
}

func TestLanesDivide(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(9))
		for _, n := range laneCounts() {
			random := func() []scalar.Scalar {
				s := make([]scalar.Scalar, n)
				for i := range s {
					s[i] = *vartimetest.Scalar(reference.RandInt(r))
				}
				return s
			}
			a, b, s := random(), random(), random()
			if n > 2 {
				s[n/2] = scalar.Scalar{}
			}
			x, y := slices.Clone(a), slices.Clone(b)
			NewLanes(n).Divide(x, y, slices.Clone(s), make([]scalar.Scalar, n))
			for i := range s {
				s[i].InvertVartime(&s[i])
				a[i].Mul(&a[i], &s[i])
				b[i].Mul(&b[i], &s[i])
			}
			if !slices.Equal(x, a) || !slices.Equal(y, b) {
				t.Fatalf("%d rows: wrong quotients", n)
			}
		}
	})
}

// TestLanesOffCurve checks that a point that is not on the curve changes no other row, although it
// makes denominators of its lane zero.
func TestLanesOffCurve(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		const n = 3 * lanes.Width
		k, p, got := make([]scalar.Scalar, n), make([]point.Affine, n), make([]point.Jacobian, n)
		for i := range p {
			k[i], p[i] = *vartimetest.Scalar(big.NewInt(int64(i))), toPoint(big.NewInt(int64(2*i+1)))
		}
		p[5], p[12] = point.Affine{}, point.Affine{X: p[1].X}
		NewLanes(n).DoubleScalarMult(got, k, k, p)
		for i := range p {
			var want point.Jacobian
			vartime.DoubleScalarMult(&want, &k[i], &k[i], &p[i])
			if i != 5 && i != 12 && !got[i].Equal(&want).Bool() {
				t.Errorf("row %d is wrong", i)
			}
		}
	})
}
