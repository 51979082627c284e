package arrowstream

import (
	"encoding/binary"
	"errors"
	"iter"
)

var errBroken = errors.New("the description of a message is broken")

// A failure is the value of a panic that catch turns into an error.
type failure struct{ error }

// fail ends the innermost call of catch with an error.
func fail(err error) { panic(failure{err}) }

// catch calls f and returns the error with which f has called fail, or nil.
func catch(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// A verifier reads the metadata of an Arrow message, which is encoded in FlatBuffers. It checks
// that every table, list and string of the schemas Message.fbs and Schema.fbs lies inside the
// message and is aligned. The runtime of FlatBuffers reads without this check. Its methods, and
// those of table, call fail with an error.
type verifier struct {
	b     []byte
	texts string // copy of b, or "" before the first text
	all   int    // number of tables so far; a shared table counts each time
}

// A table is a FlatBuffers table: its offset in the message, and the offset and size of its vtable.
type table struct {
	*verifier
	at, fields, size int
}

// inside checks that the n bytes at pos lie inside the message, and that pos is a multiple of
// align.
func (v *verifier) inside(pos, n, align int) {
	if pos < 0 || n < 0 || pos%align != 0 || n > len(v.b) || pos > len(v.b)-n {
		fail(errBroken)
	}
}

// uint32 returns the 4-byte number at pos.
func (v *verifier) uint32(pos int) uint32 {
	v.inside(pos, 4, 4)
	return binary.LittleEndian.Uint32(v.b[pos:])
}

// long returns the 8-byte number at pos. The caller must have checked that the bytes are there.
func (v *verifier) long(pos int) int64 { return int64(binary.LittleEndian.Uint64(v.b[pos:])) }

// follow reads the relative offset stored at pos, and returns the position in the message to which
// it leads.
func (v *verifier) follow(pos int) (target int) {
	n := v.uint32(pos)
	if n == 0 || n > uint32(len(v.b)) {
		fail(errBroken)
	}
	return pos + int(n)
}

// table returns the FlatBuffers table to which the relative offset at pos leads. The root table of
// a message has its offset at 0.
func (v *verifier) table(pos int) table {
	at := v.follow(pos)
	fields := at - int(int32(v.uint32(at)))
	v.inside(fields, 2, 2)
	size := int(binary.LittleEndian.Uint16(v.b[fields:]))
	if v.all++; size%2 != 0 || v.all > len(v.b) {
		fail(errBroken)
	}
	v.inside(fields, size, 2)
	return table{v, at, fields, size}
}

// field returns the offset of the field with the given number, or 0 if the table lacks the field.
func (t table) field(number int) int {
	entry := 4 + 2*number
	if entry+2 > t.size {
		return 0
	}
	if o := int(binary.LittleEndian.Uint16(t.b[t.fields+entry:])); o != 0 {
		return t.at + o
	}
	return 0
}

// number returns the value of a field that is a number of size bytes. If the table lacks the field,
// it returns the argument absent.
func (t table) number(number, size int, absent int64) int64 {
	at := t.field(number)
	if at == 0 {
		return absent
	}
	t.inside(at, size, size)
	return integer(t.b[at:], int64(8*size), 0)
}

// choice returns the value of a field that is an enumeration of the values from 0 to last. If the
// table lacks the field, it returns the argument absent.
func (t table) choice(number int, absent, last int64) int64 {
	n := t.number(number, 2, absent)
	if n < 0 || n > last {
		fail(errBroken)
	}
	return n
}

// need returns the field with the given number, which is itself a FlatBuffers table.
func (t table) need(number int) table {
	at := t.field(number)
	if at == 0 {
		fail(errBroken)
	}
	return t.table(at)
}

// list returns the offset of the first element and the number of elements of a field that is a list
// of elements of size bytes each. If t lacks the field, both are 0.
func (t table) list(number, size int) (at, n int) {
	field := t.field(number)
	if field == 0 {
		return 0, 0
	}
	at = t.follow(field)
	if n = int(t.uint32(at)); n > len(t.b) {
		fail(errBroken)
	}
	at += 4
	t.inside(at, n*size, 1)
	return at, n
}

// text returns a field that is a string. A zero byte must follow the string. All strings share the
// memory of t.texts, since FlatBuffers tables may share one long string.
func (t table) text(number int) string {
	at, n := t.list(number, 1)
	if at == 0 {
		return ""
	}
	if t.inside(at, n+1, 1); t.b[at+n] != 0 {
		fail(errBroken)
	}
	if t.texts == "" {
		t.texts = string(t.b)
	}
	return t.texts[at : at+n]
}

// tables returns the elements of a field that is a list of FlatBuffers tables.
func (t table) tables(number int) iter.Seq[table] {
	return func(yield func(table) bool) {
		at, n := t.list(number, 4)
		for i := range n {
			if !yield(t.table(at + 4*i)) {
				return
			}
		}
	}
}

// keyValues checks a field that is a list of key-value pairs.
func (t table) keyValues(number int) {
	for pair := range t.tables(number) {
		if pair.field(0) == 0 || pair.field(1) == 0 {
			fail(errBroken)
		}
		pair.text(0)
		pair.text(1)
	}
}

// pairs returns a field that is a list of structs of two 64-bit numbers.
func (t table) pairs(number int) [][2]int64 {
	at, n := t.list(number, 16)
	list := make([][2]int64, n)
	for i := range list {
		list[i] = [2]int64{t.long(at + 16*i), t.long(at + 16*i + 8)}
	}
	return list
}
