package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
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
			case *array.BinaryDictionaryBuilder:
				if err := b.Append(v); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("no builder of %v", typ)
			}
		}
		list = append(list, b.NewArray())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), list, int64(end-start))
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

// TestStream checks that columns of every type, compressed or not, are written back unchanged, with
// verdicts added.
func TestStream(t *testing.T) {
	const n = 3000
	for scheme, columns := range tableArgs {
		table := signedTable(t, scheme, n)
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
			"dictionary": {table, func(int) arrow.DataType {
				return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32,
					ValueType: arrow.BinaryTypes.Binary}
			}},
			"string":     {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.String }},
			"largestr":   {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.LargeString }},
			"stringview": {hexed, func(int) arrow.DataType { return arrow.BinaryTypes.StringView }},
		} {
			var batches []arrow.RecordBatch
			for _, cut := range [][2]int{{0, 1}, {1, 1}, {1, 1200}, {1200, n}} {
				batches = append(batches, arrowBatch(t, test.table, cut[0], cut[1], test.kind))
			}
			for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
				in := arrowStream(t, batches, options...)
				status, stdout, stderr := cli(t, string(in), "stream", "--columns", columns)
				if status != exitOK {
					t.Fatalf("%s, %s: status %d, %s", columns, name, status, stderr)
				}
				compareStream(t, columns+", "+name, batches, stdout, scheme)
			}
		}
	}
}

// compareStream checks that output has the given batches with verdicts, and failures only in rows 7
// and 2000.
func compareStream(t *testing.T, name string, batches []arrow.RecordBatch, output string,
	scheme rows.Scheme) {
	t.Helper()
	r, err := ipc.NewReader(strings.NewReader(output))
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
			if scheme == rows.Recover && (len(added[2].ValueStr(k)) == 42) != (verdict == "valid") {
				t.Fatalf("%s: row %d: sender %s", name, row, added[2].ValueStr(k))
			}
			row++
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("%s: another batch, or %v", name, r.Err())
	}
}

// TestStreamAnswers checks that the verdicts of a batch are written before the next batch arrives.
func TestStreamAnswers(t *testing.T) {
	table := signedTable(t, rows.Schnorr, 2500)
	binary := func(int) arrow.DataType { return arrow.BinaryTypes.Binary }
	first := arrowBatch(t, table, 0, 2500, binary)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		status := run(t.Context(), []string{"stream", "--columns", tableArgs[rows.Schnorr]}, inRead,
			outWrite, io.Discard)
		outWrite.Close()
		ended <- status
	}()
	w := ipc.NewWriter(inWrite, ipc.WithSchema(first.Schema()))
	var r *ipc.Reader
	for i := range 3 {
		if err := w.Write(first); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			var err error
			if r, err = ipc.NewReader(outRead); err != nil {
				t.Fatal(err)
			}
		}
		if !r.Next() || r.RecordBatch().NumRows() != 2500 {
			t.Fatalf("batch %d: %v", i, r.Err())
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	inWrite.Close()
	if r.Next() {
		t.Error("a fourth batch")
	}
	io.Copy(io.Discard, outRead)
	if status := <-ended; status != exitOK {
		t.Errorf("status %d", status)
	}
}

// TestStreamErrors checks that koblitz stream gives the right exit status and message for malformed
// Arrow streams and wrong command lines.
func TestStreamErrors(t *testing.T) {
	table := signedTable(t, rows.ECDSA, 100)
	binary := func(int) arrow.DataType { return arrow.BinaryTypes.Binary }
	batch := arrowBatch(t, table, 0, 100, binary)
	good := arrowStream(t, []arrow.RecordBatch{batch, batch})
	taken := append([]columnstest.Column{}, table...)
	taken[0].Name = "verdict"
	alike := append([]columnstest.Column{}, table...)
	alike[0].Name = "Reason"
	const columns = "--columns hash=h,key=k,sig=s"
	for _, test := range []struct {
		name, args string
		in         []byte
		status     int
		want       string
	}{
		{"no columns", "", good, exitUsage, "which columns?"},
		{"an argument", columns + " file", good, exitUsage, "unexpected argument"},
		{"no workers", columns + " -w 0", good, exitUsage, "at least one"},
		{"too many workers", columns + " -w 1025", good, exitUsage, "at most 1024"},
		{"a format", columns + " -f nostr", good, exitUsage, "does not go with --format nostr"},
		{"empty", columns, nil, exitUnreadable, "stdin: the stream does not begin with its schema"},
		{"text", columns, []byte("hello, world, this is text"), exitUnreadable, "stdin: "},
		{"truncated", columns, good[:len(good)-2000], exitUnreadable, "stdin: batch 1: "},
		{"another column", "--columns hash=x,key=k,sig=s", good, exitUnreadable,
			`there is no column "x"; there are "note", "h", "k", "s"`},
		{"a column of ours", columns, arrowStream(t, []arrow.RecordBatch{arrowBatch(t, taken, 0, 1,
			binary)}), exitUnreadable, `a column "verdict" already`},
		{"a column like ours", columns, arrowStream(t, []arrow.RecordBatch{arrowBatch(t, alike, 0, 1,
			binary)}), exitUnreadable, `a column "Reason" already`},
		{"two streams", columns, append(good[:len(good):len(good)], good...), exitUnreadable,
			"stdin: the input goes on behind the end of the stream"},
		{"a byte too many", columns, append(good[:len(good):len(good)], 0), exitUnreadable,
			"stdin: the input goes on behind the end of the stream"},
	} {
		status, stdout, stderr := cli(t, string(test.in), append([]string{"stream"},
			strings.Fields(test.args)...)...)
		if status != test.status || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d, %q, want %d, %q", test.name, status, stderr, test.status, test.want)
		}
		if test.name == "truncated" { // the batch before the cut must get its verdicts
			r, err := ipc.NewReader(strings.NewReader(stdout))
			if err != nil || !r.Next() || r.RecordBatch().NumRows() != 100 {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
	var numbers []arrow.RecordBatch
	b := array.NewInt64Builder(memory.NewGoAllocator())
	b.Append(1)
	numbers = append(numbers, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "h",
		Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{b.NewArray()}, 1))
	_, _, stderr := cli(t, string(arrowStream(t, numbers)), "stream", "--columns", "hash=h,sig=h2")
	if !strings.Contains(stderr, `column "h": int64, where bytes or text are needed`) {
		t.Error(stderr)
	}
}

// TestStreamBytes changes single bytes of a stream. After each change koblitz stream must either
// end with status 0 or report an error about standard input.
func TestStreamBytes(t *testing.T) {
	table := signedTable(t, rows.ECDSA, 3)
	for name, kind := range map[string]arrow.DataType{"binary": arrow.BinaryTypes.Binary,
		"view": arrow.BinaryTypes.BinaryView, "dictionary": &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.Binary}} {
		for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}} {
			in := arrowStream(t, []arrow.RecordBatch{arrowBatch(t, table, 0, 3,
				func(int) arrow.DataType { return kind })}, options...)
			step := 41
			if everyCase() {
				step = 1
			}
			for i := 0; i < len(in); i += step {
				for _, x := range []byte{1, 0x80, 0xff} {
					bad := bytes.Clone(in)
					bad[i] ^= x
					status, _, stderr := cli(t, string(bad), "stream", "-w", "1", "--columns",
						tableArgs[rows.ECDSA])
					if status != exitOK && (status != exitUnreadable || !strings.HasPrefix(stderr,
						"koblitz: stdin: ")) {
						t.Fatalf("%s, byte %d ^ %x: status %d, %s", name, i, x, status, stderr)
					}
				}
			}
		}
	}
}
