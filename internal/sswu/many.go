package sswu

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file hashes eight messages at a time, one in each lane, by the formulas of map.go.

// MaxRows is the maximum number of messages that share an inversion.
const MaxRows = 256

// fewestInLanes is the number of messages from which eight lanes of AVX2 take less time than single
// hashes.
const fewestInLanes = 6

// Many is the memory for hashing many messages. It holds secrets: its owner must call Wipe after
// use. Its methods leave secrets on the stack, so callers with secret messages run them under
// package secret. Only one goroutine at a time may use a Many. The zero value is ready for use.
type Many struct {
	bytes  numbers
	single point.Jacobian

	rows   [2][lanes.Width][4]uint64 // both numbers of each lane
	u      [2]lanes.Element
	images [2]laneFraction
	work   laneWork
	packed lanes.Packed

	sums            []lanes.Jacobian
	values, scratch []lanes.Element
}

// NewMany returns a Many on the heap. A Many on the stack would be copied when the stack grows or
// shrinks between two calls, and the old stack is not wiped.
//
//go:noinline
func NewMany() *Many { return new(Many) }

// A laneFraction is a fraction in each lane.
type laneFraction struct{ x, d, y lanes.Element }

// laneWork holds intermediate results, which would take too much of the stack.
type laneWork struct {
	a, b, h, d, dd, e lanes.Element
	v, n, t, g, w     [2]lanes.Element
	infinite          lanes.Mask
	constant          field.Element
}

// Wipe overwrites all secrets in m.
//
//go:noinline
func (m *Many) Wipe() {
	clear(m.sums)
	clear(m.values)
	clear(m.scratch)
	*m = Many{}
}

// Hash sets r[i] to the hash of msgs[i], as the function Hash does, with canonical coordinates. If
// the hash is infinity, r[i] is (0, 0). r and msgs must have the same length, from 1 to MaxRows.
// The time depends only on the lengths.
func (m *Many) Hash(r []point.Affine, msgs [][]byte, dst []byte) {
	//ct:secret len(msgs[0]) > 0 && msgs[0][0]&1 == 1
	many := m.hashLanes(r, msgs, dst)
	for i := many; i < len(r); i++ {
		Hash(&m.single, msgs[i], dst)
		r[i].SetJacobian(&m.single)
	}
}

// hashLanes does the work of Hash for the first rows, and returns their number: all rows, those of
// full lanes, or 0 without lanes.
//
//ct:unrun-portable for vector lanes, which the other build has
func (m *Many) hashLanes(r []point.Affine, msgs [][]byte, dst []byte) int {
	if !lanes.Available() {
		return 0
	}
	n := len(r)
	if rest := n % lanes.Width; rest < fewestInLanes {
		n -= rest
	}
	if n > 0 {
		m.inLanes(r[:n], func(i int) { hash.ExpandXMD(m.bytes[:], msgs[i], dst) })
	}
	return n
}

// inLanes sets r[i] to the sum of the images of both numbers in m.bytes after the call expand(i). r
// has at most MaxRows rows. Lanes without a row get the numbers of the last row.
//
//ct:unrun-portable for vector lanes, which the other build has
func (m *Many) inLanes(r []point.Affine, expand func(i int)) {
	groups := lanes.Groups(len(r))
	if len(m.sums) < groups {
		m.sums = make([]lanes.Jacobian, groups)
		m.values = make([]lanes.Element, groups)
		m.scratch = make([]lanes.Element, groups+2)
	}
	var u field.Element
	w := &m.work
	for g := range groups {
		for j := range lanes.Width {
			expand(min(g*lanes.Width+j, len(r)-1))
			for i := range m.rows {
				m.bytes.number(&u, i)
				l := &m.rows[i][j]
				l[0], l[1], l[2], l[3] = u.Words()
			}
		}
		m.u[0].SetLimbs(&m.rows[0])
		m.u[1].SetLimbs(&m.rows[1])
		w.set(&m.images, &m.u)
		w.add(&m.sums[g], &m.images)
		w.isogeny(&m.sums[g])
		// The sums share an inversion, so 1 replaces a denominator of 0.
		w.e.One()
		m.values[g].Select(m.sums[g].Z.IsZero(), &w.e, &m.sums[g].Z)
	}
	values, scratch := m.values[:groups], m.scratch[:groups+2]
	lanes.Running(scratch, values, &w.e)
	w.e.InvertLanes(&w.e)
	for g, inverse := range lanes.Inverses(scratch, values, &w.e) {
		w.infinite = m.sums[g].Z.IsZero()
		m.put(lanes.Group(r, g), &m.sums[g], &inverse)
	}
}

// put sets r to the points p, where inverse holds the inverses of their denominators, or to (0, 0)
// in the lanes of m.work.infinite.
//
//ct:unrun-portable for vector lanes, which the other build has
func (m *Many) put(r []point.Affine, p *lanes.Jacobian, inverse *lanes.Element) {
	w := &m.work
	w.a = lanes.Element{}
	w.d.Square(inverse)
	p.X.Mul(&p.X, &w.d)
	w.d.Mul(&w.d, inverse)
	p.Y.Mul(&p.Y, &w.d)
	p.X.Select(w.infinite, &w.a, &p.X)
	p.Y.Select(w.infinite, &w.a, &p.Y)
	a := lanes.Affine{X: p.X, Y: p.Y}
	a.Pack(&m.packed)
	for j := range r {
		l := &m.packed[j]
		r[j].X.SetLimbs(l[0], l[1], l[2], l[3])
		r[j].Y.SetLimbs(l[4], l[5], l[6], l[7])
	}
}

// set does the work of fraction.set for two numbers in each lane.
//
//ct:unrun-portable for vector lanes, which the other build has
func (w *laneWork) set(f *[2]laneFraction, u *[2]lanes.Element) {
	w.a.Broadcast(constantA(&w.constant))
	w.b.Broadcast(w.constant.SetUint64(constantB))
	for i := range f {
		f, v, n, t, g, d := &f[i], &w.v[i], &w.n[i], &w.t[i], &w.g[i], &w.w[i]
		v.Square(&u[i])
		v.MulSmall(v, 11)
		t.Square(v)
		v.Neg(v)
		t.Add(t, v)
		n.One()
		n.Add(t, n)
		n.Mul(n, &w.b)
		d.Broadcast(w.constant.SetUint64(11))
		t.Select(t.IsZero(), d, t)
		t.Neg(t)
		f.d.Mul(t, &w.a)

		t.Square(&f.d)
		d.Mul(t, &w.a)
		g.Square(n)
		g.Add(g, d)
		g.Mul(g, n)
		d.Mul(t, &f.d)
		t.Mul(d, &w.b)
		g.Add(g, t)
	}
	squares := lanes.SqrtRatioPair(&w.t, &w.g, &w.w)
	w.a.Broadcast(rootOf11(&w.constant))
	for i := range f {
		f, v, n, y, t := &f[i], &w.v[i], &w.n[i], &w.t[i], &w.g[i]
		t.Mul(v, &u[i])
		t.Mul(t, &w.a)
		t.Mul(t, y)
		f.y.Select(squares[i], y, t)
		t.Mul(n, v)
		f.x.Select(squares[i], n, t)
		f.y.CondNeg(u[i].IsOdd().Xor(f.y.IsOdd()), &f.y)
	}
}

// add sets r to the sum of the points f[0] and f[1] of E', as fraction.add does.
//
//ct:unrun-portable for vector lanes, which the other build has
func (w *laneWork) add(r *lanes.Jacobian, f *[2]laneFraction) {
	a, b, d, dd, h, g, s, t := &w.a, &w.b, &w.d, &w.dd, &w.h, &w.g[0], &w.w[0], &w.t[0]
	a.Mul(&f[0].x, &f[1].d)
	b.Mul(&f[1].x, &f[0].d)
	d.Mul(&f[0].d, &f[1].d)
	dd.Square(d)
	h.Sub(b, a)
	t.Sub(&f[1].y, &f[0].y)
	equal := h.IsZero().And(t.IsZero())
	g.Mul(t, dd)
	t.Mul(&f[0].y, d)
	t.Add(t, t)
	h.Select(equal, t, h)
	s.Square(a)
	s.MulSmall(s, 3)
	t.Broadcast(constantA(&w.constant))
	t.Mul(t, dd)
	t.Add(t, s)
	g.Select(equal, t, g)

	s.Square(h)
	s.Mul(s, d)
	r.Z.Mul(h, d)
	b.Add(a, b)
	b.Mul(b, s)
	r.X.Square(g)
	r.X.Sub(&r.X, b)
	a.Mul(a, s)
	a.Sub(a, &r.X)
	r.Y.Mul(g, a)
	s.Mul(s, d)
	s.Mul(s, &r.Z)
	s.Mul(s, &f[0].y)
	r.Y.Sub(&r.Y, s)
}

// isogeny maps the point r of E' to secp256k1, as the function isogeny does.
//
//ct:unrun-portable for vector lanes, which the other build has
func (w *laneWork) isogeny(r *lanes.Jacobian) {
	zz, e, s, t, c := &w.d, &w.e, &w.a, &w.b, &w.h
	zz.Square(&r.Z)
	e.Broadcast(kernel(&w.constant))
	e.Mul(e, zz)
	e.Sub(&r.X, e)
	r.Z.Mul(&r.Z, e)
	r.Z.MulSmall(&r.Z, 3)
	c.Square(zz)
	s.Broadcast(slope(&w.constant))
	s.Mul(s, c)
	s.Mul(s, e)
	c.Mul(c, zz)
	c.MulSmall(c, 14)
	c.MulSmall(c, 2) // 28·Z⁶
	t.Square(e)
	r.X.Mul(&r.X, t)
	t.Mul(t, e)
	r.X.Add(&r.X, s)
	r.X.Add(&r.X, c)
	t.Sub(t, s)
	t.Sub(t, c)
	t.Sub(t, c)
	r.Y.Mul(&r.Y, t)
}
