package sums

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestAdder checks that an adder gives the right sums of different, of equal and of opposite
// points, with every combination of signs.
func TestAdder(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	c := reference.Secp256k1()
	for n := range 40 {
		points, logs := walk(t, n+3, big.NewInt(2), big.NewInt(1))
		rows := make([]point.Affine, firstBase)
		rows[fillRef>>rowShift].SetGenerator()
		rows = append(rows, points...)
		logs = append(make([]*big.Int, firstBase), logs...)
		var a, b, out []ref
		infinite := false
		for range n {
			i, j := firstBase+r.Intn(n+3), firstBase+r.Intn(n+3)
			if r.Intn(4) == 0 {
				j = i
			}
			x, y := ref(i<<rowShift|r.Intn(2)), ref(j<<rowShift|r.Intn(2))
			infinite = infinite || x^y == 1
			a, b, out = append(a, x), append(b, y), append(out, ref(len(rows)<<rowShift))
			rows = append(rows, point.Affine{})
		}
		room := func(s []ref) []ref { return append(make([]ref, 0, n+fillRoom), s...) }
		a, b, out = room(a), room(b), room(out)
		var w adder
		if w.add(rows, a, b, out) != infinite {
			t.Errorf("%d pairs: not %v", n, infinite)
		}
		for i := range out {
			sum := new(big.Int)
			for _, x := range []ref{a[i], b[i]} {
				if x&1 == 0 {
					sum.Add(sum, logs[x>>rowShift])
				} else {
					sum.Sub(sum, logs[x>>rowShift])
				}
			}
			if a[i]&1 != 0 {
				sum.Neg(sum)
			}
			want := c.ScalarMult(sum, c.G)
			got := rows[out[i]>>rowShift]
			if got == (point.Affine{}) != want.IsInfinity() ||
				!want.IsInfinity() && !got.Equal(vartimetest.Affine(want)).Bool() {
				t.Errorf("pair %d of %d: %d, %d: wrong", i, n, a[i], b[i])
			}
		}
	}
}

// TestTwoRepresentations checks that a point with x = 1 is added correctly to itself and to its
// opposite if one of the two has the limbs of p + 1 as its x. If there are more pairs, the test
// also adds the point to itself in a pair nearby, with equal limbs.
func TestTwoRepresentations(t *testing.T) {
	x1, ok := reference.Secp256k1().LiftX(big.NewInt(1), false)
	if !ok {
		t.Fatal("no point has x = 1")
	}
	p := *vartimetest.Affine(x1)
	q := p
	q.X.SetLimbs(^uint64(field.C-2), ^uint64(0), ^uint64(0), ^uint64(0))
	if q.X == p.X || !q.X.Equal(&p.X).Bool() {
		t.Fatal("not two representations of one number")
	}
	var double, got point.Jacobian
	double.SetAffine(&p)
	double.DoubleN(&double, 1)
	for _, n := range []int{1, 8, 40} {
		points, _ := walk(t, n+1, big.NewInt(2), big.NewInt(1))
		rows := make([]point.Affine, firstBase)
		rows[fillRef>>rowShift].SetGenerator()
		rows = append(append(rows, points...), p, q)
		at := ref(len(rows)-2) << rowShift
		for i := range n {
			a, b, out := make([]ref, n, n+fillRoom), make([]ref, n, n+fillRoom), make([]ref, n, n+fillRoom)
			for k := range n {
				a[k], b[k] = ref(firstBase+k)<<rowShift, ref(firstBase+k+1)<<rowShift
				out[k] = ref(len(rows)) << rowShift
				rows = append(rows, point.Affine{})
			}
			a[i], b[i] = at, at+1<<rowShift|ref(i&1)
			other := (i + 3) % n
			if other != i {
				a[other], b[other] = at, at
			}
			var w adder
			if infinite := w.add(rows, a, b, out); infinite != (i&1 != 0) {
				t.Errorf("pair %d of %d: infinity: %v", i, n, infinite)
			}
			sum := rows[out[i]>>rowShift]
			if got.SetAffine(&sum); i&1 == 0 && !got.Equal(&double).Bool() {
				t.Errorf("pair %d of %d: P + P is not 2·P", i, n)
			}
			if got.SetAffine(&rows[out[other]>>rowShift]); other != i && !got.Equal(&double).Bool() {
				t.Errorf("pair %d of %d, beside pair %d: P + P is not 2·P", other, n, i)
			}
			for k := range n {
				if k == i || k == other {
					continue
				}
				var want point.Jacobian
				want.SetAffine(&points[k])
				want.AddMixedVartime(&want, &points[k+1])
				if got.SetAffine(&rows[out[k]>>rowShift]); !got.Equal(&want).Bool() {
					t.Errorf("pair %d of %d, beside pairs %d and %d: wrong", k, n, i, other)
				}
			}
		}
	}
}

// TestTimesLambda checks that λ·P computed in lanes equals λ·P computed singly. The rows for λ·P
// hold other points before. The row after the last must keep its point.
func TestTimesLambda(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for _, n := range []int{0, 1, 7, 8, 9, 16, 27} {
		points, _ := walk(t, 2*n+1, big.NewInt(5), uniform(r))
		rows := slices.Clone(points)
		timesLambdaAll(rows[:2*n])
		for i := range n {
			var want point.Affine
			want.MulBeta(&points[2*i])
			if rows[2*i] != points[2*i] ||
				!rows[2*i+1].X.Equal(&want.X).Bool() || !rows[2*i+1].Y.Equal(&want.Y).Bool() {
				t.Errorf("point %d of %d is wrong", i, n)
			}
		}
		if rows[2*n] != points[2*n] {
			t.Errorf("the row after %d points has changed", n)
		}
	}
}
