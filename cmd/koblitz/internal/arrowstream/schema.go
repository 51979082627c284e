package arrowstream

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// maxFields limits the number of columns of a stream.
const maxFields = 10_000

// These are values of Type (Schema.fbs of Arrow): the types that a column of a stream may have.
const (
	typeNull        = ipc.Null
	typeInt         = 2
	typeFloat       = 3
	typeBinary      = ipc.Binary
	typeText        = ipc.Text
	typeBool        = 6
	typeDecimal     = 7
	typeDate        = 8
	typeTime        = 9
	typeTimestamp   = 10
	typeInterval    = 11
	typeFixedBinary = 15
	typeDuration    = 18
	typeLargeBinary = 19
	typeLargeText   = 20
	typeBinaryView  = 23
	typeTextView    = 24
)

// typeNames lists the name of every type of Arrow, including the types that are refused in a
// column.
var typeNames = [...]string{1: "null", "int", "float", "binary", "utf8", "bool", "decimal", "date",
	"time", "timestamp", "interval", "list", "struct", "union", "fixed_size_binary",
	"fixed_size_list", "map", "duration", "large_binary", "large_utf8", "large_list",
	"run_end_encoded", "binary_view", "utf8_view", "list_view", "large_list_view"}

// A field describes a column.
type field struct {
	name    string
	kind    byte  // type of the values
	buffers int   // number of buffers besides the bitmap and data buffers
	bits    int64 // size of a value of fixed length, or of an offset
	signed  bool  // whether the type is a signed integer
}

// String returns the name of the type of the values.
func (f *field) String() string {
	name := typeNames[f.kind]
	switch {
	case f.kind == typeInt && !f.signed:
		return fmt.Sprint("u", name, f.bits)
	case f.kind == typeInt || f.kind == typeFloat || f.kind == typeDecimal:
		return fmt.Sprint(name, f.bits)
	}
	return name
}

// isText reports whether a column holds text.
func (f *field) isText() bool {
	return f.kind == typeText || f.kind == typeLargeText || f.kind == typeTextView
}

// readable reports whether a column holds bytes or text, or only nulls.
func (f *field) readable() bool {
	switch f.kind {
	case typeBinary, typeLargeBinary, typeFixedBinary, typeBinaryView, typeNull:
		return true
	}
	return f.isText()
}

// A schema describes the columns of an Arrow stream, as the stream's first message states them.
type schema struct {
	columns     []*field
	description []byte                 // metadata of the message
	places      []flatbuffers.UOffsetT // offsets in description of the tables of the columns
	custom      flatbuffers.UOffsetT   // offset in description of the list of key-value pairs, or 0
}

// readSchema reads the FlatBuffers table Schema (Schema.fbs).
func readSchema(t table) *schema {
	s := &schema{description: t.Bytes}
	if t.number(0, 2, 0) != 0 {
		fail(errors.New("the stream has the byte order big-endian, and only little-endian is read"))
	}
	for column := range t.tables(1) {
		s.places = append(s.places, column.Pos)
		s.columns = append(s.columns, readField(column))
		if len(s.columns) > maxFields {
			fail(fmt.Errorf("more than %d columns", maxFields))
		}
	}
	t.keyValues(2)
	if at, _ := t.list(2, 4); at > 0 {
		s.custom = at - 4 // a list begins with its length
	}
	return s
}

// readField reads the FlatBuffers table Field (Schema.fbs), which describes one column.
func readField(t table) *field {
	f := &field{name: t.text(0), kind: byte(t.number(2, 1, 0)), buffers: 1}
	t.number(1, 1, 0)
	typ := t.need(3)
	_, children := t.list(5, 4)
	t.keyValues(6)
	switch {
	case !utf8.ValidString(f.name):
		fail(errors.New("the name of a column is not UTF-8"))
	case int(f.kind) >= len(typeNames) || f.kind == 0:
		fail(fmt.Errorf("a column of type %d, which is not known", f.kind))
	case t.field(4) != 0:
		fail(fmt.Errorf("column %+q: a dictionary, which is not read: send its values, or leave it out",
			columns.Short(f.name)))
	case !f.readType(typ) || children > 0:
		fail(fmt.Errorf("column %+q: %v, which is not read: leave it out", columns.Short(f.name), f))
	}
	return f
}

// readType reads the FlatBuffers table that describes the type of the column f (Schema.fbs). It
// returns false if Arrow does not define such a type, or if a column of a stream may not have it.
func (f *field) readType(t table) bool {
	switch f.kind {
	case typeNull:
		f.buffers = 0
	case typeInt:
		f.bits, f.signed = t.number(0, 4, 0), t.number(1, 1, 0) != 0
		return slices.Contains([]int64{8, 16, 32, 64}, f.bits)
	case typeFloat:
		f.bits = 16 << t.choice(0, 0, 2)
	case typeBinary, typeText:
		f.buffers, f.bits = 2, 32
	case typeLargeBinary, typeLargeText:
		f.buffers, f.bits = 2, 64
	case typeBinaryView, typeTextView:
		f.bits = 128
	case typeBool:
		f.bits = 1
	case typeDecimal:
		t.number(0, 4, 0)
		t.number(1, 4, 0)
		f.bits = t.number(2, 4, 128)
		return slices.Contains([]int64{32, 64, 128, 256}, f.bits)
	case typeDate:
		f.bits = 32 << t.choice(0, 1, 1)
	case typeTime:
		t.choice(0, 1, 3)
		f.bits = t.number(1, 4, 32)
		return f.bits == 32 || f.bits == 64
	case typeTimestamp:
		t.choice(0, 0, 3)
		t.text(1)
		f.bits = 64
	case typeInterval:
		f.bits = 32 << t.choice(0, 0, 2)
	case typeDuration:
		t.choice(0, 1, 3)
		f.bits = 64
	case typeFixedBinary:
		f.bits = 8 * t.number(0, 4, 0)
		return f.bits > 0
	default:
		return false
	}
	return true
}

// answered returns the message with the answer's schema: the columns of s, and a text column for
// each name in added. All added columns except the first can hold nulls. The message ends with the
// unchanged descriptions of the columns of s.
func (s *schema) answered(added []string) []byte {
	b := flatbuffers.NewBuilder(0)
	size := (len(s.description) + 7) &^ 7
	b.Prep(8, size)
	b.Pad(size)
	copy(b.Bytes[b.Head():], s.description)
	// A Builder measures offsets from the end of the message.
	end := flatbuffers.UOffsetT(size)
	var list []flatbuffers.UOffsetT
	for _, at := range s.places {
		list = append(list, end-at)
	}
	for i, name := range added {
		list = append(list, ipc.Field(b, name, i > 0, ipc.Text))
	}
	custom := flatbuffers.UOffsetT(0)
	if s.custom > 0 {
		custom = end - s.custom
	}
	return ipc.Schema(b, list, custom)
}
