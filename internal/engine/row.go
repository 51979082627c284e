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
	r.SetMalformed()
	return r
}

// Verdict returns the verdict of parsing, or Unchecked if verification is needed.
func (r Row) Verdict() Verdict { return r.rows.verdicts[r.i] }

// reset empties the row, sets its flags to f, and returns its point for the caller to set. It sets
// all numbers to zero, because the memory may hold an earlier row.
func (r Row) reset(f flags) *point.Affine {
	r.rows.flags[r.i], r.rows.verdicts[r.i] = f, Unchecked
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

// need makes the row malformed unless ok is set. It reports whether the row still has no verdict.
func (r Row) need(ok bool) bool {
	verdict := &r.rows.verdicts[r.i]
	if !ok {
		*verdict = Malformed
	}
	return *verdict == Unchecked
}

// SetMalformed makes the row malformed.
func (r Row) SetMalformed() {
	r.reset(0)
	r.need(false)
}

// SetKeyX sets the key of BIP-340 with the x coordinate b (lift_x). The row is malformed if b is
// not 32 bytes long, if x is not below p, or if no point has it.
func (r Row) SetKeyX(b []byte) {
	p := r.reset(lift)
	r.need(len(b) == 32 && p.X.SetBytes((*[32]byte)(b)).Bool())
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
		r.need(head&^1 == 0x02 && p.X.SetBytes((*[32]byte)(b[1:])).Bool())
	case 65:
		p := r.reset(0)
		r.need(b[0] == 0x04 &&
			p.X.SetBytes((*[32]byte)(b[1:33])).Bool() && p.Y.SetBytes((*[32]byte)(b[33:])).Bool() &&
			p.IsOnCurve().Bool())
	default:
		r.SetMalformed()
	}
}

// SetKey sets the key p, a point of the curve with canonical coordinates, and the split wNAF table
// of p, which may be nil. The row is malformed if p is nil.
func (r Row) SetKey(p *point.Affine, table *vartime.SplitTable) {
	key := r.reset(0)
	if !r.need(p != nil) {
		return
	}
	*key = *p
	if table != nil {
		r.rows.needTables()
		r.rows.tables[r.i] = table
	}
}
