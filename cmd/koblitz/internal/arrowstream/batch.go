package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// A vector holds the values of a column in a batch or in a dictionary.
type vector struct {
	field    *field
	indexes  bool // the values are indexes into the field's dictionary
	length   int64
	valid    []byte   // one bit for each value; 0 marks a null. nil if no value is null
	buffers  [][]byte // all buffers except valid and data
	data     [][]byte // data buffers of views
	children []*vector
}

// A walk compares the lengths and null counts of a batch with each other, with the types of its
// columns and with its buffers. It also checks columns that Run only passes on, because other
// programs read them. Methods without an error call fail.
type walk struct {
	recordBatch
	body []byte
}

// columns returns the columns of a batch.
func (w *walk) columns(fields []*field) (list []*vector, err error) {
	for _, f := range fields {
		if err := catch(func() { list = append(list, w.whole(f, f.indexed)) }); err != nil {
			return nil, fmt.Errorf("column %q: %w", columns.Short(f.label), err)
		}
	}
	return list, w.ended()
}

// dictionary returns the values of the dictionary of the column f.
func (w *walk) dictionary(f *field) (a *vector, err error) {
	if err := catch(func() { a = w.whole(f, false) }); err != nil {
		return nil, fmt.Errorf("column %q: its dictionary: %w", columns.Short(f.label), err)
	}
	return a, w.ended()
}

// whole returns a column that must have as many rows as its batch.
func (w *walk) whole(f *field, indexes bool) *vector {
	a := w.vector(f, indexes)
	if a.length != w.length {
		fail(fmt.Errorf("it has %d rows, and its batch %d", a.length, w.length))
	}
	return a
}

// ended returns an error if the batch has more nodes or buffers than its columns.
func (w *walk) ended() error {
	if left := len(w.nodes) + len(w.buffers) + len(w.variadic); left > 0 {
		return fmt.Errorf("%d nodes or buffers belong to no column", left)
	}
	return nil
}

// take removes the first element of list and returns it.
func take[T any](list *[]T) T {
	if len(*list) == 0 {
		fail(errBroken)
	}
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

// vector reads and checks the lengths, null counts and buffers of a column and of its nested
// columns.
func (w *walk) vector(f *field, indexes bool) *vector {
	node := take(&w.nodes)
	a := &vector{field: f, indexes: indexes, length: node[0]}
	if a.length < 0 || a.length > maxBody*8 {
		fail(fmt.Errorf("%d rows", a.length))
	}
	if indexes || f.kind != typeNull {
		if b := w.buffer(); len(b) > 0 {
			a.valid = b
			holds(b, 1, a.length)
		}
	}
	if nulls := a.nulls(); nulls != node[1] {
		fail(fmt.Errorf("%d cells are null, and it says %d", nulls, node[1]))
	}
	if indexes {
		a.buffers = [][]byte{w.buffer()}
		a.checkIndexes()
		return a
	}
	for range f.buffers {
		a.buffers = append(a.buffers, w.buffer())
	}
	if f.kind == typeBinaryView || f.kind == typeTextView {
		for range take(&w.variadic) {
			a.data = append(a.data, w.buffer())
		}
	}
	for _, inner := range f.children {
		a.children = append(a.children, w.vector(inner, inner.indexed))
	}
	a.check()
	return a
}

// nulls counts the nulls of the column a.
func (a *vector) nulls() int64 {
	if a.field.kind == typeNull && !a.indexes {
		return a.length
	}
	if a.valid == nil {
		return 0
	}
	set := 0
	for _, b := range a.valid[:a.length/8] {
		set += bits.OnesCount8(b)
	}
	if n := a.length % 8; n > 0 {
		set += bits.OnesCount8(a.valid[a.length/8] & (1<<n - 1))
	}
	return a.length - int64(set)
}

// isNull reports whether value i of the column is null.
func (a *vector) isNull(i int64) bool {
	return a.valid != nil && a.valid[i/8]>>(i%8)&1 == 0
}

// buffer returns the batch's next buffer, which must lie inside the body of the message.
func (w *walk) buffer() []byte {
	next := take(&w.buffers)
	offset, size, have := next[0], next[1], int64(len(w.body))
	switch {
	case offset < 0 || size < 0 || offset > have || size > have-offset:
		fail(fmt.Errorf("a buffer of %d bytes at byte %d of %d", size, offset, have))
	case offset%8 != 0:
		fail(fmt.Errorf("a buffer at byte %d, which is no multiple of 8", offset))
	}
	return w.body[offset : offset+size]
}

// integer returns element i of a buffer of signed integers.
func integer(b []byte, bits, i int64) int64 {
	switch bits {
	case 8:
		return int64(int8(b[i]))
	case 16:
		return int64(int16(binary.LittleEndian.Uint16(b[2*i:])))
	case 32:
		return int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(b[8*i:]))
}

// holds checks that a buffer has room for n elements of the given size in bits.
func holds(b []byte, bits, n int64) {
	if int64(len(b))*8/bits < n {
		fail(fmt.Errorf("a buffer of %d bytes for %d values", len(b), n))
	}
}

// check checks the elements in the buffers of the column a. Text may be invalid UTF-8, so that one
// such cell cannot prevent the verdicts on other rows.
func (a *vector) check() {
	switch f := a.field; f.kind {
	case typeNull:
	case typeBinary, typeText, typeLargeBinary, typeLargeText:
		a.checkOffsets(int64(len(a.buffers[1])))
	case typeList, typeLargeList, typeMap:
		a.checkOffsets(a.children[0].length)
	case typeBinaryView, typeTextView:
		a.checkViews()
	case typeFixedList:
		a.children[0].atLeast(a.length, f.size)
	case typeStruct:
		for _, c := range a.children {
			c.atLeast(a.length, 1)
		}
	default:
		holds(a.buffers[0], f.bits, a.length)
	}
}

// atLeast checks that the column a is long enough for n lists of equal size. The argument size is
// the number of values in each list.
func (a *vector) atLeast(n, size int64) {
	if a.length/size < n {
		fail(fmt.Errorf("%d values inside of %d", a.length, n))
	}
}

// checkOffsets checks that the offsets of the column a never decrease and do not exceed limit.
func (a *vector) checkOffsets(limit int64) {
	if a.length == 0 {
		return
	}
	offsets, bits := a.buffers[0], a.field.bits
	holds(offsets, bits, a.length+1)
	last := int64(0)
	for i := range a.length + 1 {
		o := integer(offsets, bits, i)
		if o < last || o > limit {
			fail(fmt.Errorf("a value at %d, after %d, of %d", o, last, limit))
		}
		last = o
	}
}

// inlineView is the maximum length of a value that is stored in its view.
const inlineView = 12

// checkViews checks that every view that is not null refers to bytes inside the column's data
// buffers.
func (a *vector) checkViews() {
	holds(a.buffers[0], 128, a.length)
	for i := range a.length {
		if a.isNull(i) {
			continue
		}
		v := a.buffers[0][16*i : 16*i+16]
		n := integer(v, 32, 0)
		if n >= 0 && n <= inlineView {
			if len(bytes.TrimRight(v[4+n:], "\x00")) > 0 {
				fail(errors.New("a view with bytes after its value"))
			}
			continue
		}
		k, o := integer(v, 32, 2), integer(v, 32, 3)
		if n < 0 || k < 0 || k >= int64(len(a.data)) || o < 0 || n > int64(len(a.data[k]))-o {
			fail(fmt.Errorf("a view of %d bytes at byte %d of buffer %d", n, o, k))
		}
		if !bytes.Equal(v[4:8], a.data[k][o:o+4]) {
			fail(errors.New("a view that begins unlike its value"))
		}
	}
}

// view returns the bytes to which element i of a column of views refers.
func (a *vector) view(i int64) []byte {
	v := a.buffers[0][16*i : 16*i+16]
	n := integer(v, 32, 0)
	if n <= inlineView {
		return v[4 : 4+n]
	}
	o := integer(v, 32, 3)
	return a.data[integer(v, 32, 2)][o : o+n]
}

// index returns the dictionary index of value i.
func (a *vector) index(i int64) (k int64) {
	k = integer(a.buffers[0], a.field.indexBits, i)
	if bits := a.field.indexBits; !a.field.indexSigned && bits < 64 {
		k &= 1<<bits - 1
	}
	return k
}

// checkIndexes checks that every index that is not null refers to a value of the column's
// dictionary.
func (a *vector) checkIndexes() {
	holds(a.buffers[0], a.field.indexBits, a.length)
	values := a.field.values
	if values == nil {
		if a.length > 0 {
			fail(errors.New("its dictionary has not come before it"))
		}
		return
	}
	for i := range a.length {
		if a.isNull(i) {
			continue
		}
		if k := a.index(i); k < 0 || k >= values.length {
			fail(fmt.Errorf("entry %d of a dictionary of %d", k, values.length))
		}
	}
}

// readable reports whether a column holds bytes or text, or only nulls.
func (f *field) readable() bool {
	switch f.kind {
	case typeBinary, typeLargeBinary, typeFixedBinary, typeBinaryView, typeNull:
		return true
	}
	return f.text()
}

// text reports whether a column holds text.
func (f *field) text() bool {
	return f.kind == typeText || f.kind == typeLargeText || f.kind == typeTextView
}

// cell returns the value in row i of a readable column, or false if the value is null.
func (a *vector) cell(i int64) ([]byte, bool) {
	if a.isNull(i) {
		return nil, false
	}
	f := a.field
	if a.indexes {
		return f.values.cell(a.index(i))
	}
	switch f.kind {
	case typeBinaryView, typeTextView:
		return a.view(i), true
	case typeFixedBinary:
		n := f.bits / 8
		return a.buffers[0][n*i : n*i+n], true
	case typeNull:
		return nil, false
	}
	return a.buffers[1][integer(a.buffers[0], f.bits, i):integer(a.buffers[0], f.bits, i+1)], true
}
