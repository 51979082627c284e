package vartime

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file holds wNAF splitting (Möller, "Improved Techniques for Fast Exponentiation", ICISC
// 2002): multiplication with a table of multiples that avoids most doublings.

// A SplitTable is a split wNAF table: it holds multiples of one point P, so that computing k·P
// takes few doublings. It never changes. The zero value is no table and must not be used for
// multiplication.
//
// Subtable j holds the odd multiples below 2^(window−1) of 2^(stride·j)·P, in ascending order,
// as packed entries (point.PackedSize). So a wNAF digit at position stride·j + i is an entry of
// subtable j, doubled i times, and all digits share stride − 1 doublings. The subtables cover the
// positions of a half scalar; both halves of a scalar use the same table.
//
// A multiplication takes about 256/(window + 1) additions, one per digit, and a doubling costs half
// to 2/3 of an addition. So a few doublings are worthwhile. Without doublings and with digits of 5
// bits at fixed positions, 26 subtables of 16 multiples would need 52 additions; 13 subtables of 32
// need 32 additions and 9 doublings.
type SplitTable struct {
	table  string
	window uint
	stride uint // at least window − 1 and at most MaxStride; see GeneratorTable for an exception
}

// MaxStride is the largest stride of any SplitTable except GeneratorTable. A stride is the number
// of digit positions that share a subtable.
const MaxStride = 33

// subtablesOf returns the number of subtables with the given stride that cover the positions of a
// half scalar.
func subtablesOf(stride uint) int { return int((wnaf.Positions + stride - 1) / stride) }

// splitAddends is the maximum number of digits of a sum a·G + b·P with GeneratorSplitTable and a
// table from NewSplitTable.
const (
	minSplitWindow = 4
	splitAddends   = 2 * ((wnaf.Positions+splitBaseWindow-1)/splitBaseWindow +
		(wnaf.Positions+minSplitWindow-1)/minSplitWindow)
)

// Size returns the length of the table in bytes, which is 0 for the zero value.
func (c *SplitTable) Size() int { return len(c.table) }

// Shape returns the window and the stride of the table; [SplitTable] defines them.
func (c *SplitTable) Shape() (window, stride uint) { return c.window, c.stride }

// Table returns the packed table (point.PackedSize) with the entries of all subtables in order.
func (c *SplitTable) Table() string { return c.table }

// DoubleScalarMult sets r = a·G + b·P, where c is a table of P. It is exact for every a and b. The
// time depends on them.
func (c *SplitTable) DoubleScalarMult(r *point.Jacobian, a, b *scalar.Scalar) {
	g := GeneratorSplitTable()
	multiplySplit(r, &g, a, c, b, vector.Available())
}

// DoubleScalarMultPrepared sets r = a·G + b·p. c must be a table of p, or nil to compute without a
// table. It is exact for every a, b and p. The time depends on them.
func DoubleScalarMultPrepared(
	r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine, c *SplitTable,
) {
	if c == nil {
		DoubleScalarMult(r, a, b, p)
		return
	}
	c.DoubleScalarMult(r, a, b)
}

// An addend is a table entry or its negative, in a linked list. next is the index of the next
// addend in the list plus 1; 0 ends the list.
type addend struct {
	entry    string
	negative ct.Choice // 1 to negate the entry
	next     int16
}

// A schedule holds all addends of a sum, listed by the number of times each must be doubled.
type schedule struct {
	addends []addend
	// lists[i] holds the heads of two lists of addends that must be doubled i times, each as an
	// index plus 1: the addends for the first halves of the scalars, and those for the second
	// halves, which must also be multiplied by λ.
	lists [MaxStride][2]int16
}

// read appends the digits of both halves of k to addends, as multiples of c's point, and adds them
// to the lists.
func (s *schedule) read(addends []addend, c *SplitTable, k *scalar.Scalar) []addend {
	var naf [wnaf.MaxDigits]wnaf.Digit
	subtableSize := point.PackedSize << (c.window - 2)
	reciprocal := 1<<16/int(c.stride) + 1 // exact for all positions: see TestSplitTablePositions
	k1, k2 := k.Split()
	for half, k := range [...]*scalar.Half{&k1, &k2} {
		for _, d := range naf[:wnaf.Digits(&naf, k.Hi, k.Lo, c.window)] {
			subtable := int(d.Position) * reciprocal >> 16
			round := int(d.Position) - subtable*int(c.stride)
			index, negative := entryOf(d.Value)
			at := subtable*subtableSize + index*point.PackedSize

			list := &s.lists[round][half]
			addends = append(addends,
				addend{c.table[at : at+point.PackedSize], negative ^ k.Neg, *list})
			*list = int16(len(addends))
		}
	}
	return addends
}

// touch reads the first and the last byte of every entry, to load it into the cache. With many keys
// the entries are in distant caches. These loads overlap, because none waits for another. touch is
// not inlined, because the compiler would then remove its loads.
//
//go:noinline
func touch(addends []addend) (x byte) {
	for i := range addends {
		e := addends[i].entry
		x |= e[0] | e[point.PackedSize-1]
	}
	return x
}

// multiplySplit sets r = a·B + b·P, where g is the table of B and c that of P, or r = a·B if c is
// nil. inLanes selects package vector for the additions and doublings, which works on secp256k1
// only.
func multiplySplit(
	r *point.Jacobian, g *SplitTable, a *scalar.Scalar, c *SplitTable, b *scalar.Scalar, inLanes bool,
) {
	var s schedule
	var room [splitAddends]addend
	s.addends = s.read(room[:0], g, a)
	stride := g.stride
	if c != nil {
		s.addends = s.read(s.addends, c, b)
		stride = max(stride, c.stride)
	}
	touch(s.addends)
	if inLanes {
		s.sumParallel(r, int(stride))
	} else {
		s.sum(r, int(stride))
	}
}

// sum sets r to the sum of the addends, each doubled as often as its list says. stride is at least
// the number of lists in use.
func (s *schedule) sum(r *point.Jacobian, stride int) {
	// To add λ·q, divide the sum by λ, add q, and multiply the sum by λ again. One multiplication
	// serves all points q that are added between two doublings. To save more, the next round begins
	// with the half with which this round ends: acc always is the sum divided by λ^half.
	var acc point.Jacobian
	var e point.Entry
	var q point.Affine
	acc.SetInfinity()
	half := 0
	for round := stride - 1; round >= 0; round-- {
		if round < stride-1 {
			acc.DoubleNVartime(1)
		}
		for n, list := range [2]int16{s.lists[round][half], s.lists[round][1-half]} {
			if n == 1 && list != 0 {
				half = 1 - half
				toHalf(&acc, half)
			}
			for list != 0 {
				d := &s.addends[list-1]
				q.SetEntry(e.Unpack(d.entry), d.negative)
				acc.AddMixedVartime(&acc, &q)
				list = d.next
			}
		}
	}
	if half == 1 {
		toHalf(&acc, 0)
	}
	r.Set(&acc)
}

// toHalf multiplies acc by λ if half is 0, and divides it by λ if half is 1.
func toHalf(acc *point.Jacobian, half int) {
	if half == 0 {
		acc.MulBeta(acc)
		return
	}
	// Multiply by 1/β = β² = −1 − β.
	var x field.Element
	x.MulBeta(&acc.X)
	acc.X.Add(&acc.X, &x)
	acc.X.Neg(&acc.X)
}
