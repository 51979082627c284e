package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestSamples reads files with several encodings and compressions, which arrow-go and parquet-go
// wrote. The tests of this package with all combinations are in the module cmd/koblitz/lab.
func TestSamples(t *testing.T) {
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dictionary", "plain", "fixed", "delta"} {
		file, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(reading.Source{Name: "t"}, bytes.NewReader(file), int64(len(file)), spec)
		if err != nil {
			t.Fatal(err)
		}
		units, err := columnstest.ReadAll(r)
		columnstest.Compare(t, units, err, columnstest.Sample(6), func(i int) string {
			return fmt.Sprintf("t: row %d", i)
		})
	}
}

// TestManyRows checks that a row group that claims 2^32 rows too many is an error on every machine:
// the number must not be cut to 32 bits.
func TestManyRows(t *testing.T) {
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	if err != nil {
		t.Fatal(err)
	}
	const n = 5
	file := parquettest.Write(t, columnstest.Sample(n), parquettest.Layout{})
	end := len(file) - 8
	footer := end - int(binary.LittleEndian.Uint32(file[end:]))
	var d format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[footer:end], &d); err != nil {
		t.Fatal(err)
	}
	d.RowGroups[0].NumRows += 1 << 32
	file = parquettest.File(file[len(Magic):footer], parquettest.Marshal(t, d))
	r, err := Open(reading.Source{Name: "t"}, bytes.NewReader(file), int64(len(file)), spec)
	if err != nil {
		t.Fatal(err)
	}
	units, err := columnstest.ReadAll(r)
	if want := "the column ends 4294967296 rows before"; len(units) != n || err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%d rows, %v; want %d, %s", len(units), err, n, want)
	}
}
