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

// TestAdd checks that add gives the right sums of different, of equal and of opposite
// points, with every combination of signs. The points at the end are one point with two
// representations of its x, the limbs of 1 and of p + 1.
func TestAdd(t *testing.T) { onLevels(t, testAdd) }

func testAdd(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	c := reference.Secp256k1()
	x1, _ := c.LiftX(big.NewInt(1), false)
	p := *vartimetest.Affine(x1)
	q := p
	q.X.SetLimbs(^uint64(field.C-2), ^uint64(0), ^uint64(0), ^uint64(0))
	if q.X == p.X || !q.X.Equal(&p.X).Bool() {
		t.Fatal("not two representations of one number")
	}
	for round := range 200 {
		n := round % 41
		points, _ := walk(t, n+3, big.NewInt(2), big.NewInt(1))
		rows := make([]point.Affine, firstBase)
		rows[padRef>>rowShift].SetGenerator()
		rows = append(append(rows, points...), p, q)
		special := len(rows) - 2
		var a, b, out []ref
		infinite := false
		for range n {
			i, j := firstBase+r.Intn(n+3), firstBase+r.Intn(n+3)
			switch r.Intn(8) {
			case 0, 1:
				j = i
			case 2:
				i, j = special+r.Intn(2), special+r.Intn(2)
			}
			x, y := ref(i<<rowShift|r.Intn(2)), ref(j<<rowShift|r.Intn(2))
			infinite = infinite || (i == j || i >= special && j >= special) && (x^y)&1 == 1
			a, b, out = append(a, x), append(b, y), append(out, ref(len(rows)<<rowShift))
			rows = append(rows, point.Affine{})
		}
		padded := func(s []ref) []ref { return append(slices.Clone(s), make([]ref, padLength)...) }
		w := worker{rows: rows, pairs: pairList{padded(a), padded(b), padded(out), padded(out), n}}
		if w.add() != infinite {
			t.Errorf("%d pairs: not %v", n, infinite)
		}
		summand := func(x ref) reference.Point {
			var j point.Jacobian
			s := vartimetest.Reference(j.SetAffine(&rows[x>>rowShift]))
			if x&1 != 0 {
				s = c.Neg(s)
			}
			return s
		}
		// add may have changed the order of the pairs.
		for i, at := range w.pairs.bucket[:n] {
			k := slices.Index(out, at)
			if w.pairs.a[i] != a[k] || w.pairs.b[i] != b[k] {
				t.Errorf("pair %d of %d is now another", k, n)
			}
		}
		copy(a, w.pairs.a)
		copy(b, w.pairs.b)
		for i := range out {
			want := c.Add(summand(a[i]), summand(b[i]))
			if a[i]&1 != 0 {
				want = c.Neg(want)
			}
			got := rows[out[i]>>rowShift]
			if got == (point.Affine{}) != want.IsInfinity() ||
				!want.IsInfinity() && !got.Equal(vartimetest.Affine(want)).Bool() {
				t.Errorf("pair %d of %d: %d, %d: wrong", i, n, a[i], b[i])
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
