package lab

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

// A layout describes how writeParquet stores a table in a Parquet file.
type layout struct {
	Text     bool // store the cells as strings rather than bytes
	Fixed    bool // use the type FIXED_LEN_BYTE_ARRAY
	Required bool // declare columns that cannot hold nulls
	Options  []parquet.WriterProperty
	Group    int // number of rows in a row group; 0 means all
}

func (l *layout) node(t testing.TB, c columnstest.Column) schema.Node {
	repetition := parquet.Repetitions.Optional
	if l.Required {
		repetition = parquet.Repetitions.Required
	}
	var logical schema.LogicalType
	kind, width := parquet.Types.ByteArray, -1
	switch {
	case l.Text:
		logical = schema.StringLogicalType{}
	case l.Fixed && c.Name != "note":
		kind, width = parquet.Types.FixedLenByteArray, len(c.Values[0])
	}
	n, err := schema.NewPrimitiveNodeLogical(c.Name, repetition, logical, kind, width, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeParquet returns table as a Parquet file written by arrow-go.
func writeParquet(t testing.TB, table []columnstest.Column, l layout) []byte {
	t.Helper()
	var nodes schema.FieldList
	for _, c := range table {
		nodes = append(nodes, l.node(t, c))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(
		parquet.NewWriterProperties(l.Options...)))
	n := len(table[0].Values)
	group := l.Group
	if group == 0 {
		group = max(n, 1)
	}
	for from := 0; from < n; from += group {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range table {
			writeColumn(t, g, c.Values[from:min(from+group, n)], l.Required)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeColumn(t testing.TB, g file.SerialRowGroupWriter, values [][]byte, required bool) {
	t.Helper()
	w, err := g.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	var levels []int16
	var present [][]byte
	for _, v := range values {
		if v == nil {
			levels = append(levels, 0)
			continue
		}
		levels = append(levels, 1)
		present = append(present, v)
	}
	if required {
		levels = nil
	}
	switch w := w.(type) {
	case *file.ByteArrayColumnChunkWriter:
		list := make([]parquet.ByteArray, len(present))
		for i, v := range present {
			list[i] = v
		}
		_, err = w.WriteBatch(list, levels, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		list := make([]parquet.FixedLenByteArray, len(present))
		for i, v := range present {
			list[i] = v
		}
		_, err = w.WriteBatch(list, levels, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// codecs maps names to the compressions that tests use.
var codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy,
	"gzip": compress.Codecs.Gzip, "zstd": compress.Codecs.Zstd,
	"lz4": compress.Codecs.Lz4Raw,
}
