//ct:unrun-portable for vector lanes, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file multiplies the base point G by many scalars, with the comb of ScalarBaseMult in each
// lane. The sums stay affine: the additions of all rows for one block of the table share an
// inversion, so an addition takes six multiplications instead of eleven.

// setShared sets b to the packed entries in table, 8, 16, 24 or 32, in the form that readShared
// takes: number e of vector b[i][v] is limb i of x of entry 8·v + e, or limb i − 5 of y, in the
// radix of package lanes.
func setShared(b *[10][4]lanes.Vector, table string) {
	var points lanes.Packed
	var a lanes.Affine
	for v := 0; len(table) > 0; v++ {
		for e := range points {
			(*point.Entry)(&points[e]).Unpack(table)
			table = table[point.PackedSize:]
		}
		a.Unpack(&points)
		for i := range a.X {
			for e := range lanes.Width {
				b[i][v][e], b[5+i][v][e] = a.X[i].At(e), a.Y[i].At(e)
			}
		}
	}
}

// multiplyBase does the work of ScalarBaseMult for one block of rows.
//
// The proof at comb.mult applies: below the top block, the sum S and the term T of a row are
// finite, and S·G is not ±T·G. For the top block, S + T is not a multiple of n either, because the
// scalar is not zero; but S·G and T·G may be equal.
func (m *Many) multiplyBase(r []point.Affine, k []scalar.Scalar) {
	groups := m.groups[:lanes.Groups(len(r))]
	for g := range groups {
		groups[g].setDigits(k, g)
	}
	table := baseTable
	for i := range baseBlocks {
		// In the top block all digits are positive. With one more bit, which is 1, a window stands
		// for such a digit; see setDigits.
		width, top := baseWindow, i == baseBlocks-1
		if top {
			width = baseTop + 1
		}
		size := point.PackedSize << (width - 1)
		setShared(&m.base, table[:size])
		table = table[size:]
		for g := range groups {
			to := &groups[g].addend
			if i == 0 {
				to = &groups[g].sum
			}
			readShared(to, &m.base, &groups[g].bits, i*baseWindow, width)
		}
		if i > 0 {
			m.addAddends(groups, top)
		}
	}
	for g := range groups {
		sum := &groups[g].sum
		sum.CondNeg(groups[g].mask, sum)
		setAffine(lanes.Group(r, g), sum)
	}
}

// setDigits sets the digits of the scalars of group g among k, as the method recode of baseScratch
// does for one scalar, and sets bit 255, which makes the digit of the top block positive.
func (h *manyGroup) setDigits(k []scalar.Scalar, g int) {
	var s baseScratch
	h.mask = lanes.None()
	for j := range lanes.Width {
		negative := s.recode(lane(k, g, j))
		s.bits[3] |= 1 << 63
		for i, b := range s.bits {
			h.bits[i].Set(j, b)
		}
		h.mask.Put(j, uint64(negative))
	}
	s.wipe()
}

// add does the work of Add for one block of rows.
func (m *Many) add(r, p, q []point.Affine) {
	groups := m.groups[:lanes.Groups(len(r))]
	for g := range groups {
		h := &groups[g]
		setLanes(&h.sum, p, g)
		setLanes(&h.addend, q, g)
		var t lanes.Element
		t.Add(&h.sum.Y, &h.addend.Y)
		h.mask = h.sum.X.Equal(&h.addend.X).And(t.IsZero()) // the lanes with opposite points
	}
	m.addAddends(groups, true)
	for g := range groups {
		sum, zero := &groups[g].sum, new(lanes.Element)
		sum.X.Select(groups[g].mask, zero, &sum.X)
		sum.Y.Select(groups[g].mask, zero, &sum.Y)
		setAffine(lanes.Group(r, g), sum)
	}
}

// addAddends adds to each group's sum its addend. All additions share an inversion, so one element
// that is zero would make all sums wrong. Without complete, no sum may be equal or opposite to its
// addend, because the difference of their x coordinates would be zero. With complete, 2·y replaces
// a difference of zero, and y is not zero, because no point has order 2. The addition then doubles
// equal points. If points are opposite, only their sum is wrong.
func (m *Many) addAddends(groups []manyGroup, complete bool) {
	for g := range groups {
		h := &groups[g]
		m.values[g].Sub(&h.addend.X, &h.sum.X)
		if complete {
			h.doubleEqual(&m.values[g])
		}
	}
	inverses := m.invert(len(groups))
	for g := range groups {
		h := &groups[g]
		lanes.AddAffineIncomplete(&h.sum, &h.sum, &h.addend, &inverses[g])
	}
}

// doubleEqual changes the lanes in which sum and addend are the same point, so that the addition of
// different points doubles it. In these lanes d, the difference of the x coordinates, is zero. The
// slope of the line through the points (x, y) and (x, y + 3·x²), divided by 2·y instead of d, is
// that of the tangent at (x, y).
func (h *manyGroup) doubleEqual(d *lanes.Element) {
	var t lanes.Element
	equal := d.IsZero()
	t.Square(&h.sum.X)
	t.MulSmall(&t, 3)
	t.Add(&t, &h.sum.Y)
	h.addend.Y.Select(equal, &t, &h.addend.Y)
	t.Add(&h.sum.Y, &h.sum.Y)
	d.Select(equal, &t, d)
}
