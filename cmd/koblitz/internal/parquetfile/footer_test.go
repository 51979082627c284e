package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
)

// An element is a column, or a group of columns, in the schema of a Parquet file.
type element struct {
	name       string
	kind       format.Type // -1 for a group
	repetition format.FieldRepetitionType
	children   int32
}

// described returns a file without row groups that has the given schema.
func described(t *testing.T, elements []element) []byte {
	t.Helper()
	m := format.FileMetaData{Schema: []format.SchemaElement{}, RowGroups: []format.RowGroup{}}
	for _, e := range elements {
		s := format.SchemaElement{Name: e.name, RepetitionType: thrift.New(e.repetition)}
		if e.kind >= 0 {
			s.Type = thrift.New(e.kind)
		}
		if e.children != 0 {
			s.NumChildren = thrift.New(e.children)
		}
		m.Schema = append(m.Schema, s)
	}
	return parquettest.File(nil, parquettest.Marshal(t, m))
}

// TestSchema checks the columns that are found in schemas with nested groups, and the errors for
// invalid schemas.
func TestSchema(t *testing.T) {
	const text, required, optional, repeated = format.ByteArray, format.Required, format.Optional,
		format.Repeated
	root := func(n int32) element { return element{"schema", -1, required, n} }
	deep := []element{root(1)}
	for range maxNesting {
		deep = append(deep, element{"g", -1, required, 1})
	}
	many := []element{root(maxElements)}
	for range maxElements {
		many = append(many, element{"a", text, required, 0})
	}
	long := []element{root(2), {strings.Repeat("g", 1<<20), -1, required, 18}}
	for range 18 {
		long = append(long, element{"a", text, required, 0})
	}
	for _, c := range []struct {
		what     string
		elements []element
		want     string // path, level and whether it is repeated, of each column
	}{
		{"a group", []element{root(3), {"a", text, optional, 0}, {"g", -1, optional, 2},
			{"b", text, optional, 0}, {"h", -1, required, 1}, {"c", text, required, 0},
			{"d", text, required, 0}}, "a 1 false, g.b 2 false, g.h.c 1 false, d 0 false"},
		{"a list", []element{root(1), {"l", -1, optional, 1}, {"list", -1, repeated, 1},
			{"e", text, optional, 0}}, "l.list.e 3 true"},
		{"no elements", nil, "a schema of 0 elements"},
		{"no columns", []element{root(0)}, errThrift.Error()},
		{"too few", []element{root(2), {"a", text, required, 0}}, errThrift.Error()},
		{"too many", []element{root(1), {"a", text, required, 0}, {"b", text, required, 0}},
			errThrift.Error()},
		{"fewer than none", []element{root(1), {"a", -1, required, -1}}, errThrift.Error()},
		{"another repetition", []element{root(1), {"a", text, 3, 0}}, errThrift.Error()},
		{"too deep", append(deep, element{"a", text, required, 0}), errThrift.Error()},
		{"too many columns", many, "a schema of 131073 elements"},
		{"names that are long together", long, "names of more than"},
	} {
		file := described(t, c.elements)
		f, err := readFooter(bytes.NewReader(file), int64(len(file)))
		got := fmt.Sprint(err)
		if err == nil {
			var list []string
			for _, l := range f.leaves {
				list = append(list, fmt.Sprint(l.path, " ", l.definition, " ", l.repeated))
			}
			got = strings.Join(list, ", ")
		}
		if err == nil && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: %.200s, want %s", c.what, got, c.want)
		}
	}
}

// TestWalk checks that a walk, which skips Thrift values, passes over as many bytes for a value as
// the library decodes, for values of all types, and that it has the right error for invalid and
// truncated values.
func TestWalk(t *testing.T) {
	value := []byte{
		0x11,    // field 1: true
		0x13, 7, // field 2: a byte
		0x17, 1, 2, 3, 4, 5, 6, 7, 8, // field 3: a floating-point number
		0x1a, 0x25, 1, 2, // field 4: a set of two numbers
		0x1b, 2, 0x58, 1, 1, 'a', 2, 1, 'b', // field 5: a map of numbers to strings
		0x1b, 0, // field 6: an empty map
		0x19, 0x2c, 0x15, 2, 0, 0x15, 4, 0, // field 7: a list of two structs
		0x1d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, // field 8: a UUID
		0x19, 0x32, 1, 2, 1, // field 9: a list of three booleans
		0x05, 0x28, 3, // field 20 with its number: an integer
		0,
	}
	walked := func(b []byte) (int, error) {
		w := walk{b: b}
		w.value(thrift.STRUCT)
		return w.at, w.err
	}
	var v struct {
		Last int32 `thrift:"20,required"`
	}
	n, err := walked(value)
	if _, e := decode(value, &v); err != nil || n != len(value) || e != nil || v.Last != -2 {
		t.Errorf("%d of %d bytes, %v; the library: %+v, %v", n, len(value), err, v, e)
	}
	for n := range value {
		if _, err := walked(value[:n]); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for what, b := range map[string][]byte{
		"no such type":      {0x1e},
		"too deep":          bytes.Repeat([]byte{0x1c}, 100),
		"lists too deep":    append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 100)...),
		"a number too long": append([]byte{0x16}, bytes.Repeat([]byte{0xff}, 11)...),
		"a list of no type": {0x19, 0x10, 0},
	} {
		if _, err := walked(b); err != errThrift {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, b := range map[string][]byte{
		"a string": {0x18, 0xff, 0xff, 0xff, 0xff, 7, 0},
		"a list":   {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0},
		"a map":    {0x1b, 0xff, 0xff, 0xff, 0xff, 7, 0x55, 0},
	} {
		if _, err := walked(b); err != io.ErrUnexpectedEOF {
			t.Errorf("%s longer than the rest: %v", what, err)
		}
	}
}
