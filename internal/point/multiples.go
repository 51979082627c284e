package point

import "github.com/koblitz-go/koblitz/internal/field"

// maxOddMultiples is the maximum number of entries of a table that OddMultiples computes.
const maxOddMultiples = 16

// OddMultiples sets table[i] to (2i+1)·p, all over one common denominator z. (x, y) ↦ (x·z², y·z³)
// maps this curve to an isomorphic one, on which the entries are affine points, so that additions
// of entries are mixed additions. A result (X, Y, Z) on the isomorphic curve is (X, Y, Z·z) on this
// one. The table must have from 1 to 16 entries, and p must not point into it. No multiple up to
// 2·len(table) times p may be the point at infinity. The time does not depend on p.
//
// Each multiple is the previous one plus 2·p, by co-Z addition (Meloni, "New point addition
// formulae for ECC applications", WAIFI 2007). The sum of two points with a common denominator Z
// takes 4M + 2S and has the denominator Z·(X1 − X2). The addition also converts the first addend to
// this denominator:
//
//	C = (X1 − X2)²   W1 = X1·C   W2 = X2·C   A = Y1·(W1 − W2)
//	X3 = (Y1 − Y2)² − W1 − W2
//	Y3 = (Y1 − Y2)·(W1 − X3) − A
//	first addend: (W1, A)
//
// A second pass, from the last entry to the first, multiplies each entry by the factors by which
// its denominator differs from z. Each entry takes 8M + 3S in all.
func OddMultiples(table []Affine, z *field.Element, p *Affine) {
	var ratios [maxOddMultiples]field.Element // Z of entry i over Z of entry i − 1

	// The doubling of p, as in Jacobian.Double, also gives p over the denominator of 2·p, which is
	// y: its coordinates over y are x·y² and y⁴.
	var dx, dy, l, t, u field.Element
	first := &table[0]
	t.Square(&p.Y)
	first.X.Mul(&p.X, &t)
	first.Y.Square(&t)
	l.Square(&p.X)
	u.Half(&l)
	l.Add(&l, &u)
	dx.Square(&l)
	dx.Sub(&dx, &first.X)
	dx.Sub(&dx, &first.X)
	t.Sub(&first.X, &dx)
	dy.Mul(&l, &t)
	dy.Sub(&dy, &first.Y)

	d := Affine{dx, dy}
	for i := 1; i < len(table); i++ {
		addCoZ(&table[i], &table[i-1], &d, &ratios[i])
	}

	last := len(table) - 1
	ratios[0] = p.Y // the denominator of the first entry
	z.Set(&ratios[last])
	for i := last; i > 0; i-- {
		rescale(&table[i-1], z, &ratios[i-1])
	}
}

// addCoZGeneric sets r = q + d for two points with a common denominator. It converts d to the
// denominator of r, and sets ratio to the denominator of r over that of q.
func addCoZGeneric(r, q, d *Affine, ratio *field.Element) {
	var cc, w2, y, t field.Element
	ratio.Sub(&d.X, &q.X)
	cc.Square(ratio)
	w2.Mul(&q.X, &cc)
	d.X.Mul(&d.X, &cc)
	y.Sub(&d.Y, &q.Y)
	t.Sub(&d.X, &w2)
	d.Y.Mul(&d.Y, &t)
	t.Square(&y)
	t.Sub(&t, &d.X)
	r.X.Sub(&t, &w2)
	t.Sub(&d.X, &r.X)
	y.Mul(&y, &t)
	r.Y.Sub(&y, &d.Y)
}

// rescaleGeneric sets q = (x·s², y·s³), where x and y are the old coordinates of q, and then s =
// s·ratio.
func rescaleGeneric(q *Affine, s, ratio *field.Element) {
	var t field.Element
	t.Square(s)
	q.X.Mul(&q.X, &t)
	t.Mul(&t, s)
	q.Y.Mul(&q.Y, &t)
	s.Mul(s, ratio)
}
