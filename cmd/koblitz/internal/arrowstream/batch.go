package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// A vector holds the values of a column in a batch.
type vector struct {
	field   *field
	length  int64
	valid   []byte   // one bit for each value; 0 marks a null. nil if no value is null
	buffers [][]byte // all buffers except valid and data
	data    [][]byte // data buffers of views
}

// vectors returns the columns of the batch m. It compares the lengths and null counts of the batch
// with each other, with the types of the columns and with the buffers. It also checks columns that
// Run only passes on, because other programs read them.
func (m message) vectors(fields []*field) (list []*vector, err error) {
	for _, f := range fields {
		if err := catch(func() { list = append(list, m.vector(f)) }); err != nil {
			return nil, fmt.Errorf("column %+q: %w", columns.Short(f.name), err)
		}
	}
	if left := len(m.Nodes) + len(m.Buffers) + len(m.Variadic); left > 0 {
		return nil, fmt.Errorf("%d nodes or buffers belong to no column", left)
	}
	return list, nil
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

// vector removes the node and the buffers of a column from m, and checks them. It calls fail with
// an error, as do the next functions. Text may be invalid UTF-8, so that one such cell cannot
// prevent the verdicts on other rows.
func (m *message) vector(f *field) *vector {
	node := take(&m.Nodes)
	a := &vector{field: f, length: node[0]}
	if a.length != m.Length {
		fail(fmt.Errorf("it has %d rows, and its batch %d", a.length, m.Length))
	}
	if f.kind != typeNull {
		if b := m.buffer(); len(b) > 0 {
			a.valid = b
			checkLength(b, 1, a.length)
		}
	}
	if nulls := a.nulls(); nulls != node[1] {
		fail(fmt.Errorf("%d cells are null, and it says %d", nulls, node[1]))
	}
	for range f.buffers {
		a.buffers = append(a.buffers, m.buffer())
	}
	switch {
	case f.kind == typeNull:
	case f.kind == typeBinaryView || f.kind == typeTextView:
		for range take(&m.Variadic) {
			a.data = append(a.data, m.buffer())
		}
		a.checkViews()
	case f.buffers == 2:
		a.checkOffsets()
	default:
		checkLength(a.buffers[0], f.bits, a.length)
	}
	return a
}

// nulls counts the nulls of the column a.
func (a *vector) nulls() int64 {
	if a.field.kind == typeNull {
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
func (m *message) buffer() []byte {
	next := take(&m.Buffers)
	offset, size, have := next[0], next[1], int64(len(m.body))
	switch {
	case offset < 0 || size < 0 || offset > have || size > have-offset:
		fail(fmt.Errorf("a buffer of %d bytes at byte %d of %d", size, offset, have))
	case offset%8 != 0:
		fail(fmt.Errorf("a buffer at byte %d, which is no multiple of 8", offset))
	}
	return m.body[offset : offset+size]
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

// checkLength checks that a buffer is long enough for n elements of the given size in bits.
func checkLength(b []byte, bits, n int64) {
	if int64(len(b))*8/bits < n {
		fail(fmt.Errorf("a buffer of %d bytes for %d values", len(b), n))
	}
}

// checkOffsets checks that the offsets of the column a never decrease and lie inside its values.
func (a *vector) checkOffsets() {
	if a.length == 0 {
		return
	}
	offsets, bits, limit := a.buffers[0], a.field.bits, int64(len(a.buffers[1]))
	checkLength(offsets, bits, a.length+1)
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
	checkLength(a.buffers[0], 128, a.length)
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

// cell returns the value in row i of a readable column, or false if the value is null.
func (a *vector) cell(i int64) ([]byte, bool) {
	if a.isNull(i) {
		return nil, false
	}
	switch f := a.field; f.kind {
	case typeBinaryView, typeTextView:
		return a.view(i), true
	case typeFixedBinary:
		n := f.bits / 8
		return a.buffers[0][n*i : n*i+n], true
	case typeNull:
		return nil, false
	}
	offsets, bits := a.buffers[0], a.field.bits
	return a.buffers[1][integer(offsets, bits, i):integer(offsets, bits, i+1)], true
}
