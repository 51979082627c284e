package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Row is a row of [Rows] for the caller to set: first the key, then the signature. A row that
// cannot be parsed gets its verdict at once. A Row must not be used after rows are added to its
// Rows.
type Row struct {
	rows *Rows
	i    int
}

// NewRow returns the only row of newly allocated Rows. It is malformed until it is set.
func NewRow() Row {
	rows := newRows(1)
	rows.needDivisors()
	r := Row{&rows, 0}
	r.refuse(KeyMissing)
	return r
}

// reset empties the row, sets its flags to f, and returns its point for the caller to set. It sets
// all numbers to zero, because the memory may hold an earlier row.
func (r Row) reset(f flags) *point.Affine {
	r.rows.flags[r.i], r.rows.reasons[r.i] = f, NoReason
	r.rows.x[r.i] = field.Element{}
	r.rows.a[r.i], r.rows.b[r.i] = scalar.Scalar{}, scalar.Scalar{}
	if r.rows.d != nil {
		r.rows.d[r.i] = scalar.Scalar{}
	}
	if r.rows.tables != nil {
		r.rows.tables[r.i] = nil
	}
	p := &r.rows.p[r.i]
	*p = point.Affine{}
	return p
}

// need refuses the row for the reason why unless ok is set or the row was refused before. It
// reports whether the row still has no verdict.
func (r Row) need(ok bool, why Reason) bool {
	reason := &r.rows.reasons[r.i]
	if !ok && *reason == NoReason {
		*reason = why
	}
	return *reason == NoReason
}

// refuse makes the row one that has no values but the reason why it is malformed.
func (r Row) refuse(why Reason) {
	r.reset(0)
	r.need(false, why)
}

// SetKeyX sets the key of BIP-340 with the x coordinate b (lift_x). The row is malformed if b is
// not 32 bytes long, if x is not below p, or if no point has it.
func (r Row) SetKeyX(b []byte) {
	p := r.reset(lift)
	_ = r.need(len(b) == 32, KeyEncoding) &&
		r.need(p.X.SetBytes((*[32]byte)(b)).Bool(), KeyRange)
}

// SetEncodedKey sets the key with the encoding b: 33 bytes, compressed, or 65, uncompressed (SEC 1
// version 2, section 2.3.4). The row is malformed if b has another length or another first byte
// than this encoding, if a coordinate is not below p, or if the curve has no such point.
func (r Row) SetEncodedKey(b []byte) {
	switch len(b) {
	case 33:
		head, f := b[0], lift
		if head == 0x03 {
			f |= odd
		}
		p := r.reset(f)
		_ = r.need(head&^1 == 0x02, KeyEncoding) &&
			r.need(p.X.SetBytes((*[32]byte)(b[1:])).Bool(), KeyRange)
	case 65:
		p := r.reset(0)
		_ = r.need(b[0] == 0x04, KeyEncoding) &&
			r.need(p.X.SetBytes((*[32]byte)(b[1:33])).Bool(), KeyRange) &&
			r.need(p.Y.SetBytes((*[32]byte)(b[33:])).Bool(), KeyRange) &&
			r.need(p.IsOnCurve().Bool(), KeyNotOnCurve)
	default:
		r.refuse(KeyEncoding)
	}
}

// SetKey sets the key p, a point of the curve with canonical coordinates, and the split wNAF table
// of p, which may be nil. The row is malformed if p is nil.
func (r Row) SetKey(p *point.Affine, table *vartime.SplitTable) {
	key := r.reset(0)
	if !r.need(p != nil, KeyMissing) {
		return
	}
	*key = *p
	if table != nil {
		r.rows.needTables()
		r.rows.tables[r.i] = table
	}
}
