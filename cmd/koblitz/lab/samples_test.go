package lab

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

var update = flag.Bool("update", false, "write the samples in testdata of the packages")

// TestSamples checks that arrow-go writes the samples that the tests of packages arrowstream and
// parquetfile read, on every system.
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
