package parquetfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// unpack decompresses src into dst and fails unless the result fills dst exactly. It never
// allocates a size that src claims. Some writers do not compress the values of a page without
// values, so src may be empty if dst is, with any codec.
func unpack(c format.CompressionCodec, dst, src []byte) (err error) {
	if len(dst) == 0 && len(src) == 0 {
		return nil
	}
	n := 0
	switch c {
	case format.Uncompressed:
		n = len(src)
		copy(dst, src)
	case format.Snappy:
		if n, err = snappy.DecodedLen(src); err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, src)
		}
	case format.Gzip:
		n, err = gunzip(dst, src)
	case format.Zstd:
		var d *zstd.Decoder
		if d, err = zstdDecoder(); err == nil {
			var out []byte
			out, err = d.DecodeAll(src, dst[:0:len(dst)])
			n = len(out)
		}
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	default:
		return fmt.Errorf("compression %v is not read: write Snappy, gzip, zstd or LZ4_RAW", c)
	}
	if err == nil && n != len(dst) {
		err = errors.New("it has another length than the page says")
	}
	if err != nil {
		return fmt.Errorf("a page cannot be unpacked: %w", err)
	}
	return nil
}

var zstdDecoder = sync.OnceValues(reading.NewZstd)

// gunzip decompresses src into dst, and returns the length of the result, or len(dst)+1 if it is
// longer than dst.
func gunzip(dst, src []byte) (n int, err error) {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return 0, err
	}
	if n, err = io.ReadFull(r, dst); err != nil {
		return n, err
	}
	more, err := io.CopyN(io.Discard, r, 1)
	if err == io.EOF {
		err = nil
	}
	return n + int(more), err
}
