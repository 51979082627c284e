package arrowstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/pierrec/lz4/v4"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// batchRows is the number of rows of a batch in these tests.
const batchRows = 5

// fields are columns of many types. Those after s are only passed on.
func fields() []arrow.Field {
	int8s, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	types := []struct {
		name string
		typ  arrow.DataType
	}{
		{"h", arrow.BinaryTypes.Binary},
		{"k", &arrow.FixedSizeBinaryType{ByteWidth: 33}},
		{"s", arrow.BinaryTypes.BinaryView},
		{"null", arrow.Null},
		{"bool", arrow.FixedWidthTypes.Boolean},
		{"int64", arrow.PrimitiveTypes.Int64},
		{"text", text},
		{"large", arrow.BinaryTypes.LargeString},
		{"view", arrow.BinaryTypes.StringView},
		{"list", arrow.ListOf(text)},
		{"large list", arrow.LargeListOf(int8s)},
		{"views", arrow.ListViewOf(int8s)},
		{"fixed list", arrow.FixedSizeListOf(2, int8s)},
		{"struct", arrow.StructOf(arrow.Field{Name: "a", Type: text, Nullable: true})},
		{"map", arrow.MapOf(text, int8s)},
		{"sparse", arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: int8s, Nullable: true}},
			[]arrow.UnionTypeCode{0})},
		{"dense", arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: int8s, Nullable: true}},
			[]arrow.UnionTypeCode{0})},
		{"runs", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, text)},
		{"words", &arrow.DictionaryType{IndexType: int8s, ValueType: text}},
		{"list of words", arrow.ListOf(&arrow.DictionaryType{IndexType: int8s, ValueType: text})},
	}
	var list []arrow.Field
	for _, t := range types {
		list = append(list, arrow.Field{Name: t.name, Type: t.typ, Nullable: true})
	}
	return list
}

// fill appends the value of a row, which for some rows is null.
func fill(t testing.TB, b array.Builder, row int) {
	if row == 1 {
		b.AppendNull()
		return
	}
	text := fmt.Sprintf("a text of row %d", row)
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(row%2 == 0)
	case *array.Int8Builder:
		b.Append(int8(row))
	case *array.Int64Builder:
		b.Append(int64(row))
	case *array.StringBuilder:
		b.Append(text)
	case *array.LargeStringBuilder:
		b.Append(text)
	case *array.StringViewBuilder:
		b.Append(text)
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(text); err != nil {
			t.Fatal(err)
		}
	case *array.ListBuilder:
		b.Append(true)
		fill(t, b.ValueBuilder(), row)
		fill(t, b.ValueBuilder(), 1)
	case *array.LargeListBuilder:
		b.Append(true)
		fill(t, b.ValueBuilder(), row)
	case *array.ListViewBuilder:
		b.AppendWithSize(true, 1)
		fill(t, b.ValueBuilder(), row)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		fill(t, b.ValueBuilder(), row)
		fill(t, b.ValueBuilder(), 1)
	case *array.StructBuilder:
		b.Append(true)
		fill(t, b.FieldBuilder(0), row)
	case *array.MapBuilder:
		b.Append(true)
		fill(t, b.KeyBuilder(), 2)
		fill(t, b.ItemBuilder(), row)
	case *array.SparseUnionBuilder:
		b.Append(b.Type().(arrow.UnionType).TypeCodes()[0])
		fill(t, b.Child(0), row)
	case *array.DenseUnionBuilder:
		b.Append(0)
		fill(t, b.Child(0), row)
	case *array.RunEndEncodedBuilder:
		b.Append(1)
		fill(t, b.ValueBuilder(), row)
	default:
		t.Fatalf("no values for a %T", b)
	}
}

// signed returns the hash, the key and the signature of each row.
var signed = sync.OnceValue(func() (list [batchRows][3][]byte) {
	for row := range list {
		hash := sha256.Sum256([]byte{byte(row)})
		key, err := koblitz.NewPrivateKey(hash[:])
		if err != nil {
			panic(err)
		}
		sig, err := ecdsa.Sign(key, hash[:])
		if err != nil {
			panic(err)
		}
		public := key.PublicKey().Compressed()
		list[row] = [3][]byte{hash[:], public[:], sig.AppendBytes(nil)}
	}
	return list
})

// fillBytes appends bytes.
func fillBytes(t testing.TB, b array.Builder, v []byte) {
	switch b := b.(type) {
	case *array.BinaryBuilder:
		b.Append(v)
	case *array.FixedSizeBinaryBuilder:
		b.Append(v)
	case *array.BinaryViewBuilder:
		b.Append(v)
	case *array.BinaryDictionaryBuilder:
		if err := b.Append(v); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("no bytes for a %T", b)
	}
}

// honest is a stream of two batches with rows that are signed. The columns h, k and s come first.
// The hash of row 1 is null.
func honest(t testing.TB, fields []arrow.Field, options ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
	for range 2 {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for row, values := range signed() {
			for i := range fields {
				switch {
				case i == 0 && row == 1:
					b.Field(i).AppendNull()
				case i < len(values):
					fillBytes(t, b.Field(i), values[i])
				default:
					fill(t, b.Field(i), row)
				}
			}
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A located is a RecordBatch of a stream, with the places of its numbers in the stream.
type located struct {
	length     int   // 8 bytes
	nodes      []int // each 8 bytes of length and 8 of null count
	buffers    []int // each 8 bytes of offset and 8 of length
	body       int   // where the buffers are
	bodyLength int64
}

// batches finds the record batches of a stream; with dictionaries it finds those instead.
func batches(stream []byte, dictionaries bool) (found []located) {
	for at := 0; at+8 <= len(stream); {
		n := int(binary.LittleEndian.Uint32(stream[at+4:]))
		if n == 0 {
			break
		}
		start := at + 8
		meta := stream[start : start+n]
		message := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
		place := func(t flatbuffers.Table, slot flatbuffers.VOffsetT) int {
			return int(t.Pos) + int(t.Offset(slot))
		}
		body := int64(0)
		if message.Offset(10) != 0 {
			body = message.GetInt64(flatbuffers.UOffsetT(place(message, 10)))
		}
		var batch flatbuffers.Table
		kind := meta[place(message, 6)]
		message.Union(&batch, flatbuffers.UOffsetT(message.Offset(8)))
		if kind == 2 && dictionaries {
			batch.Pos = batch.Indirect(flatbuffers.UOffsetT(place(batch, 6)))
		}
		if kind == 2 && dictionaries || kind == 3 && !dictionaries {
			l := located{length: start + place(batch, 4), body: start + n, bodyLength: body}
			for _, list := range []struct {
				slot flatbuffers.VOffsetT
				to   *[]int
			}{{6, &l.nodes}, {8, &l.buffers}} {
				o := flatbuffers.UOffsetT(batch.Offset(list.slot))
				for i := range batch.VectorLen(o) {
					*list.to = append(*list.to, start+int(batch.Vector(o))+16*i)
				}
			}
			found = append(found, l)
		}
		at = start + n + int(body)
	}
	return found
}

// verdictsOf runs a stream, and returns how many rows of the answer there are.
func verdictsOf(in []byte) (answered int64, err error) {
	out, err := answer(in)
	r, readErr := ipc.NewReader(bytes.NewReader(out))
	for readErr == nil && r.Next() {
		answered += r.RecordBatch().NumRows()
	}
	return answered, err
}

// answer runs a stream.
func answer(in []byte) ([]byte, error) {
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = Run(context.Background(), check.Config{Workers: 1}, bytes.NewReader(in), &out, spec)
	return out.Bytes(), err
}

func number(b []byte, at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// with returns a copy of a stream with another number at a place.
func with(stream []byte, at int, n int64) []byte {
	changed := bytes.Clone(stream)
	binary.LittleEndian.PutUint64(changed[at:], uint64(n))
	return changed
}

// refused wants the batches before batch answered, and an error about it.
func refused(t *testing.T, what string, in []byte, batch int) {
	t.Helper()
	answered, err := verdictsOf(in)
	if err == nil || answered != int64(batch*batchRows) ||
		!strings.HasPrefix(err.Error(), fmt.Sprintf("stdin: batch %d: ", batch)) {
		t.Errorf("%s: %d rows were answered, %v", what, answered, err)
	}
}

// TestLengths gives batches, and nodes of their columns, other lengths and null counts.
func TestLengths(t *testing.T) {
	for name, options := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}} {
		in := honest(t, fields(), options...)
		if n, err := verdictsOf(in); n != 2*batchRows || err != nil {
			t.Fatalf("%s: %d rows, %v", name, n, err)
		}
		for _, dictionaries := range []bool{false, true} {
			for i, b := range batches(in, dictionaries) {
				batch := i
				if dictionaries {
					batch = 0 // all dictionaries come before it
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
							refused(t, fmt.Sprintf("%s, dictionaries %t, byte %d of %v: %d instead of %d", name,
								dictionaries, at, b, other, n), with(in, at, other), batch)
						}
					}
				}
			}
		}
	}
}

// TestBuffers gives buffers other places and lengths.
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

// bufferOf returns the place in a stream of buffer k of a column of a batch. Buffers of columns
// inside of it count on.
func bufferOf(b located, name string, k int) int {
	var count func(t arrow.DataType) int
	count = func(t arrow.DataType) (n int) {
		for _, spec := range t.Layout().Buffers {
			if spec.Kind != arrow.KindAlwaysNull {
				n++
			}
		}
		if t.Layout().VariadicSpec != nil {
			n++ // these tests have one buffer of views
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

// TestContents changes offsets, indexes and bitmaps: those of columns that are only passed on too.
func TestContents(t *testing.T) {
	in := honest(t, fields())
	for i, b := range batches(in, false) {
		for _, c := range []struct {
			column string
			buffer int
			what   string
			size   int // bytes of an entry
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
			{"views", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"views", 1, "offsets of a null", 8, []int64{1 << 52, -1 << 32}},
			{"views", 2, "sizes", 4, []int64{-1, 1 << 20}},
			{"struct", 0, "bitmap", 1, []int64{0, 0xff}},
			{"struct", 1, "bitmap inside", 1, []int64{0, 0xff}},
			{"map", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"sparse", 0, "types", 1, []int64{-1, 1}},
			{"dense", 0, "types", 1, []int64{-1, 1}},
			{"dense", 1, "offsets", 4, []int64{-1, 1 << 20}},
			{"runs", 1, "ends", 4, []int64{-1, 0}},
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

// TestDictionaries: an entry that is out of place in the first dictionary, text that is no UTF-8,
// and dictionaries in parts.
func TestDictionaries(t *testing.T) {
	in := honest(t, fields())
	b := batches(in, true)[0]
	offsets := b.body + int(number(in, b.buffers[1]))
	refused(t, "offsets of a dictionary", with(in, offsets, -1), 0)

	// A text that is not UTF-8 is not a reason to refuse its batch.
	text := bytes.ReplaceAll(in, []byte("a text of row 3"), []byte("a text of row \xff"))
	if n, err := verdictsOf(text); n != 2*batchRows || err != nil {
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
		var out bytes.Buffer
		w := ipc.NewWriter(&out, append(c.options, ipc.WithSchema(schema))...)
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for i, v := range signed() {
			for k := range v {
				fillBytes(t, b.Field(k), v[k])
			}
			fillBytes(t, b.Field(3), v[0][:i])
		}
		first := b.NewRecordBatch()
		longer := func(a *array.Dictionary) arrow.Array { // another value behind those that there are
			more := array.NewBinaryBuilder(memory.NewGoAllocator(), arrow.BinaryTypes.Binary)
			for i := range a.Dictionary().Len() {
				more.Append(a.Dictionary().(*array.Binary).Value(i))
			}
			more.Append([]byte("more"))
			return array.NewDictionaryArray(a.DataType(), a.Indices(), more.NewArray())
		}
		second := append(slices.Clone(first.Columns()[:3]),
			longer(first.Column(3).(*array.Dictionary)))
		for _, batch := range []arrow.RecordBatch{first, array.NewRecordBatch(schema, second,
			batchRows)} {
			if err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		n, err := verdictsOf(out.Bytes())
		if c.want == "" && (n != 2*batchRows || err != nil) ||
			c.want != "" && (n != batchRows || err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%d rows, %v; want %q", n, err, c.want)
		}
	}
}

// TestPackedBuffers shortens packed buffers, and changes the checksums of those that have one.
func TestPackedBuffers(t *testing.T) {
	list := append(slices.Clone(fields()[:3]), fields()[6])
	for name, option := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		in := honest(t, list, option)
		b := batches(in, false)[0]
		for k, at := range b.buffers {
			start, size := b.body+int(number(in, at)), int(number(in, at+8))
			for i := max(start, start+size-4); i < start+size && name == "zstd"; i++ {
				bad := bytes.Clone(in)
				bad[i] ^= 0x55
				refused(t, fmt.Sprintf("%s, byte %d of buffer %d", name, i-start, k), bad, 0)
			}
			for n := range int64(size) {
				refused(t, fmt.Sprintf("%s, %d bytes of buffer %d", name, n, k), with(in, at+8, n), 0)
			}
		}
	}
	var frame bytes.Buffer
	z := lz4.NewWriter(&frame)
	if err := z.Apply(lz4.ChecksumOption(false)); err != nil {
		t.Fatal(err)
	}
	z.Write([]byte("some text"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	one := frame.Bytes()
	another := bytes.Clone(one)
	another[len(one)-1] = 0x80 // the mark of the end is four zeros
	for name, c := range map[string]struct {
		in   []byte
		n    int
		good bool
	}{
		"one frame":       {one, 9, true},
		"two frames":      {append(bytes.Clone(one), one...), 18, false},
		"bytes behind it": {append(bytes.Clone(one), 0), 9, false},
		"no bytes":        {nil, 0, false},
		"a longer claim":  {one, 10, false},
		"a shorter claim": {one, 8, false},
		"no claim":        {one, 0, false},
		"another end":     {another, 9, false},
		"a skipped frame": {append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}, one...), 9, false},
	} {
		if err := decodeLZ4(make([]byte, c.n), c.in); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDescriptions breaks descriptions of messages at places that the library does not look at, or
// reads as something else.
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
	union := slices.Clone(fields()[:3])
	union = append(union, arrow.Field{Name: "union", Type: arrow.SparseUnionOf([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true}}, []arrow.UnionTypeCode{77})})
	codes := honest(t, union)
	list := bytes.Index(codes, []byte{1, 0, 0, 0, 77, 0, 0, 0})
	codes[list] = 0
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"no codes of a union", codes, errBroken.Error()},
		{"a text without its end", edit("int64\x00", "int64x"), errBroken.Error()},
		{"a name that is no UTF-8", edit("int64\x00", "int\xff4\x00"), "not UTF-8"},
		{"a list of fields of odd length", at(fieldsOf, 9), errBroken.Error()},
		{"a list of fields that is too long", at(fieldsOf, 0xfffe), errBroken.Error()},
		{"a field outside of the message", at(fieldsOf+8, 0xfffc), errBroken.Error()},
		{"a table at an odd place", at(0, uint16(root+1)), errBroken.Error()},
		{"a table outside of the message", at(2, 0x7fff), errBroken.Error()},
		{"an old version", version(3), "version 3 of Arrow's metadata"},
		{"a version to come", version(6), "version 6 of Arrow's metadata"},
	} {
		answered, err := verdictsOf(c.in)
		if err == nil || answered != 0 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d rows, %v", c.name, answered, err)
		}
	}
}

// TestNoRows answers batches without rows, with columns of every type and such columns inside.
func TestNoRows(t *testing.T) {
	for _, f := range fields()[3:] {
		for _, typ := range []arrow.DataType{f.Type, arrow.ListOf(f.Type),
			arrow.StructOf(arrow.Field{Name: "a", Type: f.Type, Nullable: true})} {
			schema := arrow.NewSchema(append(fields()[:3:3],
				arrow.Field{Name: f.Name, Type: typ, Nullable: true}), nil)
			var in bytes.Buffer
			w := ipc.NewWriter(&in, ipc.WithSchema(schema))
			b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
			if err := w.Write(b.NewRecordBatch()); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if n, err := verdictsOf(in.Bytes()); n != 0 || err != nil {
				t.Errorf("%v: %d rows, %v", typ, n, err)
			}
		}
	}
}

// TestKeyValue refuses metadata without a key or a value, as PyArrow does.
func TestKeyValue(t *testing.T) {
	for fields := range 4 {
		b := flatbuffers.NewBuilder(0)
		text := b.CreateString("")
		b.StartObject(2)
		for i := range 2 {
			if fields>>i&1 == 1 {
				b.PrependUOffsetTSlot(i, text, 0)
			}
		}
		b.Finish(b.EndObject())
		v := &verifier{b: b.FinishedBytes()}
		if v.root(v.keyValue); (v.err == nil) != (fields == 3) {
			t.Errorf("fields %02b: %v", fields, v.err)
		}
	}
}
