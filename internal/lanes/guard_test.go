//go:build linux && !purego

package lanes

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// guarded returns two pointers to memory for a T. The first memory begins right after a page that
// cannot be accessed, and the second ends right before such a page.
func guarded[T any](t *testing.T) (ps [2]*T) {
	for i, p := range cputest.Guarded(t, unsafe.Sizeof(*new(T))) {
		ps[i] = (*T)(p)
	}
	return ps
}

// TestGuardPages checks that the assembly kernels of each level access no byte outside their
// arguments.
func TestGuardPages(t *testing.T) {
	cputest.Run(t, testGuardPages, cputest.AllLanes()...)
}

func testGuardPages(t *testing.T) {
	r := random(t)
	var es [4][2]*Element
	for k := range es {
		es[k] = guarded[Element](t)
	}
	var pairs [2][2]*[2]Element
	var ps [3][2]*Jacobian
	var as [3][2]*Affine
	var ss [3][2]*Scalar
	for k := range 3 {
		ps[k], as[k], ss[k] = guarded[Jacobian](t), guarded[Affine](t), guarded[Scalar](t)
		pairs[k%2] = guarded[[2]Element](t)
	}
	rows := guarded[[Width][8]uint64](t)
	ks := guarded[[Width]scalar.Scalar](t)
	bs := [2][2]*[3]Vector{guarded[[3]Vector](t), guarded[[3]Vector](t)}
	vs := guarded[Element](t)
	zs := guarded[CoZ](t)

	for i := range 2 {
		v, a, b, c, d := vs[i], es[0][i], es[1][i], es[2][i], es[3][i]
		for _, e := range []*Element{a, b, c, d} {
			*e = randomElement(r)
		}
		same := func(name string, got *Element, generic func(w *Element)) {
			t.Helper()
			var w Element
			generic(&w)
			normalizeGeneric(&w, &w)
			var g Element
			if normalizeGeneric(&g, got); g != w {
				t.Error(name)
			}
		}
		mul(v, a, b)
		same("mul", v, func(w *Element) { mulGeneric(w, a, b) })
		squareN(v, a, 3)
		same("squareN", v, func(w *Element) { squareNGeneric(w, a, 3) })
		add(v, a, b)
		same("add", v, func(w *Element) { addGeneric(w, a, b) })
		sub(v, a, b)
		same("sub", v, func(w *Element) { subGeneric(w, a, b) })
		mulSmall(v, a, 16)
		same("mulSmall", v, func(w *Element) { mulSmallGeneric(w, a, 16) })
		normalize(v, a)
		same("normalize", v, func(w *Element) { *w = *a })
		selectLanes(v, maskOf(0x5a), a, b)
		same("select", v, func(w *Element) { selectLanesGeneric(w, maskOf(0x5a), a, b) })
		condNeg(v, maskOf(0xa5), a)
		same("condNeg", v, func(w *Element) { condNegGeneric(w, maskOf(0xa5), a) })
		if isZero(a) != isZeroGeneric(a) {
			t.Error("isZero")
		}
		x, y := pairs[0][i], pairs[1][i]
		*x = [2]Element{*a, *b}
		squareNPair(y, x, 2)
		same("squareNPair", &y[0], func(w *Element) { squareNGeneric(w, a, 2) })
		same("squareNPair", &y[1], func(w *Element) { squareNGeneric(w, b, 2) })

		p, q, s := ps[0][i], ps[1][i], ps[2][i]
		f, g, h := as[0][i], as[1][i], as[2][i]
		*q, *s = Jacobian{*a, *b, *c}, Jacobian{*b, *c, *d}
		*f, *g = Affine{*c, *d}, Affine{*a, *d}
		samePoint := func(name string, generic func(w *Jacobian)) {
			t.Helper()
			var w Jacobian
			generic(&w)
			same(name, &p.X, func(e *Element) { *e = w.X })
			same(name, &p.Y, func(e *Element) { *e = w.Y })
			same(name, &p.Z, func(e *Element) { *e = w.Z })
		}
		doubleN(p, q, 2)
		samePoint("doubleN", func(w *Jacobian) { doubleNGeneric(w, q, 2) })
		addMixed(p, q, f)
		samePoint("addMixed", func(w *Jacobian) { addMixedGeneric(w, q, f) })
		addJacobian(p, q, s)
		samePoint("addJacobian", func(w *Jacobian) { addJacobianGeneric(w, q, s) })
		var w Affine
		addAffine(h, f, g, b)
		addAffineGeneric(&w, f, g, b)
		same("addAffine", &h.X, func(e *Element) { *e = w.X })
		same("addAffine", &h.Y, func(e *Element) { *e = w.Y })

		var wantZ CoZ
		addCoZ(zs[i], f, g)
		addCoZGeneric(&wantZ, f, g)
		coordinates := func(z *CoZ) []*Element {
			return []*Element{&z.Sum.X, &z.Sum.Y, &z.Addend.X, &z.Addend.Y, &z.Ratio}
		}
		for k, e := range coordinates(zs[i]) {
			want := coordinates(&wantZ)[k]
			same("addCoZ", e, func(w *Element) { *w = *want })
		}

		pack(rows[i], f)
		unpack(h, rows[i])
		same("pack", &h.X, func(e *Element) { *e = f.X })
		same("pack", &h.Y, func(e *Element) { *e = f.Y })

		k, l, m := ss[0][i], ss[1][i], ss[2][i]
		*k, _ = randomScalar(r)
		*l, _ = randomScalar(r)
		mulScalar(m, k, l)
		var want Scalar
		if mulScalarGeneric(&want, k, l); *m != want {
			t.Error("mulScalar")
		}
		for j := range Width {
			ks[i][j].SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
		}
		var b1, b2 [3]Vector
		SplitOdd(bs[0][i], bs[1][i], ks[i], 130)
		if splitOddGeneric(&b1, &b2, ks[i], 1<<(130-MinSplitBits)); *bs[0][i] != b1 || *bs[1][i] != b2 {
			t.Error("splitOdd")
		}
	}
}
