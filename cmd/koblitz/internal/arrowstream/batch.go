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
// programs read them.
type walk struct {
	recordBatch
	body       []byte
	dictionary bool // the batch holds the values of a dictionary
	old        bool // the metadata version is below 5
}

// vectors returns the columns of a batch.
func (w *walk) vectors(fields []*field) (list []*vector, err error) {
	for _, f := range fields {
		a, err := w.vector(f)
		if err == nil && a.length != w.length {
			err = fmt.Errorf("it has %d rows, and its batch %d", a.length, w.length)
		}
		if err != nil {
			if w.dictionary {
				err = fmt.Errorf("its dictionary: %w", err)
			}
			return nil, fmt.Errorf("column %q: %w", columns.Short(f.name), err)
		}
		list = append(list, a)
	}
	if left := len(w.nodes) + len(w.buffers) + len(w.variadic); left > 0 {
		return nil, fmt.Errorf("%d nodes or buffers belong to no column", left)
	}
	return list, nil
}

// vector reads and checks the lengths, null counts and buffers of a column and of its nested
// columns.
func (w *walk) vector(f *field) (*vector, error) {
	a := &vector{field: f, indexes: f.dictionary != nil}
	var bitmapped bool
	count := 1 // number of buffers besides the bitmap and data buffers
	switch kind := f.kind; {
	case a.indexes:
		bitmapped = true
	case kind == typeNull || kind == typeRunEnds:
		count = 0
	case kind == typeUnion:
		if f.dense {
			count = 2
		}
	default:
		bitmapped = true
		switch kind {
		case typeStruct, typeFixedList:
			count = 0
		case typeBinary, typeText, typeLargeBinary, typeLargeText, typeListView, typeLargeViews:
			count = 2
		}
	}
	if !bitmapped && f.kind != typeNull && (w.dictionary || w.old) {
		return nil, fmt.Errorf("%v in a dictionary or before version 5 of Arrow's metadata", f)
	}
	if len(w.nodes) == 0 {
		return nil, errBroken
	}
	node := w.nodes[0]
	w.nodes = w.nodes[1:]
	if a.length = node[0]; a.length < 0 || a.length > maxBody*8 {
		return nil, fmt.Errorf("%d rows", a.length)
	}
	if bitmapped {
		if err := w.bitmap(a); err != nil {
			return nil, err
		}
	}
	if nulls := a.nulls(); nulls != node[1] {
		return nil, fmt.Errorf("%d cells are null, and it says %d", nulls, node[1])
	}
	for range count {
		b, err := w.buffer()
		if err != nil {
			return nil, err
		}
		a.buffers = append(a.buffers, b)
	}
	if !a.indexes {
		if err := w.inside(a); err != nil {
			return nil, err
		}
	}
	return a, a.check()
}

// inside reads the nested columns of the column a, and its data buffers if its values are views.
func (w *walk) inside(a *vector) error {
	if a.field.kind == typeBinaryView || a.field.kind == typeTextView {
		if len(w.variadic) == 0 {
			return errBroken
		}
		n := w.variadic[0]
		w.variadic = w.variadic[1:]
		for range n {
			b, err := w.buffer()
			if err != nil {
				return err
			}
			a.data = append(a.data, b)
		}
	}
	for _, f := range a.field.children {
		child, err := w.vector(f)
		if err != nil {
			return err
		}
		a.children = append(a.children, child)
	}
	return nil
}

// bitmap reads the validity bitmap of the column a.
func (w *walk) bitmap(a *vector) error {
	b, err := w.buffer()
	if err != nil || len(b) == 0 {
		return err
	}
	if int64(len(b)) < (a.length+7)/8 {
		return fmt.Errorf("a bitmap of %d bytes for %d rows", len(b), a.length)
	}
	a.valid = b
	return nil
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
func (w *walk) buffer() ([]byte, error) {
	if len(w.buffers) == 0 {
		return nil, errBroken
	}
	offset, size, have := w.buffers[0][0], w.buffers[0][1], int64(len(w.body))
	w.buffers = w.buffers[1:]
	switch {
	case offset < 0 || size < 0 || offset > have || size > have-offset:
		return nil, fmt.Errorf("a buffer of %d bytes at byte %d of %d", size, offset, have)
	case offset%8 != 0:
		return nil, fmt.Errorf("a buffer at byte %d, which is no multiple of 8", offset)
	}
	return w.body[offset : offset+size], nil
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
func holds(b []byte, bits, n int64) error {
	if int64(len(b))*8/bits < n {
		return fmt.Errorf("a buffer of %d bytes for %d values", len(b), n)
	}
	return nil
}

// check checks the elements in the buffers of the column a. Text may be invalid UTF-8, so that one
// such cell cannot prevent the verdicts on other rows.
func (a *vector) check() error {
	f := a.field
	if a.indexes {
		return a.checkIndexes()
	}
	switch f.kind {
	case typeNull:
	case typeBinary, typeText, typeLargeBinary, typeLargeText:
		return a.checkOffsets(int64(len(a.buffers[1])))
	case typeList, typeLargeList, typeMap:
		return a.checkOffsets(a.children[0].length)
	case typeListView, typeLargeViews:
		return a.checkListViews(a.children[0].length)
	case typeBinaryView, typeTextView:
		return a.checkViews()
	case typeFixedList:
		return a.children[0].atLeast(a.length, f.size)
	case typeStruct:
		for _, c := range a.children {
			if err := c.atLeast(a.length, 1); err != nil {
				return err
			}
		}
	case typeUnion:
		return a.checkUnion()
	case typeRunEnds:
		return a.checkRuns()
	default:
		return holds(a.buffers[0], f.bits, a.length)
	}
	return nil
}

// atLeast checks that the column a is long enough for n lists of equal size. The argument size is
// the number of values in each list.
func (a *vector) atLeast(n, size int64) error {
	if a.length/size < n {
		return fmt.Errorf("%d values inside of %d", a.length, n)
	}
	return nil
}

// checkOffsets checks that the offsets of the column a never decrease and do not exceed limit.
func (a *vector) checkOffsets(limit int64) error {
	if a.length == 0 {
		return nil
	}
	offsets, bits := a.buffers[0], a.field.bits
	if err := holds(offsets, bits, a.length+1); err != nil {
		return err
	}
	last := int64(0)
	for i := range a.length + 1 {
		o := integer(offsets, bits, i)
		if o < last || o > limit {
			return fmt.Errorf("a value at %d, after %d, of %d", o, last, limit)
		}
		last = o
	}
	return nil
}

// checkListViews checks that every list of the column a, even a null one, lies within its child
// column. limit is the number of values of the child column.
func (a *vector) checkListViews(limit int64) error {
	bits := a.field.bits
	for _, b := range a.buffers {
		if err := holds(b, bits, a.length); err != nil {
			return err
		}
	}
	for i := range a.length {
		o, n := integer(a.buffers[0], bits, i), integer(a.buffers[1], bits, i)
		if o < 0 || n < 0 || o > limit || n > limit-o {
			return fmt.Errorf("a list of %d values that begins at %d of %d", n, o, limit)
		}
	}
	return nil
}

// inlineView is the maximum length of a value that is stored in its view.
const inlineView = 12

// checkViews checks that every view that is not null refers to bytes inside the column's data
// buffers.
func (a *vector) checkViews() error {
	if err := holds(a.buffers[0], 128, a.length); err != nil {
		return err
	}
	for i := range a.length {
		if a.isNull(i) {
			continue
		}
		v := a.buffers[0][16*i : 16*i+16]
		n := integer(v, 32, 0)
		if n >= 0 && n <= inlineView {
			if len(bytes.TrimRight(v[4+n:], "\x00")) > 0 {
				return errors.New("a view with bytes after its value")
			}
			continue
		}
		k, o := integer(v, 32, 2), integer(v, 32, 3)
		if n < 0 || k < 0 || k >= int64(len(a.data)) || o < 0 || n > int64(len(a.data[k]))-o {
			return fmt.Errorf("a view of %d bytes at byte %d of buffer %d", n, o, k)
		}
		if !bytes.Equal(v[4:8], a.data[k][o:o+4]) {
			return errors.New("a view that begins unlike its value")
		}
	}
	return nil
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

// checkUnion checks the type codes of a union. In a dense union, it also checks that the offsets
// into each child never decrease.
func (a *vector) checkUnion() error {
	f := a.field
	var child [maxCodes]*vector
	for i, code := range f.codes {
		child[code] = a.children[i]
		if !f.dense {
			if err := a.children[i].atLeast(a.length, 1); err != nil {
				return err
			}
		}
	}
	err := holds(a.buffers[0], 8, a.length)
	if err == nil && f.dense {
		err = holds(a.buffers[1], 32, a.length)
	}
	if err != nil {
		return err
	}
	var last [maxCodes]int64
	for i := range a.length {
		code := integer(a.buffers[0], 8, i)
		if code < 0 || child[code] == nil {
			return fmt.Errorf("a value of a union with code %d", code)
		}
		if !f.dense {
			continue
		}
		o := integer(a.buffers[1], 32, i)
		if o < last[code] || o >= child[code].length {
			return fmt.Errorf("a value at %d, after %d, of %d", o, last[code], child[code].length)
		}
		last[code] = o
	}
	return nil
}

// checkRuns checks that the run ends of a run-end encoded column a increase, and that the last of
// them is at least the length of the column a.
func (a *vector) checkRuns() error {
	ends, values := a.children[0], a.children[1]
	if ends.nulls() > 0 || ends.length > values.length {
		return fmt.Errorf("%d ends of runs, %d of them null, for %d values", ends.length,
			ends.nulls(), values.length)
	}
	last := int64(0)
	for i := range ends.length {
		end := integer(ends.buffers[0], a.field.bits, i)
		if end <= last {
			return fmt.Errorf("a run that ends at %d, after one that ends at %d", end, last)
		}
		last = end
	}
	if last < a.length {
		return fmt.Errorf("the last run ends at %d of %d", last, a.length)
	}
	return nil
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
func (a *vector) checkIndexes() error {
	if err := holds(a.buffers[0], a.field.indexBits, a.length); err != nil {
		return err
	}
	values := a.field.dictionary.values
	if values == nil {
		if a.length == 0 {
			return nil
		}
		return errors.New("its dictionary has not come before it")
	}
	for i := range a.length {
		if a.isNull(i) {
			continue
		}
		if k := a.index(i); k < 0 || k >= values.length {
			return fmt.Errorf("entry %d of a dictionary of %d", k, values.length)
		}
	}
	return values.again()
}

// again repeats the check of the indexes nested in the values of a dictionary, because the
// dictionary that they refer to may have been replaced.
func (a *vector) again() error {
	for _, c := range a.children {
		err := c.again()
		if c.indexes {
			err = c.checkIndexes()
		}
		if err != nil {
			return fmt.Errorf("its dictionary: %w", err)
		}
	}
	return nil
}
