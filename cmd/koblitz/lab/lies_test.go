package lab

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestText checks that text that is not UTF-8 does not make its batch invalid.
func TestText(t *testing.T) {
	in := bytes.ReplaceAll(honest(t, fields()), []byte("a text of row 3"),
		[]byte("a text of row \xff"))
	if n, err := verdictsOf(t, in); n != 2*batchRows || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestRefusedTypes checks that compressed buffers, and columns of types that few programs send, are
// refused, even in other columns.
func TestRefusedTypes(t *testing.T) {
	int8s := arrow.PrimitiveTypes.Int8
	union := []arrow.Field{{Name: "a", Type: int8s, Nullable: true}}
	codes := []arrow.UnionTypeCode{0}
	for _, typ := range []arrow.DataType{arrow.ListViewOf(int8s), arrow.LargeListViewOf(int8s),
		arrow.SparseUnionOf(union, codes), arrow.DenseUnionOf(union, codes),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, int8s), arrow.StructOf(union...),
		arrow.ListOf(int8s), arrow.LargeListOf(int8s), arrow.FixedSizeListOf(2, int8s),
		arrow.MapOf(int8s, int8s),
		&arrow.DictionaryType{IndexType: int8s, ValueType: arrow.BinaryTypes.String},
	} {
		schema := arrow.NewSchema(append(fields()[:3:3], arrow.Field{Name: "x", Type: typ}), nil)
		var in bytes.Buffer
		if err := ipc.NewWriter(&in, ipc.WithSchema(schema)).Close(); err != nil {
			t.Fatal(err)
		}
		_, err := verdictsOf(t, in.Bytes())
		if err == nil || !strings.Contains(err.Error(), `column "x": `) ||
			!strings.Contains(err.Error(), "which is not read: ") {
			t.Errorf("%v: %v", typ, err)
		}
	}
	for _, option := range []ipc.Option{ipc.WithZstd(), ipc.WithLZ4()} {
		_, err := verdictsOf(t, honest(t, fields(), option))
		if err == nil || !strings.HasPrefix(err.Error(), "stdin: batch 0: its buffers are compressed") {
			t.Error(err)
		}
	}
}

// TestDescriptions damages metadata of messages at places that the FlatBuffers library does not
// check, or reads differently. It checks that each of these streams is refused.
func TestDescriptions(t *testing.T) {
	in := honest(t, fields())
	edit := func(old, other string) []byte {
		if !bytes.Contains(in, []byte(old)) {
			t.Fatalf("no %q", old)
		}
		return bytes.Replace(in, []byte(old), []byte(other), 1)
	}
	meta := in[8 : 8+binary.LittleEndian.Uint32(in[4:])]
	root := int(binary.LittleEndian.Uint32(meta))
	fieldsOf := root - int(int32(binary.LittleEndian.Uint32(meta[root:])))
	at := func(place int, n uint16) []byte {
		bad := bytes.Clone(in)
		binary.LittleEndian.PutUint16(bad[8+place:], n)
		return bad
	}
	version := func(n uint16) []byte {
		return at(root+int(binary.LittleEndian.Uint16(meta[fieldsOf+4:])), n-1)
	}
	const broken = "the description of a message is broken"
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"a text without its end", edit("int64\x00", "int64x"), broken},
		{"a name that is no UTF-8", edit("int64\x00", "int\xff4\x00"), "not UTF-8"},
		{"a list of fields of odd length", at(fieldsOf, 9), broken},
		{"a list of fields that is too long", at(fieldsOf, 0xfffe), broken},
		{"a field outside of the message", at(fieldsOf+8, 0xfffc), broken},
		{"a table at an odd place", at(0, uint16(root+1)), broken},
		{"a table outside of the message", at(2, 0x7fff), broken},
		{"an old version", version(3), "version 3 of Arrow's metadata"},
		{"a version to come", version(6), "version 6 of Arrow's metadata"},
	} {
		answered, err := verdictsOf(t, c.in)
		if err == nil || answered != 0 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d rows, %v", c.name, answered, err)
		}
	}
}

// TestNoRows checks that a batch without rows is accepted and gives no verdicts.
func TestNoRows(t *testing.T) {
	schema := arrow.NewSchema(fields(), nil)
	empty := array.NewRecordBuilder(memory.NewGoAllocator(), schema).NewRecordBatch()
	if n, err := verdictsOf(t, arrowStream(t, []arrow.RecordBatch{empty})); n != 0 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestByteOrder checks that Run refuses a stream whose schema declares another byte order than
// little-endian.
func TestByteOrder(t *testing.T) {
	list := fields()[:3]
	for i, width := range []int{32, 33} {
		list[i].Type = &arrow.FixedSizeBinaryType{ByteWidth: width}
	}
	list[2].Type = arrow.BinaryTypes.BinaryView
	in := honest(t, list)
	behind := in[8+binary.LittleEndian.Uint32(in[4:]):]
	for _, order := range []endian.Endianness{endian.LittleEndian, endian.BigEndian, 2, -1} {
		var schema bytes.Buffer
		w := ipc.NewWriter(&schema, ipc.WithSchema(arrow.NewSchemaWithEndian(list, nil, order)))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		n, err := verdictsOf(t, append(schema.Bytes()[:schema.Len()-8], behind...))
		if little := order == endian.LittleEndian; little != (err == nil) || little != (n > 0) ||
			err != nil && !strings.Contains(err.Error(), "the byte order") {
			t.Errorf("%v: %d rows, %v", order, n, err)
		}
	}
}
