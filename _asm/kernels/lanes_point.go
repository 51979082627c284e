package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesPoint returns the kernels of package lanes for points. Doubling, the first, is correct for
// all points. The others are incomplete additions: for inputs that they do not cover, they return Z
// ≡ 0, and later operations keep Z ≡ 0.
func (l *laneLevel) lanesPoint() []Kernel {
	return []Kernel{
		l.arithmetic("doubleN", "func(p, q *Jacobian, n int)", "func(p, q *uint64, n int)",
			" sets p = 2^n·q, n ≥ 1, for every q. In lanes where q has Z ≡ 0, p has\n"+
				"Z ≡ 0. p may be q. The time depends on n.\n"+
				"All coordinates, including the result's, are reduced.", lanesDoubleN),
		l.arithmetic("addMixed", "func(p, q *Jacobian, a *Affine)", "func(p, q, a *uint64)",
			" sets p = q + a. In lanes where q = ±a, or where q has Z ≡ 0, p has\n"+
				"Z ≡ 0. p may be q.\n"+
				"All coordinates, including the result's, are reduced.", lanesAddMixed),
		l.arithmetic("addJacobian", "func(p, q, r *Jacobian)", "func(p, q, r *uint64)",
			" sets p = q + r. In lanes where q = ±r, or where q or r has Z ≡ 0,\n"+
				"p has Z ≡ 0. p may be q or r.\n"+
				"All coordinates, including the result's, are reduced.", lanesAddJacobian),
		l.arithmetic("addAffine", "func(p, a, b *Affine, inv *Element)", "func(p, a, b, inv *uint64)",
			" sets p = a + b. inv must be 1/(b.X − a.X). p may be a or b.\n"+
				"inv and all coordinates, including the result's, are reduced.", lanesAddAffine),
		l.arithmetic("addCoZ", "func(p *CoZ, q, d *Affine)", "func(p, q, d *uint64)",
			" sets p.Sum = q + d, p.Addend = d and p.Ratio = d.X − q.X. q and d\n"+
				"must have a common denominator Z. The denominator of p.Sum and p.Addend is\n"+
				"Z·p.Ratio. q may be p.Sum, and d may be p.Addend.\n"+
				"All elements, including the results, are reduced.", lanesAddCoZ),
	}
}

// Each variable holds the arguments k and slack of vectors.Multiple for one kind of element, which
// the comment on its line describes. In each limb, the resulting multiple of p is at least as large
// as such an element.
var (
	aboveReduced = [2]uint64{4, 2}               // any reduced element
	aboveRaw     = [2]uint64{1 << 11, 1 << 6}    // a sum of three raw elements
	aboveRaws    = [2]uint64{1 << 12, 1<<8 - 1}  // a sum of eight raw elements
	aboveX3      = [2]uint64{1 << 14, 1<<10 - 1} // a sum of raw elements and a multiple, as in X3
)

// multipleLess returns a multiple of p minus e. The argument above selects a multiple that is large
// enough to leave no limb negative.
func multipleLess(m *vectors.Machine, above [2]uint64, e vectors.Element) vectors.Element {
	x := m.LoadMultiple(above[0], above[1])
	m.Sub(x, e)
	return x
}

// laneProduct returns a·b + init modulo p, as a raw element (not carried).
func laneProduct(m *vectors.Machine, init, a, b vectors.Element) vectors.Element {
	z := vectors.From(init)
	m.Product(&z, a, b)
	return m.Fold(&z)
}

// laneSquare returns a² + init modulo p, as a raw element (not carried). A nil init is 0.
func laneSquare(m *vectors.Machine, init *vectors.Element, a vectors.Element) vectors.Element {
	z := m.Square(a, init)
	return m.Fold(&z)
}

// squareAt returns a², and productAt returns a·b, for an a in memory, as raw elements.
func squareAt(m *vectors.Machine, a vectors.Element) vectors.Element {
	x := m.Load(a)
	z := laneSquare(m, nil, x)
	m.Drop(x)
	return z
}

func productAt(m *vectors.Machine, a, b vectors.Element) vectors.Element {
	x := m.Load(a)
	z := laneProduct(m, none, x, b)
	m.Drop(x)
	return z
}

var none vectors.Element

// lanesDoubleN writes the kernel that doubles the point (X, Y, Z) n times. A doubling computes
//
//	M = 3·X²  A = Y²  T = X·A
//	X3 = M² − 8·T
//	Y3 = M·(4·T − X3) − 8·A²
//	Z3 = 2·Y·Z
//
// T is never carried, because it is only added and subtracted. A² is subtracted before its
// reduction, as ten sums of limb products (columns), so that Y3 needs only one reduction. The
// kernel computes Z3 and A² before X3, 4·T − X3 and Y3, which depend on each other, because Z3 and
// A² do not depend on them.
func lanesDoubleN(c *build.Context, m *vectors.Machine) {
	q, p := reg.RSI, reg.RDI
	frame := m.Scratch(2*vectors.Size, reg.R8)
	mMem, aMem := vectors.At(frame, 0), vectors.At(frame, vectors.Size)
	argument(c, "n", reg.RCX)
	argument(c, "q", q)
	argument(c, "p", p)
	m.Field()
	c.Label("loop")

	mm := squareAt(m, coordinates(q, 0))
	for _, l := range mm {
		t := m.Register()
		c.VPADDQ(l, l, t)
		c.VPADDQ(t, l, l)
		m.Release(t)
	}
	m.Ready(mm)
	m.StoreFactor(mm, mMem)
	a := squareAt(m, coordinates(q, 1))
	m.Ready(a)
	m.StoreFactor(a, aMem)

	x3 := laneSquare(m, nil, mm)
	m.Drop(mm)
	t := laneProduct(m, none, a, coordinates(q, 0))
	m.Drop(a)

	z := productAt(m, coordinates(q, 1), coordinates(q, 2))
	m.Add(z, z)
	storeReduced(m, z, coordinates(p, 2))
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
	storeReduced(m, x3, coordinates(p, 0))

	w := m.Wide()
	m.Product(&w, t, mMem)
	m.Drop(t)
	m.SubtractShifted(&w, &aa, 3)
	storeReduced(m, m.Fold(&w), coordinates(p, 1))
	c.MOVQ(p, q)
	c.DECQ(reg.RCX)
	c.JNZ(operand.LabelRef("loop"))
	m.Return()
}

// A laneChord is the second part of an addition of two points. In Jacobian coordinates with the
// common Z coordinate z, the points are (u, s) and (u + H, s + R). With U, S, Z and W for the
// numbers in u, s, z and w, and with H and ZZ from the arguments of build, it computes
//
//	R = W·ZZ + init, where init is −s plus a multiple of p
//	V = U·H²  N = −H³
//	X3 = R² + N − 2·V
//	Y3 = R·(V − X3) + S·N
//	Z3 = Z·H
type laneChord struct {
	u, s, z, w, init vectors.Element
	hMem, rMem       vectors.Element // scratch
	p                reg.Register    // register with the address of the result
}

// build writes the computation. It takes h and zz in registers, and releases those. It computes the
// values on the critical path, H, H², V, N and V − X3, early, and places independent work after
// each of them. It computes V − X3 before it carries X3.
func (l *laneChord) build(m *vectors.Machine, h, zz vectors.Element) {
	m.StoreFactor(h, l.hMem)
	hh := laneSquare(m, nil, h)
	m.Drop(h)
	m.Ready(hh)
	r := laneProduct(m, m.Load(l.init), zz, l.w)
	m.Drop(zz)
	m.Ready(r)
	m.StoreFactor(r, l.rMem)
	x := laneSquare(m, nil, r)
	m.Drop(r)

	n := negated(m, laneProduct(m, none, hh, l.hMem))
	m.Add(x, n)
	m.Ready(n)
	v := laneProduct(m, none, hh, l.u)
	m.Drop(hh)
	m.Sub(x, v)
	m.Sub(x, v)
	m.AddMultiple(v, aboveX3[0], aboveX3[1])
	m.Sub(v, x)
	m.Ready(v)
	storeReduced(m, x, coordinates(l.p, 0))

	z := productAt(m, l.hMem, l.z)
	storeReduced(m, z, coordinates(l.p, 2))
	var y vectors.Columns
	m.Product(&y, n, l.s)
	m.Drop(n)
	m.Product(&y, v, l.rMem)
	m.Drop(v)
	storeReduced(m, m.Fold(&y), coordinates(l.p, 1))
}

// negated returns a multiple of p minus e. e is raw, and negated releases its registers.
func negated(m *vectors.Machine, e vectors.Element) vectors.Element {
	n := multipleLess(m, aboveRaw, e)
	m.Drop(e)
	return n
}

// storeReduced stores e, reduced, in dst, and releases the registers of e.
func storeReduced(m *vectors.Machine, e, dst vectors.Element) {
	m.Reduce(e)
	m.Store(e, dst)
	m.Drop(e)
}

// storeReady stores e as a factor (see Ready) in dst, and releases the registers of e.
func storeReady(m *vectors.Machine, e, dst vectors.Element) {
	m.Ready(e)
	m.Store(e, dst)
	m.Drop(e)
}

// storeLess stores a multiple of p minus e in dst. The argument above selects a multiple that is
// large enough to leave no limb negative.
func storeLess(m *vectors.Machine, above [2]uint64, e, dst vectors.Element) {
	n := multipleLess(m, above, e)
	m.Store(n, dst)
	m.Drop(n)
}

// slots allocates memory for n elements in the frame and returns the elements.
func slots(m *vectors.Machine, n int) []vectors.Element {
	frame := m.Scratch(n*vectors.Size, reg.R8)
	out := make([]vectors.Element, n)
	for k := range out {
		out[k] = vectors.At(frame, k*vectors.Size)
	}
	return out
}

// lanesAddMixed writes the kernel that adds the affine point a to the Jacobian point (X, Y, Z). It
// computes
//
//	H = a.X·Z² − X  W·ZZ − Y = a.Y·Z·Z² − Y
//
// and then the rest of the sum by laneChord, with W = a.Y·Z and ZZ = Z².
func lanesAddMixed(c *build.Context, m *vectors.Machine) {
	q, p, a := reg.RSI, reg.RDI, reg.RDX
	slot := slots(m, 4)
	l := laneChord{
		u: coordinates(q, 0), s: coordinates(q, 1), z: coordinates(q, 2), p: p,
		w: slot[0], init: slot[1], hMem: slot[2], rMem: slot[3],
	}
	argument(c, "q", q)
	argument(c, "a", a)
	argument(c, "p", p)
	m.Field()

	zz := squareAt(m, l.z)
	m.Ready(zz)
	w := productAt(m, l.z, coordinates(a, 1))
	storeReady(m, w, l.w)
	storeLess(m, aboveReduced, l.s, l.init)
	h := laneProduct(m, multipleLess(m, aboveReduced, l.u), zz, coordinates(a, 0))
	m.Ready(h)
	l.build(m, h, zz)
	m.Return()
}

// lanesAddJacobian writes the kernel that adds the Jacobian points (X, Y, Z) and (Xr, Yr, Zr). It
// computes
//
//	U = X·Zr²  H = Xr·Z² − U  S = Y·Zr·Zr²  W·ZZ − S = Yr·Z·Z² − S
//
// with the common denominator Z·Zr, and then the rest of the sum by laneChord, with W = Yr·Z and ZZ
// = Z².
func lanesAddJacobian(c *build.Context, m *vectors.Machine) {
	q, p, a := reg.RSI, reg.RDI, reg.RDX
	slot := slots(m, 7)
	l := laneChord{
		u: slot[0], s: slot[1], z: slot[2], p: p,
		w: slot[3], init: slot[4], hMem: slot[5], rMem: slot[6],
	}
	argument(c, "q", q)
	argument(c, "r", a)
	argument(c, "p", p)
	m.Field()

	zz := squareAt(m, coordinates(a, 2))
	m.Ready(zz)
	z := m.Load(coordinates(a, 2))
	w := laneProduct(m, none, z, coordinates(q, 1))
	storeReady(m, w, l.w)
	storeReady(m, laneProduct(m, none, z, coordinates(q, 2)), l.z)
	m.Drop(z)
	u := laneProduct(m, none, zz, coordinates(q, 0))
	storeLess(m, aboveRaw, u, l.hMem)
	storeReady(m, u, l.u)
	s := laneProduct(m, none, zz, l.w)
	m.Drop(zz)
	storeLess(m, aboveRaw, s, l.init)
	storeReady(m, s, l.s)

	zz = squareAt(m, coordinates(q, 2))
	m.Ready(zz)
	z = m.Load(coordinates(q, 2))
	w = laneProduct(m, none, z, coordinates(a, 1))
	m.Drop(z)
	storeReady(m, w, l.w)
	h := laneProduct(m, m.Load(l.hMem), zz, coordinates(a, 0))
	m.Ready(h)
	l.build(m, h, zz)
	m.Return()
}

// lanesAddAffine writes the kernel that adds the affine points (x1, y1) and (x2, y2). With inv =
// 1/(x2 − x1), it computes
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
	l := laneProduct(m, none, y, element(c, "inv", reg.RCX))
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

// lanesAddCoZ writes the kernel that adds the points (xq, yq) and (xd, yd), which have the same Z
// coordinate. It computes
//
//	D = xd − xq  E = yd − yq  V = xd·D²  W = xq·D²
//	X3 = E² − V − W
//	A = yd·(V − W)
//	Y3 = E·(V − X3) − A
//
// and sets the addend (xd, yd) to (V, A). Independent operations are placed between dependent ones.
func lanesAddCoZ(c *build.Context, m *vectors.Machine) {
	q, d, p := reg.RSI, reg.RDX, reg.RDI
	slot := slots(m, 2)
	wMem, eMem := slot[0], slot[1]
	argument(c, "q", q)
	argument(c, "d", d)
	argument(c, "p", p)
	m.Field()
	less := func(k int) vectors.Element {
		e := m.Load(coordinates(d, k))
		m.AddMultiple(e, aboveReduced[0], aboveReduced[1])
		m.Sub(e, coordinates(q, k))
		return e
	}

	ratio := less(0)
	m.Reduce(ratio)
	m.Store(ratio, coordinates(p, 4))
	squared := laneSquare(m, nil, ratio)
	m.Drop(ratio)
	storeReady(m, less(1), eMem)
	m.Ready(squared)
	w := laneProduct(m, none, squared, coordinates(q, 0))
	m.Store(w, wMem)
	m.Drop(w)
	v := laneProduct(m, none, squared, coordinates(d, 0))
	m.Drop(squared)
	x3 := squareAt(m, eMem)

	m.Reduce(v)
	m.Store(v, coordinates(p, 2))
	m.AddMultiple(x3, aboveRaw[0], aboveRaw[1])
	m.Sub(x3, v)
	m.Sub(x3, wMem)
	m.Reduce(x3)
	m.Store(x3, coordinates(p, 0))
	t := m.LoadMultiple(aboveRaw[0], aboveRaw[1])
	m.Add(t, v)
	m.Sub(t, wMem)
	m.Ready(t)
	a := laneProduct(m, none, t, coordinates(d, 1))
	m.Drop(t)
	m.AddMultiple(v, aboveReduced[0], aboveReduced[1])
	m.Sub(v, x3)
	m.Drop(x3)
	m.Ready(v)
	y3 := laneProduct(m, multipleLess(m, aboveRaw, a), v, eMem)
	m.Drop(v)
	storeReduced(m, a, coordinates(p, 3))
	storeReduced(m, y3, coordinates(p, 1))
	m.Return()
}
