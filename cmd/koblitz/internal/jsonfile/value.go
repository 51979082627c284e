package jsonfile

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Limits say how much of a value is kept.
type Limits struct {
	Bytes int // of its text without white space
	Items int // elements of the lists that are its fields, together; of itself if it is a list
	Inner int // elements of the lists farther inside, together
}

// A Value is one JSON value.
type Value struct {
	Text  []byte // without white space between its parts; nil if Over is set
	Place Place  // of its first byte
	Items int    // as in Limits
	Inner int
	Over  error // which limit it is over, if it is over one

	// Of the result of an answer (Elements):
	Path      string      // "result", the way to it
	Undefined rows.Fields // of the answer, which its format does not define
}

// refuse is the error for a value over the limits where there must not be one.
func (v *Value) refuse(r *Reader) error {
	if v.Over == nil {
		return nil
	}
	return r.FailAt(v.Place, fmt.Errorf("bad %s: a value of %w", r.what, v.Over))
}

// Value reads one value. One that is over the limits is read to its end like any
// other, and no more of it is held than the limits allow.
func (r *Reader) Value(l Limits) (v Value, err error) {
	v, _, err = r.ValueOr(l, nil)
	return v, err
}

// ValueOr offers the next value to take before it reads it as Value does. take gets what is in
// memory of the file from the value's first byte on, which is changed by the next read. It returns
// how many bytes make one value of JSON that it has read itself: the value is taken then, and has
// no text here. It returns 0 for all others, such as one that may go on.
func (r *Reader) ValueOr(l Limits, take func(text []byte) int) (v Value, taken bool, err error) {
	if err := r.value(); err != nil {
		return v, false, err
	}
	v.Place = r.Here()
	if take != nil {
		if n := take(r.buf[r.i:r.n]); n > 0 {
			r.line += bytes.Count(r.buf[r.i:r.i+n], []byte{'\n'})
			r.i += n
			return v, true, nil
		}
	}
	k := keeper{text: r.room[:0], limits: l}
	if err := r.collect(&k, (*Reader).scan); err != nil {
		return v, false, err
	}
	v.Items, v.Inner, v.Over = k.items, k.inner, k.over
	switch {
	case k.over != nil:
	case cap(k.text) <= BufferSize:
		r.room = k.text
		v.Text = bytes.Clone(k.text)
	default:
		v.Text = k.text
	}
	return v, false, nil
}

// A keeper collects the text of a value.
type keeper struct {
	text         []byte
	limits       Limits
	items, inner int
	over         error
}

func (k *keeper) add(b []byte) {
	if k.over != nil {
		return
	}
	need := len(k.text) + len(b)
	if need > k.limits.Bytes {
		k.refuse("more than %d bytes", k.limits.Bytes)
		return
	}
	if need > cap(k.text) {
		// At most twice what is there, and no more than it can become.
		grown := make([]byte, len(k.text), max(need, min(2*cap(k.text), k.limits.Bytes)))
		copy(grown, k.text)
		k.text = grown
	}
	k.text = append(k.text, b...)
}

// item counts an element of a list at that depth, from 1.
func (k *keeper) item(depth int) {
	n, limit := &k.items, k.limits.Items
	if depth > 2 {
		n, limit = &k.inner, k.limits.Inner
	}
	if *n++; *n > limit {
		k.refuse("more than %d elements in its lists", limit)
	}
}

func (k *keeper) refuse(format string, limit int) {
	if k.over == nil {
		k.over, k.text = fmt.Errorf(format, limit), nil
	}
}

// collect lets read pass over something, and gives k its text.
func (r *Reader) collect(k *keeper, read func(*Reader) error) error {
	r.keep, r.start = k, r.i
	err := read(r)
	r.flush()
	r.keep = nil
	return err
}

// flush gives the keeper what it has not yet got.
func (r *Reader) flush() {
	r.keep.add(r.buf[r.start:r.i])
	r.start = r.i
}
