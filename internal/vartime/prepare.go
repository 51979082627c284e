package vartime

import (
	"strings"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// NewSplitTable returns the largest table of multiples of p whose size is at most maxBytes: 26, 13,
// 8, 4, 2 or 1 KiB. If maxBytes is less than 1 KiB it returns the zero value. The time depends on
// p. During the call NewSplitTable needs three to four times the memory of the table.
//
// Each shape is the fastest of its size (docs/lab/batches.md, "Prepared keys").
func NewSplitTable(p *point.Affine, maxBytes int) SplitTable {
	switch {
	case maxBytes >= 26<<10:
		return makeSplitTable(p, 7, 10) // 13 subtables of 32 entries
	case maxBytes >= 13<<10:
		return makeSplitTable(p, 6, 10) // 13 subtables of 16 entries
	case maxBytes >= 8<<10:
		return makeSplitTable(p, 6, 17) // 8 subtables of 16 entries
	case maxBytes >= 4<<10:
		return makeSplitTable(p, 5, 17) // 8 subtables of 8 entries
	case maxBytes >= 2<<10:
		return makeSplitTable(p, 4, 17) // 8 subtables of 4 entries
	case maxBytes >= 1<<10:
		return makeSplitTable(p, 4, 33) // 4 subtables of 4 entries
	}
	return SplitTable{}
}

// makeSplitTable returns the table of p for the given window and stride; the stride must be at
// least window − 1. The order of p must be odd, and no multiple of p up to 2^(window−1) may be the
// point at infinity; on secp256k1 none is.
//
// Subtable i has the base B = 2^(stride·i)·p. One chain of doublings gives 2^j·B for every base and
// j ≤ window − 2. These points are made affine together. Then
//
//	(2^j + m)·B = 2^j·B + m·B for odd m < 2^j
//
// gives the multiples above 2^j from those below it, for j = 1, 2, … and for all subtables at once.
// These affine additions share one inversion (Montgomery's trick), and take 6 multiplications each.
// None is exceptional, since (2^j + m)·B and (2^j − m)·B are finite.
func makeSplitTable(p *point.Affine, window, stride uint) SplitTable {
	subtables, entries, powers := subtablesOf(stride), 1<<(window-2), int(window-1)

	chain := make([]point.Jacobian, 0, subtables*powers)
	var q point.Jacobian
	q.SetAffine(p)
	for len(chain) < cap(chain) {
		for j := range stride {
			if j < uint(powers) {
				chain = append(chain, q)
			}
			if len(chain) < cap(chain) {
				q.DoubleNVartime(1)
			}
		}
	}
	doubles := make([]point.Affine, len(chain))
	point.BatchToAffineVartime(doubles, chain)

	multiples := make([]point.Affine, subtables*entries)
	for i := range subtables {
		multiples[i*entries] = doubles[i*powers]
	}
	inverses := make([]field.Element, subtables*entries)
	inverses, scratch := inverses[:len(inverses)/2], inverses[len(inverses)/2:]
	for j := 1; j < powers; j++ {
		known := 1 << (j - 1) // number of odd multiples of each base computed so far
		for i := range subtables {
			d := &doubles[i*powers+j]
			for m := range known {
				inverses[i*known+m].Sub(&multiples[i*entries+m].X, &d.X)
			}
		}
		field.BatchInvertVartime(inverses[:subtables*known], scratch)
		for i := range subtables {
			d := &doubles[i*powers+j]
			for m := range known {
				subtable := multiples[i*entries:]
				chord(&subtable[known+m], d, &subtable[m], &inverses[i*known+m])
			}
		}
	}

	var table strings.Builder
	table.Grow(point.PackedSize * len(multiples))
	var e point.Entry
	var packed [point.PackedSize]byte
	for i := range multiples {
		table.Write(e.Set(&multiples[i]).AppendPacked(packed[:0]))
	}
	return SplitTable{table.String(), window, stride}
}

// chord sets r = p + q. inverse must be 1/(q.X − p.X).
func chord(r, p, q *point.Affine, inverse *field.Element) {
	var slope, x field.Element
	slope.Sub(&q.Y, &p.Y)
	slope.Mul(&slope, inverse)
	x.Square(&slope)
	x.Sub(&x, &p.X)
	x.Sub(&x, &q.X)
	r.Y.Sub(&p.X, &x)
	r.Y.Mul(&r.Y, &slope)
	r.Y.Sub(&r.Y, &p.Y)
	r.X = x
}
