package lab

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// arrowBatch returns the rows start, …, end-1 of a table as a record batch. typeOf returns the type
// of a column whose values have width bytes.
func arrowBatch(t testing.TB, table []columnstest.Column, start, end int,
	typeOf func(width int) arrow.DataType) arrow.RecordBatch {
	t.Helper()
	mem := memory.NewGoAllocator()
	var fields []arrow.Field
	var list []arrow.Array
	for _, c := range table {
		typ := arrow.DataType(arrow.BinaryTypes.String)
		if c.Name != "note" {
			typ = typeOf(len(c.Values[0]))
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: typ, Nullable: true})
		b := array.NewBuilder(mem, typ)
		for _, v := range c.Values[start:end] {
			if v == nil {
				b.AppendNull()
				continue
			}
			fillBytes(t, b, v)
		}
		list = append(list, b.NewArray())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), list, int64(end-start))
}

// TestTypes checks that columns of every type are written back unchanged, with
// verdicts added.
func TestTypes(t *testing.T) {
	const n = 3000
	for _, scheme := range []reading.Scheme{reading.ECDSA, reading.Schnorr, reading.Recover} {
		table := columnstest.Signed(t, scheme, n)
		table[3].Values[7][40] ^= 1
		table[1].Values[2000] = nil
		hexed := columnstest.AsText(table, columnstest.Forms["0x"])
		for name, test := range map[string]struct {
			table []columnstest.Column
			kind  func(width int) arrow.DataType
		}{
			"binary": {table, func(int) arrow.DataType { return arrow.BinaryTypes.Binary }},
			"large":  {table, func(int) arrow.DataType { return arrow.BinaryTypes.LargeBinary }},
			"view":   {table, func(int) arrow.DataType { return arrow.BinaryTypes.BinaryView }},
			"fixed": {table, func(w int) arrow.DataType {
				return &arrow.FixedSizeBinaryType{ByteWidth: w}
			}},
			"string":     {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.String }},
			"largestr":   {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.LargeString }},
			"stringview": {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.StringView }},
		} {
			var batches []arrow.RecordBatch
			for _, cut := range [][2]int{{0, 1}, {1, 1}, {1, 1200}, {1200, n}} {
				batches = append(batches, arrowBatch(t, test.table, cut[0], cut[1], test.kind))
			}
			what := fmt.Sprintf("scheme %v, %s", scheme, name)
			out, err := answer(t, scheme, arrowStream(t, batches))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			compareStream(t, what, batches, out, scheme)
		}
	}
}

// compareStream checks that output has the given batches with verdicts, and failures only in rows 7
// and 2000.
func compareStream(t *testing.T, name string, batches []arrow.RecordBatch, output []byte,
	scheme reading.Scheme) {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(output))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	row := 0
	for i, in := range batches {
		if !r.Next() {
			t.Fatalf("%s: %d batches of %d: %v", name, i, len(batches), r.Err())
		}
		got := r.RecordBatch()
		if got.NumRows() != in.NumRows() {
			t.Fatalf("%s: batch %d has %d rows, want %d", name, i, got.NumRows(), in.NumRows())
		}
		for c := range in.NumCols() {
			if !array.Equal(got.Column(int(c)), in.Column(int(c))) {
				t.Fatalf("%s: batch %d: column %d has changed", name, i, c)
			}
		}
		added := got.Columns()[in.NumCols():]
		for k := range int(in.NumRows()) {
			verdict, reason := added[0].ValueStr(k), added[1].ValueStr(k)
			want := "valid (null)"
			switch row {
			case 7:
				want = "invalid "
			case 2000:
				want = `malformed column "h": null`
			}
			if !strings.HasPrefix(verdict+" "+reason, want) {
				t.Fatalf("%s: row %d: %s, %s; want %s", name, row, verdict, reason, want)
			}
			if scheme == reading.Recover && (len(added[2].ValueStr(k)) == 42) != (verdict == "valid") {
				t.Fatalf("%s: row %d: sender %s", name, row, added[2].ValueStr(k))
			}
			row++
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("%s: another batch, or %v", name, r.Err())
	}
}
