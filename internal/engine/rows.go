package engine

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Rows are parsed signatures, or keys, as a struct of arrays. A [Row] sets one of them,
// and every step of this package reads and writes them where they are. They take some
// 200 bytes a row and hold no reference to what was parsed, except to tables of prepared
// keys.
//
// The zero value has no rows. Goroutines may work on different rows at a time; what adds
// rows or makes room is for one goroutine alone.
type Rows struct {
	flags    []flags
	verdicts []Verdict // Unchecked if parsing came to none

	p    []point.Affine  // the key, or the nonce point in recovery
	x    []field.Element // of the nonce point; r as it was written, in ECDSA
	a, b []scalar.Scalar // see below

	messages [][32]byte            // of rows with the flag unhashed; nil if none ever was
	tables   []*vartime.SplitTable // tables of the keys, or nil; nil if no key ever had one
}

// The point of a row is a·G + b·p. Divisions are left to later steps, for many rows at
// a time: ECDSA has a = z and b = s, where z/s and r/s are wanted, and recovery a = −z
// and b = s, where −z/r and s/r are.

// flags say of a row what its numbers do not.
type flags uint8

const (
	lift     flags = 1 << iota // only x of p is known: y is zero
	odd                        // with lift: the y that is wanted is odd
	high                       // s is above n/2 where that makes the row invalid
	unhashed                   // b is missing: the challenge for the message

	// 1 + the recovery id of an ECDSA signature stands above these; 0 if none is known.
	idShift = iota
)

// id returns 1 + the recovery id, or 0.
func (f flags) id() uint8 { return uint8(f >> idShift) }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.flags) }

// resize sets the number of rows to n. Those that were there before stay if n is no
// smaller, and new ones hold anything.
func (r *Rows) resize(n int) {
	r.flags, r.verdicts = resize(r.flags, n), resize(r.verdicts, n)
	r.p, r.x, r.a, r.b = resize(r.p, n), resize(r.x, n), resize(r.a, n), resize(r.b, n)
	if r.messages != nil {
		r.messages = resize(r.messages, n)
	}
	if r.tables != nil {
		r.tables = resize(r.tables, n)
	}
}

func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}

// reserve makes room for n rows in all. Unlike resize, which doubles it, it takes no
// more memory than that.
func (r *Rows) reserve(n int) {
	if n <= cap(r.flags) {
		return
	}
	old := *r
	*r = newRows(n)
	r.resize(old.Len())
	for i := range old.flags {
		r.set(i, &old, i)
	}
}

// newRows returns n rows that hold nothing.
func newRows(n int) Rows {
	scalars := make([]scalar.Scalar, 2*n)
	return Rows{
		flags:    make([]flags, n),
		verdicts: make([]Verdict, n),
		p:        make([]point.Affine, n),
		x:        make([]field.Element, n),
		a:        scalars[:n:n],
		b:        scalars[n:],
	}
}

// needMessages makes room for messages, as long as there is room for rows.
func (r *Rows) needMessages() {
	if r.messages == nil {
		r.messages = make([][32]byte, r.Len(), cap(r.flags))
	}
}

// needTables makes room for tables, as long as there is room for rows.
func (r *Rows) needTables() {
	if r.tables == nil {
		r.tables = make([]*vartime.SplitTable, r.Len(), cap(r.flags))
	}
}

// forgetTables drops all tables, those behind the last row too, which a pool must not keep alive.
func (r *Rows) forgetTables() { clear(r.tables[:cap(r.tables)]) }

// window returns the rows from lo to hi. What is done with them is done with r's.
func (r *Rows) window(lo, hi int) (w Rows) {
	r.windowTo(&w, lo, hi)
	return w
}

// windowTo sets w to what window returns. Rows by value are 200 bytes of stack for each function
// that hands them on, and a thousand callers of a queue have a stack each.
func (r *Rows) windowTo(w *Rows, lo, hi int) {
	w.flags, w.verdicts = r.flags[lo:hi], r.verdicts[lo:hi]
	w.p, w.x, w.a, w.b = r.p[lo:hi], r.x[lo:hi], r.a[lo:hi], r.b[lo:hi]
	w.messages, w.tables = nil, nil
	if r.messages != nil {
		w.messages = r.messages[lo:hi]
	}
	if r.tables != nil {
		w.tables = r.tables[lo:hi]
	}
}

// gather makes r copies of the rows of s that are in list.
func (r *Rows) gather(s *Rows, list []int) {
	r.resize(len(list))
	for k, i := range list {
		r.set(k, s, i)
	}
}

// set sets row k to a copy of row i of s.
func (r *Rows) set(k int, s *Rows, i int) {
	r.flags[k], r.verdicts[k] = s.flags[i], s.verdicts[i]
	r.p[k], r.x[k], r.a[k], r.b[k] = s.p[i], s.x[i], s.a[i], s.b[i]
	if s.flags[i]&unhashed != 0 {
		r.needMessages()
		r.messages[k] = s.messages[i]
	}
	switch {
	case s.tables != nil:
		r.needTables()
		r.tables[k] = s.tables[i]
	case r.tables != nil:
		r.tables[k] = nil
	}
}

// hash sets the missing challenges of BIP-340 of the rows from lo to hi, sixteen at a
// time, which takes a quarter of the time where there are vectors of 512 bits.
func (r *Rows) hash(lo, hi int) {
	if r.messages == nil {
		return
	}
	var list [hash.Sixteen]int
	n := 0
	for i := lo; i < hi; i++ {
		if r.flags[i]&unhashed == 0 {
			continue
		}
		list[n] = i
		if n++; n == len(list) {
			r.hashSixteen(list[:])
			n = 0
		}
	}
	if n > 0 {
		r.hashSixteen(list[:n])
	}
}

// hashSixteen sets the challenges of the rows in list, of which there are at most
// sixteen.
func (r *Rows) hashSixteen(list []int) {
	var e [hash.Sixteen][32]byte
	var nonces, keys, messages [32 * hash.Sixteen]byte
	for k, i := range list {
		r.x[i].PutBytes((*[32]byte)(nonces[32*k:]))
		r.p[i].X.PutBytes((*[32]byte)(keys[32*k:]))
		copy(messages[32*k:], r.messages[i][:])
	}
	if len(list) < profile.Current().Challenges {
		for k := range list {
			m := messages[32*k : 32*k+32]
			hash.Challenge(&e[k], (*[32]byte)(nonces[32*k:]), (*[32]byte)(keys[32*k:]), m)
		}
	} else {
		// Columns past the list hold zeros: sixteen hashes cost the same, and the
		// results of the others are dropped.
		column := func(b []byte) hash.Rows { return hash.Rows{Data: b, Stride: 32} }
		hash.Challenges(&e, column(nonces[:]), column(keys[:]), column(messages[:]))
	}
	for k, i := range list {
		Row{r, i}.SetChallenge(&e[k])
	}
}
