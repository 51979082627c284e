package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Parsed is one parsed signature that is not yet part of a Rows. It belongs to a caller that
// waits for a shared batch, and has no precomputed table of the key. It has no slices and is small,
// so that the signatures of many waiting callers fit in a CPU cache.
type Parsed struct {
	flags   flags
	reason  Reason // why parsing refused the row, or NoReason
	p       point.Affine
	x       field.Element
	a, b, d scalar.Scalar
	message [32]byte // the message to hash, if the flag unhashed is set
}

// Parse calls setRow, which sets a row, and stores that row in v. It returns why parsing refused
// the row, or NoReason if verification is needed. The row is malformed until setRow sets its key.
func Parse(v *Parsed, setRow func(Row)) Reason {
	r, _ := single.Get().(*Rows)
	if r == nil {
		r = NewRow().rows
	}
	v.parse(r, setRow)
	single.Put(r)
	return v.reason
}

// parse does the work of Parse with r, which has one row, as scratch memory.
func (v *Parsed) parse(r *Rows, set func(Row)) {
	r.reasons[0] = KeyMissing // the memory may hold an earlier row
	set(Row{r, 0})
	v.copy(r, 0)
	if r.tables != nil {
		r.tables[0] = nil // a pooled row must not keep the table alive
	}
}

// copy sets v to row i of r.
func (v *Parsed) copy(r *Rows, i int) {
	v.flags, v.reason = r.flags[i], r.reasons[i]
	v.p, v.x, v.a, v.b = r.p[i], r.x[i], r.a[i], r.b[i]
	if v.d = (scalar.Scalar{}); r.d != nil {
		v.d = r.d[i]
	}
	if v.flags&unhashed != 0 {
		v.message = r.messages[i]
	}
}

// Take adds the row v to the batch.
func (b *Batch) Take(v *Parsed) {
	r, n := &b.rows, b.rows.Len()
	r.resize(n + 1)
	r.flags[n], r.reasons[n] = v.flags, v.reason
	r.p[n], r.x[n], r.a[n], r.b[n] = v.p, v.x, v.a, v.b
	if r.d != nil || v.d != (scalar.Scalar{}) {
		r.needDivisors()
		r.d[n] = v.d
	}
	if v.flags&unhashed != 0 {
		r.needMessages()
		r.messages[n] = v.message
	}
	if r.tables != nil {
		r.tables[n] = nil
	}
}
