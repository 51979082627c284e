package vartime

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// termRows is how many rows the tables of a term take: the odd multiples of P
// below 2^(window−1), then those of λ·P.
const termRows = 2 * strausOdds

// termDigits is the most digits that a half scalar has here.
const termDigits = (positions + window - 1) / window

// tables sets r to the sum of the terms with tables of multiples, as interleave
// does, but adds everything that has the same position, in pairs and in affine
// coordinates, before one chain of doublings takes the sums.
func (s *Sum) tables(ctx context.Context, r *point.Jacobian) error {
	if len(s.workers) == 0 {
		s.workers = make([]worker, 1)
	}
	w := &s.workers[0]
	count := s.full + s.short
	base := firstBase + 2*count
	first := base + (count+lanes.Width-1)/lanes.Width*lanes.Width*termRows
	// As windows.room has it.
	last := first + sumPositions + 3*min(maxPairs, 2*count*termDigits)
	s.setBase(last)
	s.makeTables(&w.tabling, base)

	w.start(s.rows, first, last, sumPositions)
	for j := range s.halves {
		h := &s.halves[j]
		table := ref(base+j/2*termRows+j%2*strausOdds) << rowShift
		var naf [maxDigits]digit
		for _, d := range naf[:wnaf(&naf, h[1], h[0], window)] {
			sign := d.value >> 15
			at := ref((d.value^sign)-sign) >> 1 << rowShift
			w.throw(uint32(d.position), table+at|ref(uint64(sign)^h[2])&1)
		}
		if w.enough(); j%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	w.drain()
	sums := s.sumsOf(1)
	w.collect(&sums[0])
	horner(r, sums)
	return nil
}

// collect sets sums to what is in the buckets of positions.
func (w *worker) collect(sums *positionSums) {
	for i := range sums {
		if r := w.buckets[i]; r != 0 {
			sums[i] = w.rows[r>>rowShift]
			if r&1 != 0 {
				sums[i].Y.Neg(&sums[i].Y)
			}
		}
	}
}

// A tabling is the memory of makeTables.
type tabling struct {
	odds     [][strausOdds]lanes.Affine // of eight terms each
	z, below []lanes.Element
}

// makeTables writes the tables of all terms, one after the other, from row
// number base on. Those of terms that are zero hold multiples of another point.
//
// The odd multiples of eight points at a time come from repeated addition of 2·P,
// over one denominator, as in [point.OddMultiples]. The denominators of all are
// inverted together.
func (s *Sum) makeTables(t *tabling, base int) {
	count := s.full + s.short
	groups := groupsOf(count)
	t.odds, t.z, t.below = resize(t.odds, groups), resize(t.z, groups), resize(t.below, groups)

	var product lanes.Element
	product.One()
	for g := range groups {
		var rows [lanes.Width][rowWords]uint64
		for j := range rows {
			i := g*lanes.Width + j
			q := &s.rows[fillRef>>rowShift]
			if i < count && s.isSet(i) {
				q = &s.rows[firstBase+2*i]
			}
			x, y := q.X.Limbs(), q.Y.Limbs()
			copy(rows[j][:4], x[:])
			copy(rows[j][4:], y[:])
		}
		var p lanes.Affine
		p.Unpack(&rows)
		oddMultiplesLanes(&t.odds[g], &t.z[g], &p)
		t.below[g] = product
		product.Mul(&product, &t.z[g])
	}
	invertEight(&product)

	var beta lanes.Element
	var b field.Element
	beta.Broadcast(b.MulBeta(b.One()))
	for g := groups - 1; g >= 0; g-- {
		var inverse, square lanes.Element
		inverse.Mul(&product, &t.below[g])
		product.Mul(&product, &t.z[g])
		square.Square(&inverse)
		inverse.Mul(&inverse, &square)
		for e := range t.odds[g] {
			q := &t.odds[g][e]
			q.X.Mul(&q.X, &square)
			q.Y.Mul(&q.Y, &inverse)
			s.spread(q, base+g*lanes.Width*termRows+e)
			q.X.Mul(&q.X, &beta)
			s.spread(q, base+g*lanes.Width*termRows+strausOdds+e)
		}
	}
}

// spread writes the points of q to row at, and to every termRows-th from there.
func (s *Sum) spread(q *lanes.Affine, at int) {
	var rows [lanes.Width][rowWords]uint64
	q.Pack(&rows)
	for j := range rows {
		w, row := &rows[j], &s.rows[at+j*termRows]
		row.X.SetLimbs(w[0], w[1], w[2], w[3])
		row.Y.SetLimbs(w[4], w[5], w[6], w[7])
	}
}

// oddMultiplesLanes sets table[i] to (2i+1)·p in every lane, over one
// denominator z: (X/z², Y/z³). It is [point.OddMultiples] but for the doubling,
// which goes without a half:
//
//	S = 4·x·y²   M = 3·x²   X = M² − 2·S   Y = M·(S − X) − 8·y⁴   Z = 2·y
//
// and leaves p over the same denominator, (S, 8·y⁴).
func oddMultiplesLanes(table *[strausOdds]lanes.Affine, z *lanes.Element, p *lanes.Affine) {
	var ratios [strausOdds]lanes.Element // ratios[i] = Z of entry i over Z of entry i − 1
	var dx, dy, l, t, u lanes.Element
	first := &table[0]
	u.Square(&p.Y)
	t.MulSmall(&u, 4)
	first.X.Mul(&p.X, &t)
	first.Y.Mul(&t, &u)
	first.Y.Add(&first.Y, &first.Y)
	l.Square(&p.X)
	l.MulSmall(&l, 3)
	dx.Square(&l)
	dx.Sub(&dx, &first.X)
	dx.Sub(&dx, &first.X)
	t.Sub(&first.X, &dx)
	dy.Mul(&l, &t)
	dy.Sub(&dy, &first.Y)
	z.Add(&p.Y, &p.Y)

	for i := 1; i < len(table); i++ {
		q, r := &table[i-1], &table[i]
		var w2, y lanes.Element
		ratios[i].Sub(&dx, &q.X)
		t.Square(&ratios[i])
		w2.Mul(&q.X, &t)
		dx.Mul(&dx, &t)
		y.Sub(&dy, &q.Y)
		t.Sub(&dx, &w2)
		dy.Mul(&dy, &t)
		t.Square(&y)
		t.Sub(&t, &dx)
		r.X.Sub(&t, &w2)
		t.Sub(&dx, &r.X)
		y.Mul(&y, &t)
		r.Y.Sub(&y, &dy)
	}
	s := ratios[len(table)-1]
	for i := len(table) - 1; i > 0; i-- {
		if i < len(table)-1 {
			s.Mul(&s, &ratios[i])
		}
		var ss lanes.Element
		ss.Square(&s)
		q := &table[i-1]
		q.X.Mul(&q.X, &ss)
		ss.Mul(&ss, &s)
		q.Y.Mul(&q.Y, &ss)
	}
	z.Mul(z, &s)
}
