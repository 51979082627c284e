package parquetfile

import (
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// TestNothing checks that nothing unpacks to nothing with every codec, and to nothing else.
func TestNothing(t *testing.T) {
	for _, c := range []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip,
		format.Brotli, format.Zstd, format.Lz4Raw} {
		if err := unpack(c, []byte{}, []byte{}); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if unpack(c, make([]byte, 1), []byte{}) == nil {
			t.Errorf("%v: nothing unpacks to a byte", c)
		}
	}
}
