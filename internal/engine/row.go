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
	s := &struct {
		rows     Rows
		flags    [1]flags
		verdicts [1]Verdict
		p        [1]point.Affine
		x        [1]field.Element
		a, b, d  [1]scalar.Scalar
		messages [1][32]byte
	}{}
	s.rows = Rows{
		flags: s.flags[:], verdicts: s.verdicts[:],
		p: s.p[:], x: s.x[:], a: s.a[:], b: s.b[:], d: s.d[:], messages: s.messages[:],
	}
	r := Row{&s.rows, 0}
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

// SetKeyX sets the key of BIP-340 with the x coordinate b (lift_x). The row is malformed if x is
// not below p, or if no point has it.
func (r Row) SetKeyX(b *[32]byte) {
	p := r.reset(lift)
	r.need(p.X.SetBytes(b).Bool())
}

// SetKeyCompressed sets the key with the 33-byte encoding b (SEC 1 version 2, section 2.3.4). The
// row is malformed if the first byte is not 0x02 or 0x03, if x is not below p, or if no point has
// it.
func (r Row) SetKeyCompressed(b *[33]byte) {
	f := lift
	if b[0]&1 == 1 {
		f |= odd
	}
	p := r.reset(f)
	r.need(b[0]&^1 == 0x02 && p.X.SetBytes((*[32]byte)(b[1:])).Bool())
}

// SetKeyUncompressed sets the key with the 65-byte encoding b. The row is malformed if the first
// byte is not 0x04, if a coordinate is not below p, or if the point is not on the curve.
func (r Row) SetKeyUncompressed(b *[65]byte) {
	p := r.reset(0)
	r.need(b[0] == 0x04 && p.X.SetBytes((*[32]byte)(b[1:33])).Bool() &&
		p.Y.SetBytes((*[32]byte)(b[33:])).Bool() && p.IsOnCurve().Bool())
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
