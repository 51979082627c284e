package arrowstream

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// maxFields limits the number of columns of a stream, including nested ones.
const maxFields = 10_000

// maxDepth limits the nesting depth of FlatBuffers tables.
const maxDepth = 128

// Values of MessageHeader (Message.fbs of Arrow).
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

var errBroken = errors.New("the description of a message is broken")

// A verifier checks that the metadata of an Arrow message is valid FlatBuffers: every table, list
// and string of the schemas Message.fbs and Schema.fbs lies inside the message and is aligned. The
// library reads metadata without this check.
type verifier struct {
	b    []byte
	left int     // number of columns that the schema may still have
	ids  []int64 // ids of the dictionaries, in the order of the schema's fields
	deep int     // nesting depth: the number of tables that enclose the current one
	all  int     // number of tables so far; a shared table counts each time
	err  error   // the first error found
}

// A table is a FlatBuffers table: its offset, and the offset and size of its vtable.
type table struct{ at, fields, size int }

// inside checks that n bytes at offset at lie inside the message, and that at is a multiple of
// align.
func (v *verifier) inside(at, n, align int) bool {
	if v.err == nil && (at < 0 || n < 0 || at%align != 0 || n > len(v.b) || at > len(v.b)-n) {
		v.err = errBroken
	}
	return v.err == nil
}

// follow reads the relative offset stored at the offset at, and returns the offset it leads to.
func (v *verifier) follow(at int) (to int) {
	if !v.inside(at, 4, 4) {
		return 0
	}
	n := binary.LittleEndian.Uint32(v.b[at:])
	if n == 0 || n > uint32(len(v.b)) {
		v.err = errBroken
		return 0
	}
	return at + int(n)
}

// root checks the root table of the message by calling check.
func (v *verifier) root(check func(table)) { v.table(v.follow(0), check) }

// table checks the bounds of the table at the offset at, and calls check to check its fields.
func (v *verifier) table(at int, check func(table)) {
	if !v.inside(at, 4, 4) {
		return
	}
	fields := at - int(int32(binary.LittleEndian.Uint32(v.b[at:])))
	if !v.inside(fields, 2, 2) {
		return
	}
	size := int(binary.LittleEndian.Uint16(v.b[fields:]))
	v.deep++
	v.all++
	if size%2 != 0 || v.deep > maxDepth || v.all > len(v.b) || !v.inside(fields, size, 2) {
		v.err = errBroken
		return
	}
	check(table{at, fields, size})
	v.deep--
}

// field returns the offset of a field by its number, or 0 if the table lacks it.
func (v *verifier) field(t table, number int) int {
	entry := 4 + 2*number
	if v.err != nil || entry+2 > t.size {
		return 0
	}
	if o := int(binary.LittleEndian.Uint16(v.b[t.fields+entry:])); o != 0 {
		return t.at + o
	}
	return 0
}

// scalars checks the table's first fields, which are numbers with the given sizes in bytes.
func (v *verifier) scalars(t table, sizes ...int) {
	for i, n := range sizes {
		v.scalar(t, i, n)
	}
}

func (v *verifier) scalar(t table, number, size int) {
	if at := v.field(t, number); at != 0 {
		v.inside(at, size, size)
	}
}

// sub checks the field with the given number, which is a table.
func (v *verifier) sub(t table, number int, check func(table)) {
	if at := v.field(t, number); at != 0 {
		v.table(v.follow(at), check)
	}
}

// list checks a field that is a list of elements of size bytes each. It returns the offset of the
// first element and the number of elements.
func (v *verifier) list(t table, number, size int) (at, n int) {
	field := v.field(t, number)
	if field == 0 {
		return 0, 0
	}
	at = v.follow(field)
	if !v.inside(at, 4, 4) {
		return 0, 0
	}
	n = int(binary.LittleEndian.Uint32(v.b[at:]))
	if at += 4; n > len(v.b) || !v.inside(at, n*size, 1) {
		v.err = errBroken
		return 0, 0
	}
	return at, n
}

// text checks a field that is a string. A zero byte must follow the string.
func (v *verifier) text(t table, number int) {
	if at, n := v.list(t, number, 1); at != 0 && v.inside(at, n+1, 1) && v.b[at+n] != 0 {
		v.err = errBroken
	}
}

// tables checks a field that is a list of tables.
func (v *verifier) tables(t table, number int, check func(table)) {
	at, n := v.list(t, number, 4)
	for i := range n {
		if v.err != nil {
			return
		}
		v.table(v.follow(at+4*i), check)
	}
}

func (v *verifier) message(t table) {
	v.scalar(t, 0, 2)
	v.scalar(t, 1, 1)
	v.scalar(t, 3, 8)
	v.tables(t, 4, v.keyValue)
	kind := v.field(t, 1)
	if v.err != nil || kind == 0 {
		return
	}
	switch v.b[kind] {
	case schemaMessage:
		v.sub(t, 2, v.schema)
	case dictionaryMessage:
		v.sub(t, 2, v.dictionary)
	case batchMessage:
		v.sub(t, 2, v.batch)
	}
}

func (v *verifier) keyValue(t table) {
	v.text(t, 0)
	v.text(t, 1)
	if v.err == nil && (v.field(t, 0) == 0 || v.field(t, 1) == 0) {
		v.err = errBroken
	}
}

func (v *verifier) schema(t table) {
	v.scalar(t, 0, 2)
	v.tables(t, 1, v.column)
	v.tables(t, 2, v.keyValue)
	v.list(t, 3, 8)
}

// column checks a Field of a schema.
func (v *verifier) column(t table) {
	if v.left--; v.left < 0 && v.err == nil {
		v.err = fmt.Errorf("more than %d columns", maxFields)
	}
	v.text(t, 0)
	v.scalar(t, 1, 1)
	v.scalar(t, 2, 1)
	if kind := v.field(t, 2); v.err == nil && kind != 0 {
		v.sub(t, 3, func(inner table) { v.kind(inner, v.b[kind]) })
	}
	v.sub(t, 4, v.encoding)
	v.tables(t, 5, v.column)
	v.tables(t, 6, v.keyValue)
}

// kind checks the table that describes a column's type. number identifies the type (Schema.fbs of
// Arrow).
func (v *verifier) kind(t table, number byte) {
	const (
		integer, float, decimal, date, time, timestamp, interval = 2, 3, 7, 8, 9, 10, 11
		union, fixedBinary, fixedList, mapped, duration          = 14, 15, 16, 17, 18
	)
	switch number {
	case integer:
		v.scalars(t, 4, 1)
	case decimal:
		v.scalars(t, 4, 4, 4)
	case float, date, interval, duration:
		v.scalars(t, 2)
	case time:
		v.scalars(t, 2, 4)
	case timestamp:
		v.scalars(t, 2)
		v.text(t, 1)
	case union:
		v.scalars(t, 2)
		// arrow-go treats an empty list of a union's type codes as absent, which means 0, 1, 2, ….
		if at, n := v.list(t, 1, 4); at != 0 && n == 0 {
			v.err = errBroken
		}
	case fixedBinary, fixedList:
		v.scalars(t, 4)
	case mapped:
		v.scalars(t, 1)
	}
}

// encoding checks a DictionaryEncoding.
func (v *verifier) encoding(t table) {
	v.scalar(t, 0, 8)
	v.sub(t, 1, func(index table) { v.scalars(index, 4, 1) })
	v.scalar(t, 2, 1)
	v.scalar(t, 3, 2)
	if v.err != nil {
		return
	}
	id := int64(0)
	if at := v.field(t, 0); at != 0 {
		id = int64(binary.LittleEndian.Uint64(v.b[at:]))
	}
	v.ids = append(v.ids, id)
}

func (v *verifier) dictionary(t table) {
	v.scalar(t, 0, 8)
	v.sub(t, 1, v.batch)
	v.scalar(t, 2, 1)
}

func (v *verifier) batch(t table) {
	v.scalar(t, 0, 8)
	v.list(t, 1, 16)
	_, buffers := v.list(t, 2, 16)
	v.sub(t, 3, func(packing table) { v.scalars(packing, 1, 1) })
	at, n := v.list(t, 4, 8) // number of data buffers of each view column
	for i := range n {
		if k := int64(binary.LittleEndian.Uint64(v.b[at+8*i:])); k < 0 || k > int64(buffers) {
			v.err = errBroken
		}
	}
}
