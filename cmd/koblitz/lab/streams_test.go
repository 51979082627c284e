package lab

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// batchRows is the number of rows of every batch in these tests.
const batchRows = 5

// fields returns columns of many types. Run verifies h, k and s, and only passes on the columns
// after them.
func fields() []arrow.Field {
	text := arrow.BinaryTypes.String
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
	}
	var list []arrow.Field
	for _, t := range types {
		list = append(list, arrow.Field{Name: t.name, Type: t.typ, Nullable: true})
	}
	return list
}

// fill appends the value of row i to b. In some rows the value is null.
func fill(t testing.TB, b array.Builder, i int) {
	if i == 1 {
		b.AppendNull()
		return
	}
	text := fmt.Sprintf("a text of row %d", i)
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(i%2 == 0)
	case *array.Int8Builder:
		b.Append(int8(i))
	case *array.Int64Builder:
		b.Append(int64(i))
	case *array.StringBuilder:
		b.Append(text)
	case *array.LargeStringBuilder:
		b.Append(text)
	case *array.StringViewBuilder:
		b.Append(text)
	default:
		t.Fatalf("no values for a %T", b)
	}
}

// signed returns the hash, the key and the signature for each row of a batch.
var signed = sync.OnceValue(func() (list [batchRows][3][]byte) {
	for row := range list {
		hash := sha256.Sum256([]byte{byte(row)})
		key, err := koblitz.ParsePrivateKey(hash[:])
		if err != nil {
			panic(err)
		}
		sig, err := ecdsa.Sign(key, hash[:], nil)
		if err != nil {
			panic(err)
		}
		public := [33]byte(key.PublicKey().Bytes())
		list[row] = [3][]byte{hash[:], public[:], sig.AppendBytes(nil)}
	}
	return list
})

// fillBytes appends the cell v to b.
func fillBytes(t testing.TB, b array.Builder, v []byte) {
	switch b := b.(type) {
	case *array.BinaryBuilder:
		b.Append(v)
	case *array.FixedSizeBinaryBuilder:
		b.Append(v)
	case *array.BinaryViewBuilder:
		b.Append(v)
	case *array.StringBuilder:
		b.Append(string(v))
	case *array.LargeStringBuilder:
		b.Append(string(v))
	case *array.StringViewBuilder:
		b.Append(string(v))
	default:
		t.Fatalf("no bytes for a %T", b)
	}
}

// honest returns a valid stream of two batches with signed rows. The columns h, k and s come first.
// The hash of row 1 is null.
func honest(t testing.TB, fields []arrow.Field, options ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var list []arrow.RecordBatch
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
		list = append(list, b.NewRecordBatch())
	}
	return arrowStream(t, list, options...)
}

// arrowStream returns the batches as an Arrow IPC stream.
func arrowStream(t testing.TB, batches []arrow.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(batches[0].Schema()))...)
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// verdictsOf calls Run with stream as the input and returns the number of rows in the output.
func verdictsOf(t testing.TB, stream []byte) (answered int64, err error) {
	t.Helper()
	out, err := answer(t, reading.ECDSA, stream)
	r, readErr := ipc.NewReader(bytes.NewReader(out))
	for readErr == nil && r.Next() {
		answered += r.RecordBatch().NumRows()
	}
	return answered, err
}

// answer calls Run with stream as the input and returns the output.
func answer(t testing.TB, scheme reading.Scheme, stream []byte) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	err := arrowstream.Run(t.Context(), verify.Config{Workers: 1}, bytes.NewReader(stream), &out,
		specFor(t, scheme, columns.Auto))
	return out.Bytes(), err
}
