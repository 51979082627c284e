// Package parquettest writes Parquet files for tests. The module cmd/koblitz/lab has tests with
// files that other libraries wrote, with every compression and encoding.
package parquettest

//ci:untested The tests of Parquet run it.

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

// A Layout describes how Write stores a table in a Parquet file.
type Layout struct {
	Text     bool // store the cells as strings rather than bytes
	Fixed    bool // use the type FIXED_LEN_BYTE_ARRAY
	Required bool // declare columns that cannot hold nulls
	Group    int  // number of rows in a row group; 0 means all
}

const magic = "PAR1"

// element returns the description of a column.
func (l *Layout) element(c columnstest.Column) format.SchemaElement {
	e := format.SchemaElement{Name: c.Name, Type: thrift.New(format.ByteArray),
		RepetitionType: thrift.New(format.Optional)}
	if l.Required {
		e.RepetitionType = thrift.New(format.Required)
	}
	switch {
	case l.Text:
		e.ConvertedType = thrift.New(deprecated.UTF8)
		e.LogicalType.Value = new(format.StringType)
	case l.Fixed && c.Name != "note":
		e.Type, e.TypeLength = thrift.New(format.FixedLenByteArray), thrift.New(int32(len(c.Values[0])))
	}
	return e
}

// page returns a page of version 1 with the values of a column, PLAIN and uncompressed.
func page(t testing.TB, e *format.SchemaElement, values [][]byte) []byte {
	t.Helper()
	var data, levels []byte
	for _, v := range values {
		if v == nil {
			levels = append(levels, 0)
			continue
		}
		levels = append(levels, 1)
		if e.Type.V == format.ByteArray {
			data = plain.AppendByteArray(data, v)
		} else {
			data = append(data, v...)
		}
	}
	if e.RepetitionType.V == format.Optional {
		runs, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, levels)
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...),
			data...)
	}
	header := Marshal(t, format.PageHeader{Type: format.DataPage,
		UncompressedPageSize: int32(len(data)), CompressedPageSize: int32(len(data)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(len(values)),
			Encoding: format.Plain, DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE})})
	return append(header, data...)
}

// Marshal returns v in Thrift's compact protocol.
func Marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// File returns a Parquet file with the given pages and the given description, a FileMetaData.
func File(pages, description []byte) []byte {
	out := slices.Concat([]byte(magic), pages, description)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(description))), magic...)
}

// Write returns table as a Parquet file. A column has one page in each row group.
func Write(t testing.TB, table []columnstest.Column, l Layout) []byte {
	t.Helper()
	var pages []byte
	n := len(table[0].Values)
	file := format.FileMetaData{Version: 1, NumRows: int64(n), RowGroups: []format.RowGroup{},
		Schema: []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(len(table)))}}}
	for _, c := range table {
		file.Schema = append(file.Schema, l.element(c))
	}
	size := l.Group
	if size == 0 {
		size = max(n, 1)
	}
	for from := 0; from < n; from += size {
		to := min(from+size, n)
		g := format.RowGroup{NumRows: int64(to - from)}
		for i, c := range table {
			e := &file.Schema[1+i]
			p := page(t, e, c.Values[from:to])
			g.Columns = append(g.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
				Type: e.Type.V, Encoding: []format.Encoding{format.Plain, format.RLE},
				PathInSchema: []string{c.Name}, Codec: format.Uncompressed, NumValues: g.NumRows,
				TotalUncompressedSize: int64(len(p)), TotalCompressedSize: int64(len(p)),
				DataPageOffset: int64(len(magic) + len(pages))}})
			g.TotalByteSize += int64(len(p))
			pages = append(pages, p...)
		}
		file.RowGroups = append(file.RowGroups, g)
	}
	return File(pages, Marshal(t, file))
}
