package sums

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// TestGuardPages checks that the kernels of each level that add pairs return what the portable
// versions return, and access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	cputest.Run(t, testGuardPages, cputest.AllLanes()...)
}

func testGuardPages(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	same := func(what string, got, want []point.Affine) {
		t.Helper()
		for i := range want {
			if !got[i].X.Equal(&want[i].X).Bool() || !got[i].Y.Equal(&want[i].Y).Bool() {
				t.Fatalf("%s: row %d is wrong", what, i)
			}
		}
	}
	for _, groups := range []int{2, 4, 6} {
		pairs := groups * lanes.Width
		points, _ := walk(t, 2*pairs, big.NewInt(2), big.NewInt(1))
		size := firstBase + 3*pairs
		rows := cputest.Slices[point.Affine](t, size)
		// The kernels read references of eight groups more, and write to those of two.
		as, bs := cputest.Slices[ref](t, pairs+64), cputest.Slices[ref](t, pairs+64)
		outs := cputest.Slices[ref](t, pairs+16)
		products := cputest.Slices[lanes.Element](t, groups)
		differs := cputest.Slices[lanes.Element](t, groups+2)
		accs := cputest.Slices[[12]lanes.Element](t, 1)
		for i, rows := range rows {
			rows[padRef>>rowShift].SetGenerator()
			copy(rows[firstBase:], points)
			a, b, out := as[i], bs[i], outs[i]
			for k := range a {
				a[k], b[k] = r.Uint32(), r.Uint32()
			}
			for k, j := range r.Perm(2 * pairs) {
				at := ref(firstBase+j)<<rowShift | r.Uint32()&1
				if k < pairs {
					a[k] = at
				} else {
					b[k-pairs] = at
				}
			}
			for k, j := range r.Perm(pairs) {
				out[k] = ref(firstBase+2*pairs+j) << rowShift
			}
			for k := pairs; k < len(out); k++ {
				a[k], b[k], out[k] = 0, padRef, padOut
			}
			for k := range len(accs[i][0]) {
				accs[i][0][k].One()
			}
			want, acc := slices.Clone(rows), accs[i][0]
			l := worker{laneProducts: make([]lanes.Element, groups),
				differences: make([]lanes.Element, groups), acc: &acc}
			differencesGeneric(want, a, b, l.laneProducts, l.differences, groups, l.acc)
			if !l.invert() {
				t.Fatal("two points have the same x")
			}
			chordsGeneric(want, a, b, out, l.laneProducts, l.differences, groups, l.acc)

			l = worker{laneProducts: products[i], differences: differs[i], acc: &accs[i][0]}
			differences(rows, a, b, l.laneProducts, l.differences, groups, l.acc)
			if !l.invert() {
				t.Fatal("a difference is zero")
			}
			chords(rows, a, b, out, l.laneProducts, l.differences, groups, l.acc)
			rows[padOut>>rowShift] = want[padOut>>rowShift]
			same("sums", rows, want)
		}

		pair := cputest.Slices[point.Affine](t, 2*pairs)
		betas := cputest.Slices[lanes.Element](t, 1)
		for i, pair := range pair {
			copy(pair, points)
			betas[i][0], _ = lanes.Beta()
			want := slices.Clone(points)
			timesLambda(pair, &betas[i][0], groups)
			timesLambdaGeneric(want, nil, groups)
			same("timesLambda", pair, want)
		}
	}
}
