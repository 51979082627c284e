package parquetfile

import (
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// TestNothing checks that with every codec an empty page unpacks to an empty result, and that it is
// an error if values are expected.
func TestNothing(t *testing.T) {
	for _, c := range []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip,
		format.Zstd, format.Lz4Raw} {
		if err := unpack(c, []byte{}, []byte{}); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if unpack(c, make([]byte, 1), []byte{}) == nil {
			t.Errorf("%v: nothing unpacks to a byte", c)
		}
	}
}
