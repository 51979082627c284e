package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Rows are parsed signatures, or keys, as a struct of arrays. Parsing sets a row, and every later
// step reads and writes it in place, until the row has a verdict. Rows take some 200 bytes a row,
// and refer to no memory of the caller except tables of prepared keys.
//
// The multiple of a row is the point (a/d)·G + (b/d)·p. Schemes without a divisor d compute a·G +
// b·p. The comment on each scheme defines its a, b, d and p.
//
// The zero value has no rows. Several goroutines may work on different rows at a time.
type Rows struct {
	flags    []flags
	verdicts []Verdict
	reasons  []Reason // why the row is not valid, or NoReason

	p    []point.Affine  // the point that is multiplied
	a, b []scalar.Scalar // the factors of G and of p
	d    []scalar.Scalar // the divisor; nil if no row ever had one
	x    []field.Element // the x coordinate that the multiple must have; BIP-340, CheckTweaks

	messages [][32]byte            // of rows with the flag unhashed; nil if no row ever had it
	tables   []*vartime.SplitTable // by row, the key's table or nil; nil if no key ever had one
}

// flags hold facts about a row that its numbers do not show.
type flags uint8

const (
	lift     flags = 1 << iota // y of p is missing, and zero
	odd                        // with lift: find the odd y
	high                       // the row is invalid, because its s is above n/2
	unhashed                   // b is missing: the message must be hashed for it

	// The bits from idShift on hold 1 + the recovery id of an ECDSA signature, or 0 if no id is
	// known. In CheckTweaks they hold 1 + the parity of y that the multiple must have.
	idShift = iota
)

// id returns 1 + the recovery id, or 0 if no id is known.
func (f flags) id() uint8 { return uint8(f >> idShift) }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.flags) }

// resize sets the number of rows to n. All rows hold old values of the memory, for the caller to
// overwrite.
func (r *Rows) resize(n int) {
	if n > cap(r.flags) {
		*r = newRows(n)
		return
	}
	r.flags, r.verdicts, r.reasons = r.flags[:n], r.verdicts[:n], r.reasons[:n]
	r.p, r.x, r.a, r.b = r.p[:n], r.x[:n], r.a[:n], r.b[:n]
	r.d, r.messages, r.tables = slice(r.d, 0, n), slice(r.messages, 0, n), slice(r.tables, 0, n)
}

// newRows returns n rows of zeros.
func newRows(n int) Rows {
	scalars := make([]scalar.Scalar, 2*n)
	return Rows{
		flags:    make([]flags, n),
		verdicts: make([]Verdict, n),
		reasons:  make([]Reason, n),
		p:        make([]point.Affine, n),
		x:        make([]field.Element, n),
		a:        scalars[:n:n],
		b:        scalars[n:],
	}
}

func (r *Rows) needDivisors() { need(r, &r.d) }
func (r *Rows) needMessages() { need(r, &r.messages) }
func (r *Rows) needTables()   { need(r, &r.tables) }

// need sets a slice of r that is nil to one with an element for each row.
func need[T any](r *Rows, slice *[]T) {
	if *slice == nil {
		*slice = make([]T, r.Len(), cap(r.flags))
	}
}

// forgetTables drops all tables, even beyond the length of the slice, because pooled rows must not
// keep them alive.
func (r *Rows) forgetTables() { clear(r.tables[:cap(r.tables)]) }

// window sets w to the rows from lo to hi of r, which share memory with r. A Rows passed by value
// would take 250 bytes of stack in each function, and each of a thousand callers of a queue has a
// stack.
func (r *Rows) window(w *Rows, lo, hi int) {
	w.flags, w.verdicts, w.reasons = r.flags[lo:hi], r.verdicts[lo:hi], r.reasons[lo:hi]
	w.p, w.x, w.a, w.b = r.p[lo:hi], r.x[lo:hi], r.a[lo:hi], r.b[lo:hi]
	w.d, w.messages, w.tables = slice(r.d, lo, hi), slice(r.messages, lo, hi), slice(r.tables, lo, hi)
}

// slice returns s[lo:hi], or nil if s is nil.
func slice[T any](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi]
}

// gather sets r to copies of the rows of s whose numbers are in list. It copies messages only of
// rows that need them.
func (r *Rows) gather(s *Rows, list []int) {
	r.resize(len(list))
	if s.d != nil {
		r.needDivisors()
	}
	if s.messages != nil {
		r.needMessages()
	}
	if s.tables != nil {
		r.needTables()
	} else {
		clear(r.tables)
	}
	for k, i := range list {
		r.flags[k], r.verdicts[k], r.reasons[k] = s.flags[i], s.verdicts[i], s.reasons[i]
		r.p[k], r.x[k], r.a[k], r.b[k] = s.p[i], s.x[i], s.a[i], s.b[i]
		if s.d != nil {
			r.d[k] = s.d[i]
		}
		if s.flags[i]&unhashed != 0 {
			r.messages[k] = s.messages[i]
		}
		if s.tables != nil {
			r.tables[k] = s.tables[i]
		}
	}
}

// refuse sets the verdict of row i for a reason why it is not valid.
func (r *Rows) refuse(i int, why Reason) { r.verdicts[i], r.reasons[i] = why.Verdict(), why }

// unchecked returns the numbers of the rows without a verdict, in order, in the memory of list.
func (r *Rows) unchecked(list []int) []int {
	list = list[:0]
	for i, v := range r.verdicts {
		if v == Unchecked {
			list = append(list, i)
		}
	}
	return list
}

// isUndecided reports whether the verdict on row i takes a multiplication. It is false if the row
// has a verdict. It is also false if s is too high: the row is then invalid, or malformed if its
// key cannot be lifted.
func (r *Rows) isUndecided(i int) bool {
	return r.verdicts[i] == Unchecked && r.flags[i]&high == 0
}

// isOdd reports whether the point p of row i has an odd y coordinate.
func (r *Rows) isOdd(i int) bool {
	if f := r.flags[i]; f&lift != 0 {
		return f&odd != 0
	}
	return r.p[i].Y.IsOdd().Bool()
}
