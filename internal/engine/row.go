package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A row is a parsed signature, or key. Parsing sets it: first the key, then the signature. Every
// later step reads and writes it in place, until the row has a verdict. A row takes 240 bytes, and
// refers to no memory of the caller except the table of a prepared key.
//
// The multiple of a row is the point (a/d)·G + (b/d)·p. Schemes without a divisor d compute a·G +
// b·p. The comment on each scheme defines its a, b, d and p. Schemes that find points set p to the
// point that they find.
type row struct {
	p       point.Affine        // the point that is multiplied, and then the point that is found
	a, b, d scalar.Scalar       // the factors of G and of p, and the divisor
	x       field.Element       // the x coordinate that the multiple must have; BIP-340, CheckTweaks
	message [32]byte            // if unhashed is set
	table   *vartime.SplitTable // the key's table, or nil

	lift     bool // y of p is missing, and zero
	odd      bool // with lift: find the odd y
	high     bool // the row is invalid, because its s is above n/2
	unhashed bool // b is missing: the message must be hashed for it
	// id is 1 + the recovery id of an ECDSA signature, or 0 if no id is known. In CheckTweaks it is
	// 1 + the parity of y that the multiple must have.
	id uint8

	verdict Verdict
	reason  Reason // why the row is not valid, or NoReason
}

// refuse sets the verdict for a reason why the row is not valid.
func (r *row) refuse(why Reason) { r.verdict, r.reason = why.Verdict(), why }

// need refuses the row, for the given reason, if ok is false and the row has no verdict yet. It
// reports whether the row still has no verdict.
func (r *row) need(ok bool, why Reason) bool {
	if !ok && r.verdict == Unchecked {
		r.refuse(why)
	}
	return r.verdict == Unchecked
}

// isUndecided reports whether the verdict on the row takes a multiplication. It is false if the row
// has a verdict. It is also false if s is too high: the row is then invalid, or malformed if its
// key cannot be lifted.
func (r *row) isUndecided() bool { return r.verdict == Unchecked && !r.high }

// isOdd reports whether the point p has an odd y coordinate.
func (r *row) isOdd() bool {
	if r.lift {
		return r.odd
	}
	return r.p.Y.IsOdd().Bool()
}

// The methods below set the key of an empty row.

// setKeyX sets the key of BIP-340 with the x coordinate b (lift_x). The row is malformed if b is
// not below p, or if no point has this coordinate.
func (r *row) setKeyX(b *[32]byte) {
	r.lift = true
	r.need(r.p.X.SetBytes(b).Bool(), KeyRange)
}

// setCompressedKey sets the key with the encoding b (SEC 1 version 2, section 2.3.4). The row is
// malformed if the first byte is neither 2 nor 3, if x is not below p, or if no point has it.
func (r *row) setCompressedKey(b *[33]byte) {
	head := b[0]
	r.odd = head == 0x03
	r.need(head&^1 == 0x02, KeyEncoding)
	r.setKeyX((*[32]byte)(b[1:]))
}

// setUncompressedKey sets the key with the encoding b (SEC 1 version 2, section 2.3.4). The row is
// malformed if the first byte is not 4, if a coordinate is not below p, or if the curve has no such
// point.
func (r *row) setUncompressedKey(b *[65]byte) {
	_ = r.need(b[0] == 0x04, KeyEncoding) &&
		r.need(r.setCoordinates((*[64]byte)(b[1:])), KeyRange) &&
		r.need(r.p.IsOnCurve().Bool(), KeyNotOnCurve)
}

// setCoordinates sets both coordinates of the key. It returns false if one of them is not below p.
func (r *row) setCoordinates(b *[64]byte) bool {
	return r.p.X.SetBytes((*[32]byte)(b[:32])).Bool() && r.p.Y.SetBytes((*[32]byte)(b[32:])).Bool()
}

// setPoint sets the key p, a point of the curve with canonical coordinates, and the split wNAF
// table of p, which may be nil. The row is malformed if p is nil.
func (r *row) setPoint(p *point.Affine, table *vartime.SplitTable) {
	if r.need(p != nil, KeyMissing) {
		r.p, r.table = *p, table
	}
}
