package ecmult

import (
	_ "embed" // for the table

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// How the bits of a scalar are cut into blocks: 255 bits are cut into windows of baseWindow bits,
// and the top block gets the remaining bits. With windows of 6 bits the table has 84.5 KiB. Windows
// of 5 (52 KiB) and 7 (144.5 KiB) are 6 % slower with a warm cache and no faster with a cold one.
// Windows of 4 (32 KiB) are more than 20 % slower.
const (
	baseWindow = 6
	baseBlocks = (255 + baseWindow - 1) / baseWindow
	baseTop    = 255 - (baseBlocks-1)*baseWindow
)

// baseTable is the packed table of G: for each block, the odd multiples that it needs, in ascending
// order.
//
//go:generate go run generate.go
//go:embed base_table.bin
var baseTable string

// A comb is a signed comb (see the package's documentation): a table of odd multiples of the points
// 2^(w·i)·P, i = 0, 1, 2, …, for one point P. With it, (2m + 1)·P for 0 ≤ m < 2^(w·(blocks−1)+top)
// takes one addition per block and no doublings.
//
// Cut m into digits b_0 … b_t of w bits each, except b_t, which has top bits. Then
//
//	2m + 1 = Σ_{i<t} (2·b_i − (2^w − 1))·2^(w·i) + (2·b_t + 1)·2^(w·t),
//
// because the blocks below the top subtract (2^w − 1)·2^(w·i) each, in sum 2^(w·t) − 1, and the
// last term adds 2^(w·t) again. So there are no carries between digits, and no digit is zero. Below
// the top, digits are symmetric around zero, so the table holds only the multiples by positive
// digits; at the top all digits are positive.
type comb struct {
	table  string // 2^(w−1) packed entries per block, 2^top in the top block
	window uint   // w above, the bits of a window: 1 to 7
	top    uint   // bits of the top block: 0 to 6
	blocks int    // number of blocks, including the top block; at least 2
}

// baseScratch holds the secret intermediate values of a multiplication of the base point G.
type baseScratch struct {
	m      scalar.Scalar
	bits   [5]uint64 // m, and a zero for the function window
	entry  point.Entry
	addend point.Affine
}

// wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (s *baseScratch) wipe() { *s = baseScratch{} }

// mult sets r to (2m + 1)·P, where m is the value of s.bits.
//
// Blocks are added from low to high. Regard the sums as integers that multiply P. The sum S of the
// blocks below block i is odd and less than 2^(w·i) in absolute value. The term T of block i is at
// least 2^(w·i) in absolute value, and T + S and T − S are less than 2^(w·(i+1)). For a block below
// the top this is at most 2^(w·t), where t is the number of the top block, which is less than n. So
// none of S, T + S and T − S is a multiple of n: S·P is finite and is not ±T·P, and the incomplete
// addition is right.
//
// This argument does not hold for the top block. Its sum S + T is the odd number 2m + 1, which is n
// if the scalar is zero. T − S = n for 2m + 1 = 2·T − n; the two points are then equal and must be
// doubled. So the last addition is complete.
//
// In a group of order 2^(w·t) or less, every addition must be complete; the caller then sets
// complete.
func (c *comb) mult(r *point.Jacobian, s *baseScratch, complete bool) {
	table := c.table
	size := point.PackedSize << (c.window - 1)
	for i := range c.blocks - 1 {
		negative, index := oddDigit(window(&s.bits, uint(i)*c.window, c.window), c.window)
		readPacked(&s.entry, table[:size], index)
		table = table[size:]
		s.addend.SetEntry(&s.entry, negative)
		switch {
		case i == 0:
			r.SetAffine(&s.addend)
		case complete: //ct:unrun asked for by tests with small groups
			r.AddMixed(r, &s.addend)
		default:
			r.AddMixedIncomplete(r, &s.addend)
		}
	}
	readPacked(&s.entry, table, window(&s.bits, uint(c.blocks-1)*c.window, c.top))
	s.addend.SetEntry(&s.entry, 0)
	r.AddMixed(r, &s.addend)
}

// ScalarBaseMult sets r = k·G for any k, including zero. The time does not depend on k.
//
// Treat r as secret until it is converted to affine coordinates: the denominator of a Jacobian
// point reveals information about the additions that led to it (Naccache, Smart, Stern, Eurocrypt
// 2004).
func ScalarBaseMult(r *point.Jacobian, k *scalar.Scalar) {
	if inLanes() { //ct:unrun-portable for AVX-512, which the other build has
		scalarBaseMultLanes(r, k)
	} else {
		scalarBaseMultComb(r, k)
	}
}

// scalarBaseMultComb does the work of ScalarBaseMult with the signed comb.
func scalarBaseMultComb(r *point.Jacobian, k *scalar.Scalar) {
	var s baseScratch
	negative := s.recode(k)
	c := comb{table: baseTable, window: baseWindow, top: baseTop, blocks: baseBlocks}
	c.mult(r, &s, false)
	r.CondNeg(r, negative)
	s.wipe()
}

// recode sets s.bits to m with 2m + 1 = k and returns 0, or sets it to m with 2m + 1 = n − k and
// returns 1.
func (s *baseScratch) recode(k *scalar.Scalar) (negative ct.Choice) {
	// n is odd, so one of k and n − k is odd: call it d = 2m + 1, from 1 to n. The formula m = (d −
	// 1)/2 gives the same m for integers and modulo n, where d = n appears as the scalar 0.
	//ct:secret k.IsHigh().Bool()
	var one scalar.Scalar
	one.One()
	negative = k.IsOdd().Not()
	s.m.CondNeg(k, negative)
	s.m.Sub(&s.m, &one)
	s.m.Half(&s.m)
	*(*[4]uint64)(s.bits[:]) = s.m.Limbs()
	return negative
}
