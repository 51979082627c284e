package lab

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// FuzzParquet checks that reading any bytes as a Parquet file ends, and that neither the reader nor
// a library panics.
func FuzzParquet(f *testing.F) {
	table := columnstest.Sample(6)
	table[2].Values[3] = nil
	for _, codec := range codecs {
		for _, o := range [][]parquet.WriterProperty{
			{parquet.WithDictionaryDefault(true)},
			{parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2)},
			{parquet.WithDictionaryDefault(false),
				parquet.WithEncoding(parquet.Encodings.DeltaLengthByteArray)},
		} {
			f.Add(writeParquet(f, repeated(table), layout{Group: 4,
				Options: append(o, parquet.WithCompression(codec))}))
		}
	}
	f.Add(writeParquet(f, columnstest.Sample(6), layout{Fixed: true,
		Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}}))
	spec := specFor(f, reading.ECDSA, columns.Auto)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := openParquet(data, spec)
		if err == nil {
			_, err = columnstest.ReadAll(r)
		}
		if err == nil || strings.Contains(err.Error(), "broken: ") {
			t.Errorf("%v", err)
		}
	})
}
