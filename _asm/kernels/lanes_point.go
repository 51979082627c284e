package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesPoint returns the kernels for points. All but the first are incomplete, and
// absorb what they do not cover: Z ≡ 0 comes out, and stays.
func lanesPoint() []Kernel {
	return []Kernel{
		laneKernel("doubleNIFMA", "func(p, q *Jacobian, n int)", "func(p, q *uint64, n int)",
			" sets p = 2^n·q, n ≥ 1, exact for every q: Z ≡ 0 stays. p may be q.\nThe time depends on n. Coordinates are reduced, of the result too.", lanesDoubleN),
		laneKernel("addMixedIFMA", "func(p, q *Jacobian, a *Affine)", "func(p, q, a *uint64)",
			" sets p = q + a. If q = ±a, or Z ≡ 0 for q, then Z ≡ 0 comes out. p may\nbe q. Coordinates are reduced, of the result too.", lanesAddMixed),
		laneKernel("addJacobianIFMA", "func(p, q, r *Jacobian)", "func(p, q, r *uint64)",
			" sets p = q + r. If q = ±r, or Z ≡ 0 for one of them, then Z ≡ 0 comes\nout. p may be q or r. Coordinates are reduced, of the result too.", lanesAddJacobian),
		laneKernel("addAffineIFMA", "func(p, a, b *Affine, inv *Element)", "func(p, a, b, inv *uint64)",
			" sets p = a + b, given inv = 1/(b.X − a.X). p may be a or b.\nCoordinates are reduced, of the result too.", lanesAddAffine),
	}
}

// Multiples of p, as k and slack, that are above
var (
	aboveReduced = [2]uint64{4, 2}               // any reduced element
	aboveRaw     = [2]uint64{1 << 11, 1 << 6}    // three raw ones
	aboveRaws    = [2]uint64{1 << 12, 1<<8 - 1}  // eight
	aboveX3      = [2]uint64{1 << 14, 1<<10 - 1} // a sum of those and a multiple
)

// multipleLess returns a multiple of p less an element.
func multipleLess(m *vectors.Machine, above [2]uint64, e vectors.Element) vectors.Element {
	x := m.LoadMultiple(above[0], above[1])
	m.Sub(x, e)
	return x
}

// laneProduct returns a·b + init as columns 0 … 4.
func laneProduct(m *vectors.Machine, init, a, b vectors.Element) vectors.Element {
	z := vectors.From(init)
	m.Product(&z, a, b)
	return m.Fold(&z)
}

// laneSquare returns a² + init as columns 0 … 4.
func laneSquare(m *vectors.Machine, init *vectors.Element, a vectors.Element) vectors.Element {
	z := m.Square(a, init)
	return m.Fold(&z)
}

var none vectors.Element

// lanesDoubleN is
//
//	M = 3·X²  A = Y²  T = X·A
//	X3 = M² − 8·T
//	Y3 = M·(4·T − X3) − 8·A²
//	Z3 = 2·Y·Z
//
// T is never carried: it is only added and subtracted. A² is subtracted in its ten
// columns, so that Y3 has one reduction. What waits for nothing stands between what
// waits for one another: Z3 and A² before X3, S − X3 and Y3.
func lanesDoubleN(c *build.Context, m *vectors.Machine) {
	q, p := reg.RSI, reg.RDI
	frame := m.Scratch(2*vectors.Size, reg.R8)
	mMem, aMem := vectors.At(frame, 0), vectors.At(frame, vectors.Size)
	argument(c, "n", reg.RCX)
	argument(c, "q", q)
	argument(c, "p", p)
	m.Field()
	c.Label("loop")

	x := m.Load(coordinates(q, 0))
	mm := laneSquare(m, nil, x)
	m.Drop(x)
	for _, l := range mm {
		t := m.Register()
		c.VPADDQ(l, l, t)
		c.VPADDQ(t, l, l)
		m.Release(t)
	}
	m.Ready(mm)
	m.Store(mm, mMem)
	y := m.Load(coordinates(q, 1))
	a := laneSquare(m, nil, y)
	m.Drop(y)
	m.Ready(a)
	m.Store(a, aMem)

	x3 := laneSquare(m, nil, mm)
	m.Drop(mm)
	t := laneProduct(m, none, a, coordinates(q, 0))
	m.Drop(a)

	y = m.Load(coordinates(q, 1))
	z := laneProduct(m, none, y, coordinates(q, 2))
	m.Drop(y)
	m.Add(z, z)
	m.Reduce(z)
	m.Store(z, coordinates(p, 2))
	m.Drop(z)
	a = m.Load(aMem)
	aa := m.SquareColumns(a)
	m.Drop(a)

	m.AddMultiple(x3, aboveRaws[0], aboveRaws[1])
	for i := range t {
		r := m.Register()
		c.VPSLLQ(operand.U8(3), t[i], r)
		c.VPSUBQ(r, x3[i], x3[i])
		m.Release(r)
	}
	m.Shift(t, 2)
	m.AddMultiple(t, aboveX3[0], aboveX3[1])
	m.Sub(t, x3)
	m.Ready(t)
	m.Reduce(x3)
	m.Store(x3, coordinates(p, 0))
	m.Drop(x3)

	w := m.Wide()
	m.Product(&w, t, mMem)
	m.Drop(t)
	m.SubtractShifted(&w, &aa, 3)
	y = m.Fold(&w)
	m.Reduce(y)
	m.Store(y, coordinates(p, 1))
	m.Drop(y)
	c.MOVQ(p, q)
	c.DECQ(reg.RCX)
	c.JNZ(operand.LabelRef("loop"))
	m.Return()
}

// laneChord is the second half of an addition of (u, s) and (u + h, s + r) over one
// denominator:
//
//	V = U·H²  N = −H³
//	X3 = R² + N − 2·V
//	Y3 = R·(V − X3) + S·N
//
// h and r are in registers, which it gives back, and in memory u and s.
func laneChord(c *build.Context, m *vectors.Machine, h, u, s vectors.Element, r, x3, y3, hMem vectors.Element) {
	rr := m.Load(r)
	x := laneSquare(m, nil, rr)
	m.Drop(rr)
	hh := laneSquare(m, nil, h)
	m.Drop(h)
	m.Ready(hh)
	n := negated(m, laneProduct(m, none, hh, hMem))
	m.Add(x, n)
	m.Ready(n)
	v := laneProduct(m, none, hh, u)
	m.Drop(hh)
	var z vectors.Columns
	m.Product(&z, n, s)
	m.Drop(n)

	m.Sub(x, v)
	m.Sub(x, v)
	m.AddMultiple(v, aboveX3[0], aboveX3[1])
	m.Sub(v, x)
	m.Ready(v)
	m.Reduce(x)
	m.Store(x, x3)
	m.Drop(x)
	m.Product(&z, v, r)
	m.Drop(v)
	y := m.Fold(&z)
	m.Reduce(y)
	m.Store(y, y3)
	m.Drop(y)
}

// negated returns a multiple of p less e, which is raw and given back.
func negated(m *vectors.Machine, e vectors.Element) vectors.Element {
	n := multipleLess(m, aboveRaw, e)
	m.Drop(e)
	return n
}

// storeLess stores a multiple of p less e, which is raw.
func storeLess(m *vectors.Machine, e, to vectors.Element) {
	n := multipleLess(m, aboveRaw, e)
	m.Store(n, to)
	m.Drop(n)
}

// lanesAddMixed is
//
//	H = a.X·Z² − X  R = a.Y·Z·Z² − Y  Z3 = Z·H
//
// and laneChord.
func lanesAddMixed(c *build.Context, m *vectors.Machine) {
	q, p, a := reg.RSI, reg.RDI, reg.RDX
	frame := m.Scratch(2*vectors.Size, reg.R8)
	hMem, rMem := vectors.At(frame, 0), vectors.At(frame, vectors.Size)
	argument(c, "q", q)
	argument(c, "a", a)
	argument(c, "p", p)
	m.Field()

	z := m.Load(coordinates(q, 2))
	w := laneProduct(m, none, z, coordinates(a, 1))
	m.Ready(w)
	zz := laneSquare(m, nil, z)
	m.Drop(z)
	m.Ready(zz)
	h := laneProduct(m, multipleLess(m, aboveReduced, coordinates(q, 0)), zz, coordinates(a, 0))
	m.Ready(h)
	m.Store(h, hMem)
	r := laneProduct(m, multipleLess(m, aboveReduced, coordinates(q, 1)), w, zz)
	m.Drop(w, zz)
	m.Ready(r)
	m.Store(r, rMem)
	m.Drop(r)
	z = laneProduct(m, none, h, coordinates(q, 2))
	m.Reduce(z)
	m.Store(z, coordinates(p, 2))
	m.Drop(z)
	laneChord(c, m, h, coordinates(q, 0), coordinates(q, 1), rMem, coordinates(p, 0), coordinates(p, 1), hMem)
	m.Return()
}

// lanesAddJacobian is
//
//	U = X·Zr²  H = Xr·Z² − U  S = Y·Zr·Zr²  R = Yr·Z·Z² − S  Z3 = Z·Zr·H
//
// and laneChord.
func lanesAddJacobian(c *build.Context, m *vectors.Machine) {
	q, p, a := reg.RSI, reg.RDI, reg.RDX
	frame := m.Scratch(5*vectors.Size, reg.R8)
	var slot [5]vectors.Element
	for k := range slot {
		slot[k] = vectors.At(frame, k*vectors.Size)
	}
	hMem, rMem, uMem, sMem, zMem := slot[0], slot[1], slot[2], slot[3], slot[4]
	argument(c, "q", q)
	argument(c, "r", a)
	argument(c, "p", p)
	m.Field()

	z := m.Load(coordinates(a, 2))
	w := laneProduct(m, none, z, coordinates(q, 1))
	m.Ready(w)
	zz := laneSquare(m, nil, z)
	m.Drop(z)
	m.Ready(zz)
	u := laneProduct(m, none, zz, coordinates(q, 0))
	storeLess(m, u, hMem)
	m.Ready(u)
	m.Store(u, uMem)
	m.Drop(u)
	s := laneProduct(m, none, w, zz)
	m.Drop(w, zz)
	storeLess(m, s, rMem)
	m.Ready(s)
	m.Store(s, sMem)
	m.Drop(s)

	z = m.Load(coordinates(q, 2))
	w = laneProduct(m, none, z, coordinates(a, 1))
	m.Ready(w)
	zz = laneSquare(m, nil, z)
	m.Drop(z)
	m.Ready(zz)
	z = m.Load(coordinates(q, 2))
	both := laneProduct(m, none, z, coordinates(a, 2))
	m.Drop(z)
	m.Ready(both)
	m.Store(both, zMem)
	m.Drop(both)
	h := laneProduct(m, m.Load(hMem), zz, coordinates(a, 0))
	m.Ready(h)
	m.Store(h, hMem)
	r := laneProduct(m, m.Load(rMem), w, zz)
	m.Drop(w, zz)
	m.Ready(r)
	m.Store(r, rMem)
	m.Drop(r)
	z = laneProduct(m, none, h, zMem)
	m.Reduce(z)
	m.Store(z, coordinates(p, 2))
	m.Drop(z)
	laneChord(c, m, h, uMem, sMem, rMem, coordinates(p, 0), coordinates(p, 1), hMem)
	m.Return()
}

// lanesAddAffine is
//
//	L = (y2 − y1)·inv
//	x3 = L² − x1 − x2
//	y3 = L·(x1 − x3) − y1
func lanesAddAffine(c *build.Context, m *vectors.Machine) {
	a, b, p := reg.RSI, reg.RDX, reg.RDI
	saved := vectors.At(m.Scratch(vectors.Size, reg.R8), 0)
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "p", p)
	m.Field()

	y := m.Load(coordinates(b, 1))
	m.AddMultiple(y, aboveReduced[0], aboveReduced[1])
	m.Sub(y, coordinates(a, 1))
	m.Ready(y)
	l := laneProduct(m, none, y, element(c, "inv", reg.RAX))
	m.Drop(y)
	m.Ready(l)
	m.Store(l, saved)
	init := multipleLess(m, aboveRaw, coordinates(a, 0))
	m.Sub(init, coordinates(b, 0))
	x3 := laneSquare(m, &init, l)
	m.Drop(l)
	m.Reduce(x3)
	d := multipleLess(m, aboveReduced, x3)
	m.Add(d, coordinates(a, 0))
	m.Ready(d)
	y = laneProduct(m, multipleLess(m, aboveReduced, coordinates(a, 1)), d, saved)
	m.Drop(d)
	m.Reduce(y)
	m.Store(x3, coordinates(p, 0))
	m.Store(y, coordinates(p, 1))
	m.Return()
}
