//ct:unrun-portable for AVX-512, which the other build has

package ecmult

import (
	_ "embed" // for the table
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file multiplies the base point G in the lanes of vectors. The endomorphism splits the
// scalar into d_1 + d_2·λ, as in ScalarMult. The bits of each half are cut into four parts of
// equal length. Lanes 0 to 3 add the windows of the four parts of d_1, one window per round, and
// lanes 4 to 7 those of d_2. Lanes j and j + 4 use the same points, so each part of the table is
// loaded once for both.

// laneBits is the number of bits of a part. Four parts have at least the 129 bits that the digits
// of a half scalar need.
const laneBits = 33

// laneRounds is the number of rounds. With 6 rounds the table has 36 KiB. With 7 rounds it has 24
// KiB, but a multiplication takes 4 % longer.
const laneRounds = 6

// laneWindow returns the number of bits of the windows of a round. The windows of all rounds
// together have laneBits bits.
func laneWindow(round int) uint {
	if round < 3 {
		return 6
	}
	return 5
}

// roundsTable is the table of the rounds, one after the other. If the windows of a round have w
// bits and begin at bit p of their parts, its entry number i has the points (2·i +
// 1)·2^(laneBits·j + p)·G for j = 0, 1, 2, 3. First it holds the least significant words of the
// four x coordinates, then the next words, and last the most significant words of the y
// coordinates.
//
//go:embed rounds_table.bin
var roundsTable string

// roundEntry is the size of an entry of roundsTable in bytes.
const roundEntry = 4 * point.PackedSize

// inLanes reports whether multiplication in lanes is faster than by a comb.
func inLanes() bool { return cpu.Has(cpu.Lanes) }

// scalarBaseMultLanes does the work of ScalarBaseMult in lanes. The last addition is complete: its
// points d_1·G and d_2·λG are opposite for k = 0, and equal for k = ±2·a1 (docs/endomorphism.md).
func scalarBaseMultLanes(r *point.Jacobian, k *scalar.Scalar) {
	var sum lanes.Jacobian
	var second point.Jacobian
	addRounds(&sum, k)
	addParts(&sum)
	extractHalves(r, &second, &sum)
	second.MulBeta(&second)
	r.Add(r, &second)
	wipeLanes(&sum)
	second.Wipe()
}

// laneScratch holds the secret intermediate values of addRounds.
type laneScratch struct {
	recoding
	parts  [lanes.Width]uint64
	addend lanes.Affine
}

// wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (s *laneScratch) wipe() { *s = laneScratch{} }

//go:noinline
func wipeLanes(p *lanes.Jacobian) { *p = lanes.Jacobian{} }

// addRounds sets the sum of lanes 0 to 3 of sum to d_1·G and the sum of lanes 4 to 7 to d_2·G,
// where k = d_1 + d_2·λ. It is a function of its own, and not inlined, so that its variables do
// not occupy the stack during the remaining steps.
//
// Let x_j be part j of the bits of a half, and w the length of a window that begins at bit p of
// its part. As in comb.mult, the digits of all windows below bit p + w of part j represent
//
//	(2·(x_j mod 2^(p+w)) − (2^(p+w) − 1))·2^(laneBits·j),
//
// and the sum over all parts is 2·b − (2^l − 1) for l = 4·laneBits and the bits b of the half,
// s.b1 or s.b2. This is d_1 or d_2; see the method recode. The first round copies its terms, and
// the others have p > 0. The term T that the window adds to the sum S of lane j is an odd multiple
// of 2^(laneBits·j + p). Regard the sums as integers that multiply G. Since S is an odd multiple of
// 2^(laneBits·j), so are T + S and T − S; hence none of the three is zero. All are less than
// 2^(laneBits·j + p + w) in absolute value, which is at most 2^l and less than n. So none of them
// is a multiple of n: S·G is finite and is not ±T·G, and the incomplete addition is right, in every
// lane.
//
//go:noinline
func addRounds(sum *lanes.Jacobian, k *scalar.Scalar) {
	var s laneScratch
	s.recode(k, 4*laneBits)
	for j := range lanes.Width / 2 {
		s.parts[j] = window(&s.b1, uint(laneBits*j), laneBits)
		s.parts[j+lanes.Width/2] = window(&s.b2, uint(laneBits*j), laneBits)
	}
	table := roundsTable
	pos := uint(0)
	for i := range laneRounds {
		w := laneWindow(i)
		size := roundEntry << (w - 1)
		readRound(&s.addend, table[:size], &s.parts, uint64(pos))
		table = table[size:]
		pos += w
		if i == 0 {
			sum.SetAffine(&s.addend)
		} else {
			sum.AddMixedIncomplete(sum, &s.addend)
		}
	}
	s.wipe()
}

// addParts sets lane 0 of sum to the sum of lanes 0 to 3 and lane 4 to the sum of lanes 4 to 7.
// The other lanes have undefined contents afterwards.
//
// First it adds lanes 2 and 3 to lanes 0 and 1, then lane 1 to lane 0, and lanes 6, 7 and 5 to
// lanes 4 and 5 in the same way. As in addRounds, regard the sums as integers. A sum whose lowest
// part is part j is an odd multiple of 2^(laneBits·j). The lowest parts of two sums that are added
// differ, so the sum and the difference are odd multiples of such a power, and not zero. All
// numbers are less than 2^(4·laneBits) in absolute value. So no incomplete addition has an
// exceptional case.
//
//go:noinline
func addParts(sum *lanes.Jacobian) {
	var other lanes.Jacobian
	for n := 2; n > 0; n-- {
		copyLanes(&other.X, &sum.X, n)
		copyLanes(&other.Y, &sum.Y, n)
		copyLanes(&other.Z, &sum.Z, n)
		sum.AddIncomplete(sum, &other)
	}
	wipeLanes(&other)
}

// copyLanes sets lanes 0 to n − 1 of v to lanes n to 2·n − 1 of a, and lanes 4 to 3 + n to lanes 4
// + n to 3 + 2·n. With [lanes.Element.Rotate] instead, k·G would take 4 % longer.
func copyLanes(v, a *lanes.Element, n int) {
	for i := range v {
		for j := range n {
			v[i].Set(j, a[i].At(j+n))
			v[i].Set(j+4, a[i].At(j+4+n))
		}
	}
}

// extractHalves sets first and second to the points in lanes 0 and 4 of sum.
//
//go:noinline
func extractHalves(first, second *point.Jacobian, sum *lanes.Jacobian) {
	var x, y, z [lanes.Width][4]uint64
	sum.Limbs(&x, &y, &z)
	//ct:secret x[0][0]&1 == 1
	for h, p := range [2]*point.Jacobian{first, second} {
		j := h * lanes.Width / 2
		p.X.SetLimbs(x[j][0], x[j][1], x[j][2], x[j][3])
		p.Y.SetLimbs(y[j][0], y[j][1], y[j][2], y[j][3])
		p.Z.SetLimbs(z[j][0], z[j][1], z[j][2], z[j][3])
	}
	wipeRows(&x)
	wipeRows(&y)
	wipeRows(&z)
}

//go:noinline
func wipeRows(rows *[lanes.Width][4]uint64) { *rows = [lanes.Width][4]uint64{} }

// readRoundGeneric does the work of readRound one lane after another.
func readRoundGeneric(a *lanes.Affine, table string, parts *[lanes.Width]uint64, pos uint64) {
	//ct:secret parts[5]>>pos&1 == 1
	w := uint(bits.Len(uint(len(table) / roundEntry)))
	var e point.Entry
	var p point.Affine
	for j := range parts {
		negative, index := oddDigit(parts[j]>>pos&(1<<w-1), w)
		e = point.Entry{}
		hot := uint64(1<<63) >> (index & 63)
		for words := table; len(words) >= roundEntry; words = words[roundEntry:] {
			m := signMask(hot)
			hot <<= 1
			for i := range e {
				e[i] |= m & point.PackedLimb(words[32*i+8*(j%4):])
			}
		}
		p.SetEntry(&e, negative)
		a.SetLane(j, &p.X, &p.Y)
	}
}
