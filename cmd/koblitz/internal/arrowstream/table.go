package arrowstream

import (
	"errors"
	"iter"
	"runtime"

	flatbuffers "github.com/google/flatbuffers/go"
)

var errBroken = errors.New("the description of a message is broken")

// A failure is the value of a panic that catch turns into an error.
type failure struct{ error }

// fail ends the innermost call of catch with an error.
func fail(err error) { panic(failure{err}) }

// catch calls f. It returns the error with which f has called fail, errBroken if f has read outside
// of a slice, or nil.
func catch(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		case runtime.Error:
			err = errBroken
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// A table is a FlatBuffers table in the metadata of an Arrow message. The library's methods panic,
// for catch, if they would read outside of the metadata. The methods of table check what else the
// verifier of FlatBuffers does, and so PyArrow: the alignment, and the ends of lists and strings.
type table struct {
	flatbuffers.Table
	all *int // number of tables of the message so far; a shared table counts each time
}

// root returns the table of a whole message.
func root(metadata []byte) table {
	return table{flatbuffers.Table{Bytes: metadata}, new(int)}.at(0)
}

// at returns the table to which the relative offset at pos leads.
func (t table) at(pos flatbuffers.UOffsetT) table {
	aligned(pos, 4)
	next := table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(pos)}, t.all}
	aligned(next.Pos, 4)
	fields := next.Pos - flatbuffers.UOffsetT(next.GetSOffsetT(next.Pos))
	aligned(fields, 2)
	size := next.GetVOffsetT(fields)
	*t.all++
	if next.Pos <= pos || size%2 != 0 || int(fields)+int(size) > len(t.Bytes) ||
		*t.all > len(t.Bytes) {
		fail(errBroken)
	}
	return next
}

// aligned calls fail unless pos is a multiple of align.
func aligned(pos flatbuffers.UOffsetT, align int) {
	if int(pos)%align != 0 {
		fail(errBroken)
	}
}

// field returns the offset of the field with the given number, or 0 if the table lacks the field.
func (t table) field(number int) flatbuffers.UOffsetT {
	if o := t.Offset(flatbuffers.VOffsetT(4 + 2*number)); o != 0 {
		return t.Pos + flatbuffers.UOffsetT(o)
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
	aligned(at, size)
	return integer(t.Bytes[at:], int64(8*size), 0)
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
	return t.at(at)
}

// list returns the offset of the first element and the number of elements of a field that is a list
// of elements of size bytes each. If t lacks the field, both are 0.
func (t table) list(number, size int) (at flatbuffers.UOffsetT, n int) {
	field := t.field(number)
	if field == 0 {
		return 0, 0
	}
	aligned(field, 4)
	at, n = t.Vector(field-t.Pos), t.VectorLen(field-t.Pos)
	aligned(at, 4)
	if at <= field+4 || n < 0 || n > len(t.Bytes) || int(at)+n*size > len(t.Bytes) {
		fail(errBroken)
	}
	return at, n
}

// text returns a field that is a string, which shares the memory of the metadata. A zero byte must
// follow it.
func (t table) text(number int) string {
	at, n := t.list(number, 1)
	if at == 0 {
		return ""
	}
	if t.Bytes[int(at)+n] != 0 {
		fail(errBroken)
	}
	return t.String(t.field(number))
}

// tables returns a field that is a list of tables.
func (t table) tables(number int) iter.Seq[table] {
	return func(yield func(table) bool) {
		at, n := t.list(number, 4)
		for i := range n {
			if !yield(t.at(at + flatbuffers.UOffsetT(4*i))) {
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
		pair := t.Bytes[int(at)+16*i:]
		list[i] = [2]int64{integer(pair, 64, 0), integer(pair, 64, 1)}
	}
	return list
}
