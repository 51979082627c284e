package lab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestLengths checks that a stream is refused after a change of a length or null count in a batch
// or in a column.
func TestLengths(t *testing.T) {
	in := honest(t, fields())
	if n, err := verdictsOf(t, in); n != 2*batchRows || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	for _, dictionaries := range []bool{false, true} {
		for i, b := range batches(in, dictionaries) {
			batch := i
			if dictionaries {
				batch = 0 // all dictionaries precede the first batch
			}
			places := append([]int{b.length}, b.nodes...)
			for _, node := range b.nodes {
				places = append(places, node+8)
			}
			slices.Sort(places)
			for _, at := range places {
				n := number(in, at)
				for _, other := range []int64{n - 1, n + 1, 0, -1, -2, 1 << 40, -1 << 63} {
					if other != n {
						refused(t, fmt.Sprintf("dictionaries %t, byte %d of %v: %d instead of %d", dictionaries,
							at, b, other, n), with(in, at, other), batch)
					}
				}
			}
		}
	}
}

// TestBuffers checks that a stream is refused after a change of a buffer's offset or length.
func TestBuffers(t *testing.T) {
	in := honest(t, fields())
	for _, dictionaries := range []bool{false, true} {
		for i, b := range batches(in, dictionaries) {
			if dictionaries {
				i = 0
			}
			for k, at := range b.buffers {
				offset, length := number(in, at), number(in, at+8)
				what := fmt.Sprintf("dictionaries %t, buffer %d: ", dictionaries, k)
				for _, other := range []int64{offset + 1, offset + 4, -8, 1 << 40, -1 << 63} {
					refused(t, fmt.Sprint(what, "offset ", other), with(in, at, other), i)
				}
				for _, other := range []int64{-1, b.bodyLength - offset + 1, 1 << 40, 1<<63 - 1} {
					refused(t, fmt.Sprint(what, "length ", other), with(in, at+8, other), i)
				}
				if length > 0 {
					refused(t, what+"length 0", with(in, at+8, 0), i)
					refused(t, what+"at the end", with(in, at, (b.bodyLength+7)/8*8), i)
				}
			}
		}
	}
}

// bufferOf returns the offset in the stream at which buffer k of the column called name begins, in
// the batch b. The buffers of nested columns follow those of their parent.
func bufferOf(b located, name string, k int) int {
	var count func(t arrow.DataType) int
	count = func(t arrow.DataType) (n int) {
		for _, spec := range t.Layout().Buffers {
			if spec.Kind != arrow.KindAlwaysNull {
				n++
			}
		}
		if t.Layout().VariadicSpec != nil {
			n++ // in these tests, a column of views has one data buffer
		}
		if nested, ok := t.(arrow.NestedType); ok {
			for _, f := range nested.Fields() {
				n += count(f.Type)
			}
		}
		return n
	}
	for _, f := range fields() {
		if f.Name == name {
			break
		}
		k += count(f.Type)
	}
	return b.buffers[k]
}

// TestContents changes offsets, indexes and bitmaps inside columns, including columns that Run only
// passes on, and checks that the stream is refused.
func TestContents(t *testing.T) {
	in := honest(t, fields())
	for i, b := range batches(in, false) {
		for _, c := range []struct {
			column string
			buffer int
			what   string
			size   int // size of an entry in bytes
			values []int64
		}{
			{"h", 0, "bitmap", 1, []int64{0, 0xff}},
			{"h", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"s", 1, "views", 4, []int64{-1, 1 << 20}},
			{"bool", 0, "bitmap", 1, []int64{0, 0xff}},
			{"int64", 0, "bitmap", 1, []int64{0, 0xff}},
			{"text", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"large", 1, "offsets", 8, []int64{-1, 1 << 20}},
			{"view", 1, "views", 4, []int64{-1, 1 << 20}},
			{"list", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"list", 3, "offsets inside", 4, []int64{-1, 1 << 20}},
			{"large list", 1, "offsets", 8, []int64{-1, 1 << 20}},
			{"struct", 0, "bitmap", 1, []int64{0, 0xff}},
			{"struct", 1, "bitmap inside", 1, []int64{0, 0xff}},
			{"map", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"words", 1, "indexes", 1, []int64{-1, 100}},
			{"list of words", 3, "indexes", 1, []int64{-1, 100}},
		} {
			at := b.body + int(number(in, bufferOf(b, c.column, c.buffer)))
			for _, v := range c.values {
				bad := bytes.Clone(in)
				copy(bad[at:at+c.size], binary.LittleEndian.AppendUint64(nil, uint64(v)))
				refused(t, fmt.Sprintf("%s of %q: %d", c.what, c.column, v), bad, i)
			}
		}
	}
}

// TestDictionaries checks that an invalid entry in a dictionary and a dictionary in several parts
// are refused, and that dictionary text that is not UTF-8 is accepted.
func TestDictionaries(t *testing.T) {
	in := honest(t, fields())
	b := batches(in, true)[0]
	offsets := b.body + int(number(in, b.buffers[1]))
	refused(t, "offsets of a dictionary", with(in, offsets, -1), 0)

	// Text that is not UTF-8 does not make its batch invalid.
	text := bytes.ReplaceAll(in, []byte("a text of row 3"), []byte("a text of row \xff"))
	if n, err := verdictsOf(t, text); n != 2*batchRows || err != nil {
		t.Errorf("text that is no UTF-8: %d rows, %v", n, err)
	}

	f := fields()
	word := arrow.Field{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.Binary}}
	for _, c := range []struct {
		options []ipc.Option
		want    string
	}{
		{nil, ""},
		{[]ipc.Option{ipc.WithDictionaryDeltas(true)}, `stdin: batch 1: column "word": its ` +
			"dictionary is sent in parts"},
	} {
		schema := arrow.NewSchema(append(slices.Clone(f[:3]), word), nil)
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for i, v := range signed() {
			for k := range v {
				fillBytes(t, b.Field(k), v[k])
			}
			fillBytes(t, b.Field(3), v[0][:i])
		}
		first := b.NewRecordBatch()
		longer := func(a *array.Dictionary) arrow.Array { // adds one value to the dictionary
			more := array.NewBinaryBuilder(memory.NewGoAllocator(), arrow.BinaryTypes.Binary)
			for i := range a.Dictionary().Len() {
				more.Append(a.Dictionary().(*array.Binary).Value(i))
			}
			more.Append([]byte("more"))
			return array.NewDictionaryArray(a.DataType(), a.Indices(), more.NewArray())
		}
		second := append(slices.Clone(first.Columns()[:3]),
			longer(first.Column(3).(*array.Dictionary)))
		n, err := verdictsOf(t, arrowStream(t, []arrow.RecordBatch{first,
			array.NewRecordBatch(schema, second, batchRows)}, c.options...))
		if c.want == "" && (n != 2*batchRows || err != nil) ||
			c.want != "" && (n != batchRows || err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%d rows, %v; want %q", n, err, c.want)
		}
	}
}

// TestRefusedTypes checks that compressed buffers, and columns of types that few programs send, are
// refused, even in other columns.
func TestRefusedTypes(t *testing.T) {
	int8s := arrow.PrimitiveTypes.Int8
	word := &arrow.DictionaryType{IndexType: int8s, ValueType: arrow.BinaryTypes.String}
	union := []arrow.Field{{Name: "a", Type: int8s, Nullable: true}}
	codes := []arrow.UnionTypeCode{0}
	for _, typ := range []arrow.DataType{arrow.ListViewOf(int8s), arrow.LargeListViewOf(int8s),
		arrow.SparseUnionOf(union, codes), arrow.DenseUnionOf(union, codes),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, int8s),
		arrow.StructOf(arrow.Field{Name: "b", Type: arrow.ListOf(arrow.SparseUnionOf(union, codes))}),
		&arrow.DictionaryType{IndexType: int8s, ValueType: arrow.ListOf(word)},
	} {
		schema := arrow.NewSchema(append(fields()[:3:3], arrow.Field{Name: "x", Type: typ}), nil)
		var in bytes.Buffer
		if err := ipc.NewWriter(&in, ipc.WithSchema(schema)).Close(); err != nil {
			t.Fatal(err)
		}
		_, err := verdictsOf(t, in.Bytes())
		if err == nil || !strings.Contains(err.Error(), "which is not read: leave it out") &&
			!strings.Contains(err.Error(), "a dictionary inside of a dictionary") {
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

// TestNoRows checks that a batch without rows is accepted and gives no verdicts, with columns of
// every type, nested too.
func TestNoRows(t *testing.T) {
	for _, f := range fields()[3:] {
		for _, typ := range []arrow.DataType{f.Type, arrow.ListOf(f.Type),
			arrow.StructOf(arrow.Field{Name: "a", Type: f.Type, Nullable: true})} {
			schema := arrow.NewSchema(append(fields()[:3:3],
				arrow.Field{Name: f.Name, Type: typ, Nullable: true}), nil)
			empty := array.NewRecordBuilder(memory.NewGoAllocator(), schema).NewRecordBatch()
			in := arrowStream(t, []arrow.RecordBatch{empty})
			if n, err := verdictsOf(t, in); n != 0 || err != nil {
				t.Errorf("%v: %d rows, %v", typ, n, err)
			}
		}
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
