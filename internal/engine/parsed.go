package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Parsed is one row by itself, without a table: that of a caller who waits until a batch has
// come together. It has no slices and is small, because those of many callers that wait are
// soon more than a near cache holds.
type Parsed struct {
	flags   flags
	verdict Verdict
	p       point.Affine
	x       field.Element
	a, b    scalar.Scalar
	message [32]byte // with the flag unhashed
}

// Parse sets v to the row that set makes, and returns the verdict that came of it, or Unchecked.
// The row is malformed until it has a key.
func Parse(v *Parsed, set func(Row)) Verdict {
	r, _ := single.Get().(*Rows)
	if r == nil {
		r = NewRow().rows
	}
	v.parse(r, set)
	single.Put(r)
	return v.verdict
}

// parse is Parse in r, the memory of one row.
func (v *Parsed) parse(r *Rows, set func(Row)) {
	r.verdicts[0] = Malformed // the memory may hold an earlier row
	set(Row{r, 0})
	v.copy(r, 0)
	if r.tables != nil {
		r.tables[0] = nil // a pool must not keep it alive
	}
}

// copy sets v to row i of r.
func (v *Parsed) copy(r *Rows, i int) {
	v.flags, v.verdict = r.flags[i], r.verdicts[i]
	v.p, v.x, v.a, v.b = r.p[i], r.x[i], r.a[i], r.b[i]
	if v.flags&unhashed != 0 {
		v.message = r.messages[i]
	}
}

// Take adds a row.
func (b *Batch) Take(v *Parsed) {
	r, n := &b.rows, b.rows.Len()
	r.resize(n + 1)
	r.flags[n], r.verdicts[n] = v.flags, v.verdict
	r.p[n], r.x[n], r.a[n], r.b[n] = v.p, v.x, v.a, v.b
	if v.flags&unhashed != 0 {
		r.needMessages()
		r.messages[n] = v.message
	}
	if r.tables != nil {
		r.tables[n] = nil
	}
}
