package reading

import (
	"bytes"
	"fmt"
)

// Limits limit the values that are kept in memory.
type Limits struct {
	Bytes int // maximum length of the text without white space
	Items int // maximum number of elements in the value, or in its fields' lists
	Inner int // maximum number of elements in all lists nested deeper
}

// A Value is one JSON value.
type Value struct {
	Text  []byte   // text without white space; nil if Over is set
	Place Position // position of the value's first byte
	Items int      // Items and Inner are counts, as in Limits
	Inner int
	Over  error // error for the limit that the value exceeds, or nil
}

// refuse returns an error if v exceeds the limits. r states the kind of value and the position.
func (v *Value) refuse(r *JSON) error {
	if v.Over == nil {
		return nil
	}
	return r.FailAt(v.Place, fmt.Errorf("bad %s: a value of %w", r.what, v.Over))
}

// Value reads one value. If the value exceeds the limits, Value still reads to its end, but returns
// no text.
func (r *JSON) Value(l Limits) (v Value, err error) {
	if err := r.value(); err != nil {
		return v, err
	}
	v.Place = r.Here()
	k := keeper{text: r.room[:0], limits: l}
	if err := r.collect(&k, (*JSON).scan); err != nil {
		return v, err
	}
	v.Items, v.Inner, v.Over = k.items, k.inner, k.over
	switch {
	case k.over != nil:
	case cap(k.text) <= bufferSize:
		r.room = k.text
		v.Text = bytes.Clone(k.text)
	default:
		v.Text = k.text
	}
	return v, nil
}

// A keeper collects the text of a value, and counts the elements of its lists.
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
		// Grow the text to at most twice the capacity but no more than the limit, unless b alone
		// needs more.
		grown := make([]byte, len(k.text), max(need, min(2*cap(k.text), k.limits.Bytes)))
		copy(grown, k.text)
		k.text = grown
	}
	k.text = append(k.text, b...)
}

// item counts an element of a list. depth is the list's nesting depth in the value, from 1.
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

// collect calls the function read, which skips a value, and stores the value's text in k.
func (r *JSON) collect(k *keeper, read func(*JSON) error) error {
	r.keep, r.start = k, r.i
	err := read(r)
	r.flush()
	r.keep = nil
	return err
}

// flush adds the bytes that were consumed since the last flush to the text that r.keep collects.
func (r *JSON) flush() {
	r.keep.add(r.buf[r.start:r.i])
	r.start = r.i
}
