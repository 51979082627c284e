//go:build linux && !race

package command

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
)

// parquetBomb returns a Parquet file with n rows in three columns, which have the same pages.
func parquetBomb(t *testing.T, n int64, codec format.CompressionCodec, pages []byte,
	more ...format.RowGroup) []byte {
	size := int64(len(pages))
	file := format.FileMetaData{NumRows: n, Schema: []format.SchemaElement{{Name: "schema",
		NumChildren: thrift.New[int32](3)}}}
	group := format.RowGroup{TotalByteSize: size, NumRows: n}
	for _, name := range []string{"hash", "key", "signature"} {
		file.Schema = append(file.Schema, format.SchemaElement{Name: name,
			Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Optional)})
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: format.ByteArray, Encoding: []format.Encoding{format.Plain},
			PathInSchema: []string{name}, Codec: codec, NumValues: n, TotalUncompressedSize: size,
			TotalCompressedSize: size, DataPageOffset: int64(len(parquetfile.Magic))}})
	}
	file.RowGroups = append([]format.RowGroup{group}, more...)
	return parquettest.File(pages, parquettest.Marshal(t, file))
}

// dataPage returns a page of n values. Its header claims the size unpacked.
func dataPage(t *testing.T, n, unpacked int32, e format.Encoding, body []byte) []byte {
	return append(parquettest.Marshal(t, format.PageHeader{Type: format.DataPage,
		UncompressedPageSize: unpacked, CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: n, Encoding: e,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}), body...)
}

// TestMemoryOfTables checks Parquet files whose headers claim more data than the file holds.
func TestMemoryOfTables(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	const plain, deltaLength, none = format.Plain, format.DeltaLengthByteArray, format.Uncompressed
	// levels encodes n equal definition levels: 1 means that a value is present, 0 that it is null.
	levels := func(n, level int) []byte {
		run := append(binary.AppendUvarint(nil, uint64(n)<<1), byte(level))
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
	}
	nulls := levels(1<<18, 0)
	const huge = 1<<31 - 1
	dict := parquettest.Marshal(t, format.PageHeader{Type: format.DictionaryPage,
		UncompressedPageSize: 4, CompressedPageSize: 4,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: huge})})
	indices := append(levels(2, 1), 32, 4, 0xf0, 0xff, 0xff, 0x7f)
	delta := append(levels(2, 1), binary.AppendUvarint(nil, 1<<31)...)
	delta = append(delta, 1, 2, 0, 0, 0)
	lengths := append(binary.AppendUvarint(append(levels(2, 1), 0x80, 1, 4), 1<<30), 0)
	zstdClaim := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0x0f, 0, 0, 0, 1, 0, 0}
	schema := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, 4_000_000)...)
	schema = append(schema, make([]byte, 4_000_000)...)
	deep := bytes.Repeat([]byte{0x1c}, 4_000_000)
	groups := slices.Repeat([]format.RowGroup{{Columns: make([]format.ColumnChunk, 1)}}, 300_000)
	for _, test := range []struct {
		name   string
		file   []byte
		status int
		want   string
	}{
		{"nulls", parquetBomb(t, 1<<18, none, dataPage(t, 1<<18, int32(len(nulls)), plain, nulls)),
			cli.ExitInvalid, "malformed      262144\n"},
		{"a large page", parquetBomb(t, 2, none, dataPage(t, 2, huge, plain, nulls)),
			cli.ExitUnreadable, "a page of 2147483647 bytes, more than the 33554432 that are read"},
		{"a large dictionary", parquetBomb(t, 2, none, append(append(dict, 0, 0, 0, 0), dataPage(t, 2,
			int32(len(indices)), format.RLEDictionary, indices)...)), cli.ExitUnreadable,
			"a dictionary of 2147483647 values"},
		{"a large block", parquetBomb(t, 2, none, dataPage(t, 2, int32(len(delta)), deltaLength,
			delta)), cli.ExitUnreadable, "with blocks of 2147483648 values"},
		{"many lengths", parquetBomb(t, 2, none, dataPage(t, 2, int32(len(lengths)), deltaLength,
			lengths)), cli.ExitUnreadable, "a page of 1073741824 values in DELTA_LENGTH_BYTE_ARRAY"},
		{"Snappy", parquetBomb(t, 2, format.Snappy, dataPage(t, 2, 100, plain, append(
			binary.AppendUvarint(nil, 1<<31), snappy.Encode(nil, []byte("x"))[1:]...))),
			cli.ExitUnreadable, "another length than the page says"},
		{"zstd", parquetBomb(t, 2, format.Zstd, dataPage(t, 2, 100, plain, zstdClaim)),
			cli.ExitUnreadable, "a page cannot be unpacked"},
		{"row groups", parquetBomb(t, 0, none, nil, groups...), cli.ExitUnreadable,
			": row group 1, at row 0: "},
		{"a large schema", parquettest.File(nil, append(schema, 0x16, 0, 0x19, 0, 0)),
			cli.ExitUnreadable, "a schema of 4000000 elements"},
		{"deep structs", parquettest.File(nil, deep), cli.ExitUnreadable,
			"a description is not well-formed"},
		{"a claimed list", parquettest.File(nil, []byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 7}),
			cli.ExitUnreadable, "(truncated)"},
		{"a long description", parquettest.File(nil, make([]byte, 5<<20)), cli.ExitUnreadable,
			"the description of the file has"},
	} {
		t.Run(test.name, func(t *testing.T) {
			clitest.Explode(t, nil, test.status, test.want, "check", "--columns", "hash,key,signature",
				write(t, "t.parquet", test.file))
		})
	}
}
