package parquetfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

var (
	errLonger  = errors.New("it unpacks to more than the page says")
	errShorter = errors.New("it unpacks to less than the page says")
)

// unpack decompresses src into dst and fails unless the result fills dst exactly. It never
// allocates a size that src claims. Some writers do not compress the values of a page without
// values, so src may be empty if dst is, with any codec.
func unpack(c format.CompressionCodec, dst, src []byte) error {
	n, err := len(dst), error(nil)
	if len(dst) == 0 && len(src) == 0 {
		return nil
	}
	switch c {
	case format.Uncompressed:
		n = copy(dst, src)
		if n < len(src) {
			err = errLonger
		}
	case format.Snappy:
		if n, err = snappy.DecodedLen(src); err == nil && n <= len(dst) {
			_, err = snappy.Decode(dst, src)
		}
	case format.Gzip:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(src)); err == nil {
			err = readAll(dst, r)
		}
	case format.Brotli:
		err = readAll(dst, brotli.NewReader(bytes.NewReader(src)))
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
		return fmt.Errorf("compression %d is not read", c)
	}
	switch {
	case err != nil:
	case n > len(dst):
		err = errLonger
	case n < len(dst):
		err = errShorter
	}
	if err != nil {
		return fmt.Errorf("a page cannot be unpacked: %w", err)
	}
	return nil
}

var zstdDecoder = sync.OnceValues(reading.NewZstd)

// readAll fills dst from r, which must end after len(dst) bytes.
func readAll(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err == io.EOF || err == io.ErrUnexpectedEOF {
		return errShorter
	} else if err != nil {
		return err
	}
	switch _, err := io.ReadFull(r, make([]byte, 1)); err {
	case io.EOF:
		return nil
	case nil:
		return errLonger
	default:
		return err
	}
}
