package lab

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	parquetgo "github.com/parquet-go/parquet-go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

var update = flag.Bool("update", false, "write the samples in testdata of the packages")

// TestSamples checks that arrow-go and parquet-go write the samples that the tests of packages
// arrowstream and parquetfile read, on every system.
func TestSamples(t *testing.T) {
	table := columnstest.Sample(6)
	for name, want := range map[string][]byte{
		"arrowstream/testdata/types.arrows": honest(t, fields()),
		"parquetfile/testdata/dictionary.parquet": writeParquet(t, table, layout{Group: 4,
			Options: []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}}),
		"parquetfile/testdata/plain.parquet": writeParquet(t, table, layout{
			Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
				parquet.WithCompression(compress.Codecs.Zstd),
				parquet.WithDataPageVersion(parquet.DataPageV2)}}),
		"parquetfile/testdata/fixed.parquet": writeParquet(t, table, layout{Fixed: true,
			Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
				parquet.WithCompression(compress.Codecs.Lz4Raw)}}),
		"parquetfile/testdata/delta.parquet": byParquetGo(t, table),
	} {
		name = filepath.Join("..", "internal", filepath.FromSlash(name))
		if *update {
			if err := os.WriteFile(name, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another file than with -update, or %v", name, err)
		}
	}
}

// byParquetGo returns table as parquet-go writes it with its default encodings and compression.
func byParquetGo(t *testing.T, table []columnstest.Column) []byte {
	t.Helper()
	type row struct {
		Note string `parquet:"note"`
		Hash []byte `parquet:"h,optional"`
		Key  []byte `parquet:"k"`
		Sig  []byte `parquet:"s"`
	}
	var rows []row
	for i, note := range table[0].Values {
		rows = append(rows, row{string(note), table[1].Values[i], table[2].Values[i],
			table[3].Values[i]})
	}
	var out bytes.Buffer
	if err := parquetgo.Write(&out, rows, parquetgo.CreatedBy("parquet-go", "", "")); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
