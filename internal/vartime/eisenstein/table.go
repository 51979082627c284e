package eisenstein

import "github.com/koblitz-go/koblitz/internal/lanes"

// A table of a point P holds, in each lane, the multiples of P by the numbers
//
//	1, 2, 1 + ω', 1 + 2ω', 1 + 3ω', 2 + 2ω', 2 + ω', 3, 4, 3 + ω', 3 + 2ω'
//
// with ω' = 1 + ω = −ω², a sixth root of unity. They are the entries 0 to 10. Digits of two bits
// need only the first three. The products of an entry (x, y) with λ and λ² are (β·x, y) and (β²·x,
// y), so each entry has two parts of the size of a point: (x, y) and (β·x, β²·x).
const (
	EntryParts = 2
	MaxEntries = 11
)

// Entries returns the number of entries of a table for digits of width bits.
func Entries(width int) int {
	if width == 2 {
		return 3
	}
	return MaxEntries
}

// A Step computes an entry of a table from the previous one. It multiplies the addend of the
// previous step, at first P, by ω^Power, negates it if Negate is set, and adds it to the entry.
type Step struct {
	Power  int
	Negate bool
}

// Steps returns the step to each entry of a table, at the entry's index. Entries 0 and 1, which are
// P and 2·P, have no step.
func Steps() [MaxEntries]Step {
	return [...]Step{
		2:  {Power: 1, Negate: false}, // 1 + ω'
		3:  {Power: 1, Negate: true},  // 1 + 2ω'
		4:  {Power: 0, Negate: false}, // 1 + 3ω'
		5:  {Power: 2, Negate: false}, // 2 + 2ω'
		6:  {Power: 1, Negate: true},  // 2 + ω'
		7:  {Power: 2, Negate: true},  // 3
		8:  {Power: 2, Negate: true},  // 4
		9:  {Power: 1, Negate: false}, // 3 + ω'
		10: {Power: 1, Negate: true},  // 3 + 2ω'
	}
}

// SetEntry sets the table's given entry to q. It overwrites scratch. beta and square are the
// results of lanes.Beta.
func SetEntry(
	table []lanes.Packed, entry int, q, scratch *lanes.Affine, beta, square *lanes.Element,
) {
	parts := table[EntryParts*entry:][:EntryParts]
	q.Pack(&parts[0])
	scratch.X.Mul(&q.X, beta)
	scratch.Y.Mul(&q.X, square)
	scratch.Pack(&parts[1])
}

// Load sets q, in each lane with a digit that is not 0, to the multiple for the digit. It returns
// the mask of these lanes. In the other lanes, it sets q to any multiple. tables holds the tables
// of the lanes' points.
func (r *DigitVector) Load(q *lanes.Affine, tables []lanes.Packed) (some lanes.Mask) {
	return loadRows(q, tables, &r.digits)
}

// loadRowsGeneric sets lane j of p to the lane's multiple for its digit. It returns the mask of the
// lanes with a digit that is not 0.
func loadRowsGeneric(
	p *lanes.Affine, tables []lanes.Packed, digits *lanes.Vector,
) (some lanes.Mask) {
	var points lanes.Packed
	some = lanes.None()
	neg := lanes.None()
	for j := range points {
		d := digits.At(j)
		entry := tables[d/entrySize*EntryParts:][:EntryParts]
		points[j] = entry[0][j]
		if d&digitSecond != 0 {
			copy(points[j][:4], entry[1][j][d&digitHalf/8:])
		}
		neg.Put(j, d/digitNegative&1)
		some.Put(j, d/digitSome&1)
	}
	p.Unpack(&points)
	p.CondNeg(neg, p)
	return some
}
