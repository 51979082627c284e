package arrowstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	// maxFields limits the number of columns of a stream, including nested ones.
	maxFields = 10_000
	// maxCodes is the number of type codes that a union can have. The codes are less than it.
	maxCodes = 128
)

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

var typeNames = [...]string{typeNull: "null", typeInt: "int", typeFloat: "float",
	typeBinary: "binary", typeText: "utf8", typeBool: "bool", typeDecimal: "decimal",
	typeDate: "date", typeTime: "time", typeTimestamp: "timestamp", typeInterval: "interval",
	typeList: "list", typeStruct: "struct", typeUnion: "union",
	typeFixedBinary: "fixed_size_binary", typeFixedList: "fixed_size_list", typeMap: "map",
	typeDuration: "duration", typeLargeBinary: "large_binary", typeLargeText: "large_utf8",
	typeLargeList: "large_list", typeRunEnds: "run_end_encoded", typeBinaryView: "binary_view",
	typeTextView: "utf8_view", typeListView: "list_view", typeLargeViews: "large_list_view"}

// A field describes a column or a nested column.
type field struct {
	name     string
	nullable bool
	kind     byte    // type of the values; with a dictionary, of the dictionary's values
	bits     int64   // size of a value of fixed length, of an offset, or of a run's end
	signed   bool    // whether the type is a signed integer
	size     int64   // number of values in each list of fixed size
	dense    bool    // whether the type is a dense union
	codes    []int64 // type code of each child of a union
	children []*field

	dictionary  *dictionary // nil if the column holds values rather than indexes
	indexBits   int64
	indexSigned bool
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

// A dictionary holds the values that columns with indexes refer to.
type dictionary struct {
	field  *field  // the first column that refers to it
	values *vector // nil before the first message with values
}

// A schema describes the columns of an Arrow stream, as the stream's first message states them.
type schema struct {
	columns      []*field
	all          int                   // number of columns, including nested ones
	dictionaries map[int64]*dictionary // by id

	description []byte // metadata of the message
	places      []int  // offsets in description of the tables of the columns
	// custom and features are the offsets, in the byte slice description, of the first element of
	// two lists: the stream's key-value pairs and its features. An offset is 0 if the list is
	// absent.
	custom, features int
}

// readSchema reads the FlatBuffers table Schema (Schema.fbs).
func (v *verifier) readSchema(t table) {
	s := &v.schema
	s.description, s.dictionaries = v.b, make(map[int64]*dictionary)
	if v.number(t, 0, 2, 0) != 0 {
		v.fail(errors.New("the stream has the byte order big-endian, and only little-endian is read"))
	}
	v.tables(t, 1, func(inner table) {
		s.places = append(s.places, inner.at)
		s.columns = append(s.columns, v.column(inner))
	})
	v.tables(t, 2, v.keyValue)
	s.custom, _ = v.list(t, 2, 4)
	s.features, _ = v.list(t, 3, 8)
}

// column reads the FlatBuffers table Field (Schema.fbs), which describes one column.
func (v *verifier) column(t table) *field {
	f := &field{name: v.text(t, 0), nullable: v.number(t, 1, 1, 0) != 0,
		kind: byte(v.number(t, 2, 1, 0))}
	if v.schema.all++; v.schema.all > maxFields {
		v.fail(fmt.Errorf("more than %d columns", maxFields))
	}
	if !utf8.ValidString(f.name) {
		v.fail(errors.New("the name of a column is not UTF-8"))
	}
	if v.field(t, 3) == 0 {
		v.fail(errBroken)
	}
	v.sub(t, 3, func(inner table) { v.kind(inner, f) })
	v.tables(t, 5, func(inner table) { f.children = append(f.children, v.column(inner)) })
	v.tables(t, 6, v.keyValue)
	if v.err == nil {
		v.fail(f.check())
	}
	v.sub(t, 4, func(inner table) { v.encoding(inner, f) })
	return f
}

// kind reads the FlatBuffers table that describes the type of the column f (Schema.fbs).
func (v *verifier) kind(t table, f *field) {
	switch f.kind {
	case typeBool:
		f.bits = 1
	case typeInt:
		f.bits, f.signed = v.number(t, 0, 4, 0), v.number(t, 1, 1, 0) != 0
	case typeDecimal:
		v.number(t, 0, 4, 0)
		v.number(t, 1, 4, 0)
		f.bits = v.number(t, 2, 4, 128)
	case typeFloat:
		f.bits = 16 << v.choice(t, 0, 0, 2)
	case typeDate:
		f.bits = 32 << v.choice(t, 0, 1, 1)
	case typeInterval:
		f.bits = 32 << v.choice(t, 0, 0, 2)
	case typeTime:
		v.choice(t, 0, 1, 3)
		f.bits = v.number(t, 1, 4, 32)
	case typeTimestamp:
		v.choice(t, 0, 0, 3)
		v.text(t, 1)
		f.bits = 64
	case typeDuration:
		v.choice(t, 0, 1, 3)
		f.bits = 64
	case typeFixedBinary:
		f.bits = 8 * v.number(t, 0, 4, 0)
	case typeFixedList:
		f.size = v.number(t, 0, 4, 0)
	case typeMap:
		v.number(t, 0, 1, 0)
		f.bits = 32
	case typeBinary, typeText, typeList, typeListView:
		f.bits = 32
	case typeLargeBinary, typeLargeText, typeLargeList, typeLargeViews:
		f.bits = 64
	case typeBinaryView, typeTextView:
		f.bits = 128
	case typeUnion:
		f.dense = v.choice(t, 0, 0, 1) != 0
		at, n := v.list(t, 1, 4)
		if n > maxCodes ||
			at != 0 && n == 0 { // some programs treat an empty list as absent, which means 0, 1, 2, …
			v.fail(errBroken)
			return
		}
		for i := range n {
			f.codes = append(f.codes, int64(int32(binary.LittleEndian.Uint32(v.b[at+4*i:]))))
		}
	}
}

// check returns an error if Arrow does not define the type of the field f. It sets the default
// codes of a union.
func (f *field) check() error {
	if int(f.kind) >= len(typeNames) || f.kind == 0 {
		return fmt.Errorf("a column of type %d, which is not known", f.kind)
	}
	children, ok := 0, true
	switch f.kind {
	case typeInt:
		ok = slices.Contains([]int64{8, 16, 32, 64}, f.bits)
	case typeDecimal:
		ok = slices.Contains([]int64{32, 64, 128, 256}, f.bits)
	case typeTime:
		ok = f.bits == 32 || f.bits == 64
	case typeFixedBinary:
		ok = f.bits > 0
	case typeFixedList:
		children, ok = 1, f.size > 0
	case typeList, typeLargeList, typeListView, typeLargeViews:
		children = 1
	case typeStruct:
		children = len(f.children)
	case typeMap:
		children = 1
		if len(f.children) == 1 {
			pair := f.children[0]
			ok = pair.kind == typeStruct && pair.dictionary == nil && !pair.nullable &&
				len(pair.children) == 2 && !pair.children[0].nullable
		}
	case typeUnion:
		children, ok = len(f.children), f.checkCodes()
	case typeRunEnds:
		children = 2
		if len(f.children) == 2 {
			ends := f.children[0]
			ok = ends.kind == typeInt && ends.signed && ends.bits > 8 && ends.dictionary == nil
			f.bits = ends.bits
		}
	}
	if !ok || len(f.children) != children {
		return fmt.Errorf("a column of type %v that no column has", f)
	}
	return nil
}

// checkCodes reports whether the children of a union have distinct codes.
func (f *field) checkCodes() bool {
	if f.codes == nil {
		for i := range f.children {
			f.codes = append(f.codes, int64(i))
		}
	}
	sorted := slices.Sorted(slices.Values(f.codes))
	return len(f.codes) == len(f.children) && len(slices.Compact(sorted)) == len(f.codes) &&
		(len(sorted) == 0 || sorted[0] >= 0 && sorted[len(sorted)-1] < maxCodes)
}

// encoding reads the FlatBuffers table DictionaryEncoding (Schema.fbs) into f.
func (v *verifier) encoding(t table, f *field) {
	id := v.number(t, 0, 8, 0)
	f.indexBits, f.indexSigned = 32, true
	v.sub(t, 1, func(index table) {
		f.indexBits, f.indexSigned = v.number(index, 0, 4, 0), v.number(index, 1, 1, 0) != 0
	})
	v.number(t, 2, 1, 0)
	v.number(t, 3, 2, 0)
	d, ok := v.schema.dictionaries[id]
	if !ok {
		values := *f
		d = &dictionary{field: &values}
		v.schema.dictionaries[id] = d
	}
	switch {
	case !slices.Contains([]int64{8, 16, 32, 64}, f.indexBits):
		v.fail(fmt.Errorf("indexes of %d bits", f.indexBits))
	case !d.field.alike(f):
		v.fail(fmt.Errorf("columns of other types share dictionary %d", id))
	}
	f.dictionary = d
}

// alike reports whether two columns have values of the same layout.
func (f *field) alike(g *field) bool {
	return f.kind == g.kind && f.bits == g.bits && f.signed == g.signed && f.size == g.size &&
		f.dense == g.dense && slices.Equal(f.codes, g.codes) &&
		slices.EqualFunc(f.children, g.children, func(a, b *field) bool {
			return a.dictionary == b.dictionary && a.indexBits == b.indexBits &&
				a.indexSigned == b.indexSigned && a.alike(b)
		})
}
