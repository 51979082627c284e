package arrowstream

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// maxFields limits the number of columns of a stream, including nested ones.
const maxFields = 10_000

// These are values of Type (Schema.fbs of Arrow).
const (
	typeNull        = 1
	typeInt         = 2
	typeFloat       = 3
	typeBinary      = 4
	typeText        = 5
	typeBool        = 6
	typeDecimal     = 7
	typeDate        = 8
	typeTime        = 9
	typeTimestamp   = 10
	typeInterval    = 11
	typeList        = 12
	typeStruct      = 13
	typeUnion       = 14
	typeFixedBinary = 15
	typeFixedList   = 16
	typeMap         = 17
	typeDuration    = 18
	typeLargeBinary = 19
	typeLargeText   = 20
	typeLargeList   = 21
	typeRunEnds     = 22
	typeBinaryView  = 23
	typeTextView    = 24
	typeListView    = 25
	typeLargeViews  = 26
)

// A layout describes the buffers and children of the columns of a type.
type layout struct {
	name     string
	bits     int64 // size of a value of fixed length or of an offset, unless the schema states it
	buffers  int   // number of buffers besides the bitmap and data buffers
	children int   // number of nested columns; -1 means any number
	refused  bool  // the stream may not have such columns, which few programs send
}

// layouts has the layout of each type.
var layouts = [...]layout{
	typeNull:        {name: "null"},
	typeInt:         {name: "int", buffers: 1},
	typeFloat:       {name: "float", buffers: 1},
	typeBinary:      {name: "binary", bits: 32, buffers: 2},
	typeText:        {name: "utf8", bits: 32, buffers: 2},
	typeBool:        {name: "bool", bits: 1, buffers: 1},
	typeDecimal:     {name: "decimal", buffers: 1},
	typeDate:        {name: "date", buffers: 1},
	typeTime:        {name: "time", buffers: 1},
	typeTimestamp:   {name: "timestamp", bits: 64, buffers: 1},
	typeInterval:    {name: "interval", buffers: 1},
	typeList:        {name: "list", bits: 32, buffers: 1, children: 1},
	typeStruct:      {name: "struct", children: -1},
	typeUnion:       {name: "union", refused: true},
	typeFixedBinary: {name: "fixed_size_binary", buffers: 1},
	typeFixedList:   {name: "fixed_size_list", children: 1},
	typeMap:         {name: "map", bits: 32, buffers: 1, children: 1},
	typeDuration:    {name: "duration", bits: 64, buffers: 1},
	typeLargeBinary: {name: "large_binary", bits: 64, buffers: 2},
	typeLargeText:   {name: "large_utf8", bits: 64, buffers: 2},
	typeLargeList:   {name: "large_list", bits: 64, buffers: 1, children: 1},
	typeRunEnds:     {name: "run_end_encoded", refused: true},
	typeBinaryView:  {name: "binary_view", bits: 128, buffers: 1},
	typeTextView:    {name: "utf8_view", bits: 128, buffers: 1},
	typeListView:    {name: "list_view", refused: true},
	typeLargeViews:  {name: "large_list_view", refused: true},
}

// A field describes a column or a nested column.
type field struct {
	layout
	label    string // the column's name
	nullable bool
	kind     byte  // type of the values; with a dictionary, of the dictionary's values
	signed   bool  // whether the type is a signed integer
	size     int64 // number of values in each list of fixed size
	children []*field

	// If indexed is set, the column holds indexes of the values of a dictionary. values is nil
	// before the first message with values.
	indexed     bool
	values      *vector
	indexBits   int64
	indexSigned bool
}

// String returns the name of the type of the values.
func (f *field) String() string {
	switch {
	case f.kind == typeInt && !f.signed:
		return fmt.Sprint("u", f.name, f.bits)
	case f.kind == typeInt || f.kind == typeFloat || f.kind == typeDecimal:
		return fmt.Sprint(f.name, f.bits)
	}
	return f.name
}

// A schema describes the columns of an Arrow stream, as the stream's first message states them.
type schema struct {
	columns      []*field
	all          int              // number of columns, including nested ones
	dictionaries map[int64]*field // the column with the dictionary, by its id

	description []byte // metadata of the message
	places      []int  // offsets in description of the tables of the columns
	// custom and features are the offsets, in the byte slice description, of the first element of
	// two lists: the stream's key-value pairs and its features. An offset is 0 if the list is
	// absent.
	custom, features int
}

// readSchema reads the FlatBuffers table Schema (Schema.fbs).
func readSchema(t table) *schema {
	s := &schema{description: t.b, dictionaries: make(map[int64]*field)}
	if t.number(0, 2, 0) != 0 {
		fail(errors.New("the stream has the byte order big-endian, and only little-endian is read"))
	}
	for inner := range t.tables(1) {
		s.places = append(s.places, inner.at)
		s.columns = append(s.columns, s.column(inner, 0))
	}
	t.keyValues(2)
	s.custom, _ = t.list(2, 4)
	s.features, _ = t.list(3, 8)
	return s
}

// column reads the FlatBuffers table Field (Schema.fbs), which describes one column that is nested
// in as many others as depth says.
func (s *schema) column(t table, depth int) *field {
	f := &field{label: t.text(0), nullable: t.number(1, 1, 0) != 0, kind: byte(t.number(2, 1, 0))}
	if s.all++; s.all > maxFields {
		fail(fmt.Errorf("more than %d columns", maxFields))
	}
	typ := t.need(3)
	switch {
	case depth > maxDepth:
		fail(errBroken)
	case !utf8.ValidString(f.label):
		fail(errors.New("the name of a column is not UTF-8"))
	case int(f.kind) >= len(layouts) || f.kind == 0:
		fail(fmt.Errorf("a column of type %d, which is not known", f.kind))
	}
	if f.layout = layouts[f.kind]; f.refused {
		fail(fmt.Errorf("column %q: %v, which is not read: leave it out", columns.Short(f.label), f))
	}
	known := len(s.dictionaries)
	for inner := range t.tables(5) {
		f.children = append(f.children, s.column(inner, depth+1))
	}
	t.keyValues(6)
	if !f.readType(typ) || f.layout.children >= 0 && len(f.children) != f.layout.children {
		fail(fmt.Errorf("a column of type %v that no column has", f))
	}
	if encoding, ok := t.sub(4); ok {
		if len(s.dictionaries) > known {
			fail(fmt.Errorf("column %q: a dictionary inside of a dictionary", columns.Short(f.label)))
		}
		s.encoding(encoding, f)
	}
	return f
}

// readType reads the FlatBuffers table that describes the type of the column f (Schema.fbs). It
// returns false if Arrow does not define such a type.
func (f *field) readType(t table) bool {
	switch f.kind {
	case typeInt:
		f.bits, f.signed = t.number(0, 4, 0), t.number(1, 1, 0) != 0
		return slices.Contains([]int64{8, 16, 32, 64}, f.bits)
	case typeDecimal:
		t.number(0, 4, 0)
		t.number(1, 4, 0)
		f.bits = t.number(2, 4, 128)
		return slices.Contains([]int64{32, 64, 128, 256}, f.bits)
	case typeFloat:
		f.bits = 16 << t.choice(0, 0, 2)
	case typeDate:
		f.bits = 32 << t.choice(0, 1, 1)
	case typeInterval:
		f.bits = 32 << t.choice(0, 0, 2)
	case typeTime:
		t.choice(0, 1, 3)
		f.bits = t.number(1, 4, 32)
		return f.bits == 32 || f.bits == 64
	case typeTimestamp:
		t.choice(0, 0, 3)
		t.text(1)
	case typeDuration:
		t.choice(0, 1, 3)
	case typeFixedBinary:
		f.bits = 8 * t.number(0, 4, 0)
		return f.bits > 0
	case typeFixedList:
		f.size = t.number(0, 4, 0)
		return f.size > 0
	case typeMap:
		t.number(0, 1, 0)
		if len(f.children) == 1 {
			pair := f.children[0]
			return pair.kind == typeStruct && !pair.indexed && !pair.nullable &&
				len(pair.children) == 2 && !pair.children[0].nullable
		}
	}
	return true
}

// encoding reads the FlatBuffers table DictionaryEncoding (Schema.fbs) into f.
func (s *schema) encoding(t table, f *field) {
	id := t.number(0, 8, 0)
	f.indexed, f.indexBits, f.indexSigned = true, 32, true
	if index, ok := t.sub(1); ok {
		f.indexBits, f.indexSigned = index.number(0, 4, 0), index.number(1, 1, 0) != 0
	}
	t.number(2, 1, 0)
	t.number(3, 2, 0)
	if !slices.Contains([]int64{8, 16, 32, 64}, f.indexBits) {
		fail(fmt.Errorf("indexes of %d bits", f.indexBits))
	}
	if s.dictionaries[id] != nil {
		fail(fmt.Errorf("column %q: another column has the same dictionary", columns.Short(f.label)))
	}
	s.dictionaries[id] = f
}
