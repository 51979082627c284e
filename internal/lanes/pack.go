package lanes

import "github.com/koblitz-go/koblitz/internal/field"

// The functions of this file read lanes from rows and write lanes to rows. Row j holds the values
// of lane j as 64-bit limbs, least significant first.

// SetLimbs sets lane j of v to the residue of the number in row j, which may be any number of 256
// bits.
func (v *Element) SetLimbs(rows *[Width][4]uint64) {
	for j := range rows {
		// This cuts row j into limbs of 52 bits, as split52 does, and writes them directly to lane
		// j.
		l0, l1, l2, l3 := rows[j][0], rows[j][1], rows[j][2], rows[j][3]
		at := place(j)
		v[0][at] = l0 & mask52
		v[1][at] = (l0>>52 | l1<<12) & mask52
		v[2][at] = (l1>>40 | l2<<24) & mask52
		v[3][at] = (l2>>28 | l3<<36) & mask52
		v[4][at] = l3 >> 16
	}
}

// Limbs sets row j to the canonical value of lane j of a.
func (a *Element) Limbs(rows *[Width][4]uint64) {
	var t Element
	normalize(&t, a)
	for j := range rows {
		// This joins the limbs of lane j to limbs of 64 bits, as join64 does, and writes them
		// directly to row j.
		at := place(j) & (Width - 1)
		e0, e1, e2, e3, e4 := t[0][at], t[1][at], t[2][at], t[3][at], t[4][at]
		r := &rows[j]
		r[0], r[1], r[2], r[3] = e0|e1<<52, e1>>12|e2<<40, e2>>24|e3<<28, e3>>36|e4<<16
	}
}

// PointWords is the number of 64-bit limbs of a point in [Packed].
const PointWords = 8

// Packed holds a point for each lane: the limbs of x and then of y, four each, 64 bytes in all. On
// a little-endian machine a point has the same layout as in the tables of packed points, and as two
// [field.Element] values.
type Packed [Width][PointWords]uint64

// SetPoint sets a point of [Packed] to (x, y). The coordinates that it writes need not be below p.
func SetPoint(point *[PointWords]uint64, x, y *field.Element) {
	point[0], point[1], point[2], point[3] = x.Words()
	point[4], point[5], point[6], point[7] = y.Words()
}

// Unpack sets lane j of p to points[j], whose limbs may have any values.
func (p *Affine) Unpack(points *Packed) { unpack(p, (*[Width][PointWords]uint64)(points)) }

// Pack sets points[j] to lane j of p, with canonical coordinates. It is the inverse of
// [Affine.Unpack].
func (p *Affine) Pack(points *Packed) { pack((*[Width][PointWords]uint64)(points), p) }

// SetLane sets lane j of p to the point (x, y), and leaves all other lanes unchanged.
func (p *Affine) SetLane(j int, x, y *field.Element) {
	//ct:secret x.IsOdd().Bool()
	p.X.SetLane(j, x)
	p.Y.SetLane(j, y)
}

// Lane sets x and y to the coordinates in lane j of p.
func (p *Affine) Lane(j int, x, y *field.Element) {
	p.X.Lane(j, x)
	p.Y.Lane(j, y)
}

// Limbs sets x[j], y[j] and z[j] to the canonical coordinates in lane j of p.
func (p *Jacobian) Limbs(x, y, z *[Width][4]uint64) {
	p.X.Limbs(x)
	p.Y.Limbs(y)
	p.Z.Limbs(z)
}

func unpackGeneric(p *Affine, rows *[Width][8]uint64) {
	for j := range rows {
		r := &rows[j]
		x, y := split52(r[0], r[1], r[2], r[3]), split52(r[4], r[5], r[6], r[7])
		p.X.put(j, &x)
		p.Y.put(j, &y)
	}
}

func packGeneric(rows *[Width][8]uint64, p *Affine) {
	for j := range rows {
		r := &rows[j]
		x, y := p.X.get(j), p.Y.get(j)
		x.normalize()
		y.normalize()
		r[0], r[1], r[2], r[3] = x.join64()
		r[4], r[5], r[6], r[7] = y.join64()
	}
}
