//go:build linux && !race

package command

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// fields is a struct in Thrift's compact protocol: a list in which field numbers alternate with
// values. An int is encoded as an i64, and an int32 as an i32. All elements of a list must have the
// same type.
type fields []any

// thrift appends the encoding of the struct to b.
func (f fields) thrift(b []byte) []byte {
	last := 0
	for i := 0; i < len(f); i += 2 {
		id := f[i].(int)
		b = append(b, byte(id-last)<<4|thriftType(f[i+1]))
		b = thriftValue(b, f[i+1])
		last = id
	}
	return append(b, 0)
}

func thriftType(v any) byte {
	switch v.(type) {
	case int32:
		return 5
	case int:
		return 6
	case string:
		return 8
	case []any:
		return 9
	}
	return 12
}

func thriftValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int32:
		return binary.AppendVarint(b, int64(v))
	case int:
		return binary.AppendVarint(b, int64(v))
	case string:
		return append(binary.AppendUvarint(b, uint64(len(v))), v...)
	case []any:
		b = binary.AppendUvarint(append(b, 0xf0|thriftType(v[0])), uint64(len(v)))
		for _, e := range v {
			b = thriftValue(b, e)
		}
		return b
	}
	return v.(fields).thrift(b)
}

// parquetBomb returns a Parquet file with n rows in three columns, which have the same pages.
func parquetBomb(n int, codec int32, pages []byte, more ...any) []byte {
	schema := []any{fields{4, "schema", 5, int32(3)}}
	var chunks []any
	for _, name := range []string{"hash", "key", "signature"} {
		schema = append(schema, fields{1, int32(6), 3, int32(1), 4, name})
		chunks = append(chunks, fields{2, 4, 3, fields{1, int32(6), 2, []any{int32(0)}, 3, []any{name},
			4, codec, 5, n, 6, len(pages), 7, len(pages), 9, 4}})
	}
	return withFooter(pages, fields{1, int32(1), 2, schema, 3, n, 4, append([]any{fields{1, chunks, 2,
		len(pages), 3, n}}, more...)}.thrift(nil))
}

// withFooter returns a Parquet file of pages and a footer (the description of the table).
func withFooter(pages, footer []byte) []byte {
	out := slices.Concat([]byte("PAR1"), pages, footer)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

// dataPage returns a page of n values. Its header claims the size unpacked.
func dataPage(n, unpacked int, encoding int32, body []byte) []byte {
	header := fields{1, int32(n), 2, encoding, 3, int32(3), 4, int32(3)}
	return append(fields{1, int32(0), 2, int32(unpacked), 3, int32(len(body)), 5,
		header}.thrift(nil), body...)
}

// TestMemoryOfTables checks Parquet files whose headers claim more data than the file holds.
func TestMemoryOfTables(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	const plain, dictionary, deltaLength, none, snap, zst = 0, 8, 6, 0, 1, 6
	// levels encodes n equal definition levels: 1 means that a value is present, 0 that it is null.
	levels := func(n, level int) []byte {
		run := append(binary.AppendUvarint(nil, uint64(n)<<1), byte(level))
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
	}
	nulls := levels(1<<18, 0)
	const huge = 1<<31 - 1
	dict := fields{1, int32(2), 2, int32(4), 3, int32(4), 7, fields{1, int32(huge), 2,
		int32(0)}}.thrift(nil)
	indices := append(levels(2, 1), 32, 4, 0xf0, 0xff, 0xff, 0x7f)
	delta := append(levels(2, 1), binary.AppendUvarint(nil, 1<<31)...)
	delta = append(delta, 1, 2, 0, 0, 0)
	lengths := binary.AppendUvarint(append(levels(2, 1), 0x80, 1, 4), 1<<30)
	zstdClaim := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0x0f, 0, 0, 0, 1, 0, 0}
	schema := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, 4_000_000)...)
	schema = append(schema, make([]byte, 4_000_000)...)
	deep := bytes.Repeat([]byte{0x1c}, 4_000_000)
	groups := make([]any, 300_000)
	for i := range groups {
		groups[i] = fields{1, []any{fields{2, 4}}, 2, 0, 3, 0}
	}
	for _, test := range []struct {
		name   string
		file   []byte
		status int
		want   string
	}{
		{"nulls", parquetBomb(1<<18, none, dataPage(1<<18, len(nulls), plain, nulls)), cli.ExitInvalid,
			"malformed      262144\n"},
		{"a large page", parquetBomb(2, none, dataPage(2, huge, plain, nulls)), cli.ExitUnreadable,
			"a page of 2147483647 bytes, more than the 33554432 that are read"},
		{"a large dictionary", parquetBomb(2, none, append(append(dict, 0, 0, 0, 0),
			dataPage(2, len(indices), dictionary, indices)...)), cli.ExitUnreadable,
			"a dictionary of 2147483647 values"},
		{"a large block", parquetBomb(2, none, dataPage(2, len(delta), deltaLength, delta)),
			cli.ExitUnreadable, "with blocks of 2147483648 values"},
		{"many lengths", parquetBomb(2, none, dataPage(2, len(lengths)+1, deltaLength, append(lengths,
			0))), cli.ExitUnreadable, "a page of 1073741824 values in DELTA_LENGTH_BYTE_ARRAY"},
		{"Snappy", parquetBomb(2, snap, dataPage(2, 100, plain, append(binary.AppendUvarint(nil, 1<<31),
			snappy.Encode(nil, []byte("x"))[1:]...))), cli.ExitUnreadable,
			"another length than the page says"},
		{"zstd", parquetBomb(2, zst, dataPage(2, 100, plain, zstdClaim)), cli.ExitUnreadable,
			"a page cannot be unpacked"},
		{"row groups", parquetBomb(0, none, nil, groups...), cli.ExitUnreadable,
			": row group 1, at row 0: "},
		{"a large schema", withFooter(nil, append(schema, 0x16, 0, 0x19, 0, 0)), cli.ExitUnreadable,
			"a schema of 4000000 elements"},
		{"deep structs", withFooter(nil, deep), cli.ExitUnreadable, "a description is not well-formed"},
		{"a claimed list", withFooter(nil, []byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 7}),
			cli.ExitUnreadable, "(truncated)"},
		{"a long description", parquetBomb(0, none, nil, append(groups, fields{1,
			[]any{fields{2, 4}}, 2, 0, 3, 0, 9, strings.Repeat("x", 4<<20)})...),
			cli.ExitUnreadable, "the description of the file has"},
	} {
		t.Run(test.name, func(t *testing.T) {
			clitest.Explode(t, nil, test.status, test.want, "check", "--columns", "hash,key,signature",
				write(t, "t.parquet", test.file))
		})
	}
}
