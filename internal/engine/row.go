package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A row is row i of Rows, to be parsed: first the key, then the signature. A row that cannot be
// parsed gets its verdict at once.
type row struct {
	rows *Rows
	i    int
}

// reset empties the row, sets its flags to f, and returns its point for the caller to set. It sets
// all numbers to zero, because the memory may hold an earlier row.
func (r row) reset(f flags) *point.Affine {
	s, i := r.rows, r.i
	s.flags[i], s.verdicts[i], s.reasons[i] = f, Unchecked, NoReason
	s.p[i], s.x[i] = point.Affine{}, field.Element{}
	s.a[i], s.b[i] = scalar.Scalar{}, scalar.Scalar{}
	if s.d != nil {
		s.d[i] = scalar.Scalar{}
	}
	if s.tables != nil {
		s.tables[i] = nil
	}
	return &s.p[i]
}

// need refuses the row for the reason why unless ok is set or the row was refused before. It
// reports whether the row still has no verdict.
func (r row) need(ok bool, why Reason) bool {
	if !ok && r.rows.verdicts[r.i] == Unchecked {
		r.rows.refuse(r.i, why)
	}
	return r.rows.verdicts[r.i] == Unchecked
}

// refuse makes the row one that has no values but the reason why it is malformed.
func (r row) refuse(why Reason) {
	r.reset(0)
	r.rows.refuse(r.i, why)
}

// setKeyX sets the key of BIP-340 with the x coordinate b (lift_x). The row is malformed if b is
// not below p, or if no point has this coordinate.
func (r row) setKeyX(b *[32]byte) {
	p := r.reset(lift)
	r.need(p.X.SetBytes(b).Bool(), KeyRange)
}

// setCompressedKey sets the key with the encoding b (SEC 1 version 2, section 2.3.4). The row is
// malformed if the first byte is neither 2 nor 3, if x is not below p, or if no point has it.
func (r row) setCompressedKey(b *[33]byte) {
	head, f := b[0], lift
	if head == 0x03 {
		f |= odd
	}
	p := r.reset(f)
	_ = r.need(head&^1 == 0x02, KeyEncoding) &&
		r.need(p.X.SetBytes((*[32]byte)(b[1:])).Bool(), KeyRange)
}

// setUncompressedKey sets the key with the encoding b (SEC 1 version 2, section 2.3.4). The row is
// malformed if the first byte is not 4, if a coordinate is not below p, or if the curve has no such
// point.
func (r row) setUncompressedKey(b *[65]byte) {
	p := r.reset(0)
	_ = r.need(b[0] == 0x04, KeyEncoding) && r.need(isPoint(p, b[1:]))
}

// setPoint sets the key p, a point of the curve with canonical coordinates, and the split wNAF
// table of p, which may be nil. The row is malformed if p is nil.
func (r row) setPoint(p *point.Affine, table *vartime.SplitTable) {
	key := r.reset(0)
	if !r.need(p != nil, KeyMissing) {
		return
	}
	*key = *p
	if table != nil {
		r.rows.tables[r.i] = table
	}
}
