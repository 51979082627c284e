package arrowstream

import (
	"encoding/binary"
	"errors"
)

// maxDepth limits the nesting depth of FlatBuffers tables.
const maxDepth = 128

// These are values of MessageHeader (Message.fbs of Arrow).
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

var errBroken = errors.New("the description of a message is broken")

// A verifier reads the metadata of an Arrow message, which is encoded in FlatBuffers. It checks
// that every table, list and string of the schemas Message.fbs and Schema.fbs lies inside the
// message and is aligned. The runtime of FlatBuffers reads without this check. After the first
// error every value is zero.
type verifier struct {
	b      []byte
	texts  string // copy of b, or "" before the first text
	schema schema // the schema of a schema message
	deep   int    // nesting depth: the number of tables that enclose the current one
	all    int    // number of tables so far; a shared table counts each time
	err    error  // the first error found
}

func (v *verifier) fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// A table is the position of a FlatBuffers table: its offset in the message, and the offset and
// size of its vtable.
type table struct{ at, fields, size int }

// inside checks that the n bytes at pos lie inside the message, and that pos is a multiple of
// align.
func (v *verifier) inside(pos, n, align int) bool {
	if v.err == nil && (pos < 0 || n < 0 || pos%align != 0 || n > len(v.b) || pos > len(v.b)-n) {
		v.err = errBroken
	}
	return v.err == nil
}

// follow reads the relative offset stored at pos, and returns the position in the message to which
// it leads.
func (v *verifier) follow(pos int) (target int) {
	if !v.inside(pos, 4, 4) {
		return 0
	}
	n := binary.LittleEndian.Uint32(v.b[pos:])
	if n == 0 || n > uint32(len(v.b)) {
		v.err = errBroken
		return 0
	}
	return pos + int(n)
}

// root checks the root table of the message by calling check.
func (v *verifier) root(check func(table)) { v.table(v.follow(0), check) }

// table checks the bounds of the FlatBuffers table at pos, and calls check to read its fields.
func (v *verifier) table(pos int, check func(table)) {
	if !v.inside(pos, 4, 4) {
		return
	}
	fields := pos - int(int32(binary.LittleEndian.Uint32(v.b[pos:])))
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
	check(table{pos, fields, size})
	v.deep--
}

// field returns the offset of the field of the FlatBuffers table t with the given number, or 0 if
// the table lacks the field.
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

// number returns the value of a field of the FlatBuffers table t that is a number of size bytes. If
// the table lacks the field, it returns the argument absent.
func (v *verifier) number(t table, number, size int, absent int64) int64 {
	at := v.field(t, number)
	if at == 0 || !v.inside(at, size, size) {
		return absent
	}
	switch size {
	case 1:
		return int64(v.b[at])
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(v.b[at:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(v.b[at:])))
	}
	return v.long(at)
}

// choice returns the value of a field of the FlatBuffers table t that is an enumeration of the
// values from 0 to last. If the table lacks the field, it returns the argument absent.
func (v *verifier) choice(t table, number int, absent, last int64) int64 {
	n := v.number(t, number, 2, absent)
	if n < 0 || n > last {
		v.fail(errBroken)
		return absent
	}
	return n
}

// long returns the 8-byte number at pos. The caller must have checked that the bytes are there.
func (v *verifier) long(pos int) int64 { return int64(binary.LittleEndian.Uint64(v.b[pos:])) }

// sub reads the field with the given number, which is itself a FlatBuffers table, by calling check.
func (v *verifier) sub(t table, number int, check func(table)) {
	if at := v.field(t, number); at != 0 {
		v.table(v.follow(at), check)
	}
}

// list checks a field of the FlatBuffers table t that is a list of elements of size bytes each. It
// returns the offset of the first element and the number of elements.
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

// text returns a field of the FlatBuffers table t that is a string. A zero byte must follow the
// string. All strings share the memory of v.texts, since FlatBuffers tables may share one long
// string.
func (v *verifier) text(t table, number int) string {
	at, n := v.list(t, number, 1)
	if at == 0 || !v.inside(at, n+1, 1) {
		return ""
	}
	if v.b[at+n] != 0 {
		v.fail(errBroken)
	}
	if v.texts == "" {
		v.texts = string(v.b)
	}
	return v.texts[at : at+n]
}

// tables reads a field that is a list of FlatBuffers tables by calling check for each.
func (v *verifier) tables(t table, number int, check func(table)) {
	at, n := v.list(t, number, 4)
	for i := range n {
		if v.err != nil {
			return
		}
		v.table(v.follow(at+4*i), check)
	}
}

func (v *verifier) keyValue(t table) {
	v.text(t, 0)
	v.text(t, 1)
	if v.field(t, 0) == 0 || v.field(t, 1) == 0 {
		v.fail(errBroken)
	}
}

// A message holds the metadata of one message of an Arrow stream.
type message struct {
	version int64
	kind    byte  // schemaMessage, dictionaryMessage, batchMessage or another value
	body    int64 // size of the body in bytes
	schema  *schema
	id      int64       // id of the dictionary
	delta   bool        // whether the values extend the dictionary rather than replace it
	batch   recordBatch // the batch, or the values of the dictionary
}

// A recordBatch holds the fields of the FlatBuffers table RecordBatch (Message.fbs of Arrow).
type recordBatch struct {
	length         int64      // number of rows
	nodes, buffers [][2]int64 // nodes: length and null count; buffers: offset and length
	variadic       []int64    // number of data buffers of each view column
	packed         bool       // whether the buffers are compressed, by codec and method
	codec, method  int64
}

// message reads the FlatBuffers table Message (Message.fbs).
func (v *verifier) message(t table) (m message) {
	m.version = v.number(t, 0, 2, 0)
	m.kind = byte(v.number(t, 1, 1, 0))
	m.body = v.number(t, 3, 8, 0)
	v.tables(t, 4, v.keyValue)
	switch m.kind {
	case schemaMessage:
		v.sub(t, 2, v.readSchema)
		m.schema = &v.schema
	case dictionaryMessage:
		v.sub(t, 2, func(inner table) {
			m.id = v.number(inner, 0, 8, 0)
			v.sub(inner, 1, func(batch table) { m.batch = v.batch(batch) })
			m.delta = v.number(inner, 2, 1, 0) != 0
			if v.field(inner, 1) == 0 {
				v.fail(errBroken)
			}
		})
	case batchMessage:
		v.sub(t, 2, func(inner table) { m.batch = v.batch(inner) })
	}
	if m.kind >= schemaMessage && m.kind <= batchMessage && v.field(t, 2) == 0 {
		v.fail(errBroken)
	}
	return m
}

// batch reads the FlatBuffers table RecordBatch (Message.fbs).
func (v *verifier) batch(t table) (b recordBatch) {
	b.length = v.number(t, 0, 8, 0)
	b.nodes, b.buffers = v.pairs(t, 1), v.pairs(t, 2)
	v.sub(t, 3, func(packing table) {
		b.packed = true
		b.codec, b.method = v.number(packing, 0, 1, 0), v.number(packing, 1, 1, 0)
	})
	at, n := v.list(t, 4, 8)
	for i := range n {
		k := v.long(at + 8*i)
		if k < 0 || k > int64(len(b.buffers)) {
			v.fail(errBroken)
		}
		b.variadic = append(b.variadic, k)
	}
	return b
}

// pairs returns a field of the FlatBuffers table t that is a list of structs of two 64-bit numbers.
func (v *verifier) pairs(t table, number int) [][2]int64 {
	at, n := v.list(t, number, 16)
	list := make([][2]int64, n)
	for i := range list {
		list[i] = [2]int64{v.long(at + 16*i), v.long(at + 16*i + 8)}
	}
	return list
}
