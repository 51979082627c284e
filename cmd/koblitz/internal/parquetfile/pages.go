package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Limits of a Parquet file. A page is held in memory twice, compressed and decompressed.
const (
	// maxPage limits a page, compressed or decompressed, in bytes. Most writers make pages of 1
	// MiB; DuckDB makes one page per column of a row group, with 122,880 rows.
	maxPage = 32 << 20
	// maxPages limits the pages of all columns together, in bytes.
	maxPages = 56 << 20
	// maxDictionary limits the number of entries of a dictionary. Each takes 24 bytes of memory.
	// Writers limit a dictionary to 1 MiB.
	maxDictionary = 1 << 17
	// maxDelta limits the number of lengths in a page with DELTA_LENGTH_BYTE_ARRAY, and
	// maxDeltaBlock the number in one of its blocks. Writers use blocks of 128.
	maxDelta      = 1 << 20
	maxDeltaBlock = 1 << 16
)

// errPages is the error of a file whose pages exceed maxPages together.
var errPages = fmt.Errorf("the pages of a row group take more than %d bytes together: write "+
	"smaller pages, or smaller row groups", maxPages)

// checkedPages checks every page before it is decoded, since a decoder allocates the size that the
// page claims.
type checkedPages struct {
	file.PageReader
	levels bool // the column has nulls
	err    error
}

func (c *checkedPages) Next() bool {
	if c.err != nil || !c.PageReader.Next() {
		return false
	}
	c.err = c.check(c.Page())
	return c.err == nil
}

func (c *checkedPages) Err() error {
	if c.err != nil {
		return c.err
	}
	return c.PageReader.Err()
}

func (c *checkedPages) GetDictionaryPage() (*file.DictionaryPage, error) {
	page, err := c.PageReader.GetDictionaryPage()
	if err == nil && page != nil {
		err = c.check(page)
	}
	return page, err
}

func (c *checkedPages) check(p file.Page) error {
	if d, ok := p.(*file.DictionaryPage); ok {
		if d.NumValues() > maxDictionary {
			return fmt.Errorf("a dictionary of %d values, more than the %d that are read",
				d.NumValues(), maxDictionary)
		}
		return nil
	}
	switch e := parquet.Encoding(p.Encoding()); e {
	case parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaBinaryPacked:
		return fmt.Errorf("%v is an encoding that is not read", e)
	case parquet.Encodings.DeltaLengthByteArray:
		if p.NumValues() > maxDelta {
			return fmt.Errorf("a page of %d values in %v, more than the %d that are read",
				p.NumValues(), e, maxDelta)
		}
		block, n := binary.Uvarint(c.values(p))
		if n <= 0 || block > maxDeltaBlock {
			return fmt.Errorf("a page in %v with blocks of %d values", e, block)
		}
	}
	return nil
}

// values returns the bytes of a page after its levels, or nil if their place cannot be determined.
func (c *checkedPages) values(p file.Page) []byte {
	data, skip := p.Data(), 0
	switch p := p.(type) {
	case *file.DataPageV1:
		if !c.levels {
			break
		}
		if p.DefinitionLevelEncoding() != parquet.Encodings.RLE || len(data) < 4 {
			return nil
		}
		skip = 4 + int(binary.LittleEndian.Uint32(data))
	case *file.DataPageV2:
		skip = int(p.DefinitionLevelByteLen()) + int(p.RepetitionLevelByteLen())
	}
	if skip < 0 || skip > len(data) {
		return nil
	}
	return data[skip:]
}

var errLonger = errors.New("unpacks to more than the page says")

// boundCodecs replaces some of the library's decompressors. Those of Snappy and zstd write into the
// page's buffer, and never allocate the size that the compressed bytes claim. The library's
// decompressor of Brotli (arrow-go 18.8.0) rejects a page without values.
var boundCodecs = sync.OnceFunc(func() {
	for kind, decode := range map[compress.Compression]func(dst, src []byte) ([]byte, error){
		compress.Codecs.Snappy: unpackSnappy,
		compress.Codecs.Zstd:   unpackZstd,
		compress.Codecs.Brotli: unpackBrotli,
	} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			panic(err) // unreachable: the library has both
		}
		compress.RegisterCodec(kind, boundCodec{codec, decode})
	}
})

// A boundCodec decompresses into the buffer of the page.
type boundCodec struct {
	compress.Codec
	decode func(dst, src []byte) ([]byte, error)
}

func (c boundCodec) DecodeWithError(dst, src []byte) ([]byte, error) { return c.decode(dst, src) }

func (c boundCodec) Decode(dst, src []byte) []byte {
	out, err := c.decode(dst, src)
	if err != nil {
		panic(err)
	}
	return out
}

func unpackSnappy(dst, src []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if n > len(dst) {
		return nil, errLonger
	}
	return snappy.Decode(dst, src)
}

// zstdDecoder returns a decoder that runs in the caller's goroutine and fails if the output does
// not fit.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
})

func unpackZstd(dst, src []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}

func unpackBrotli(dst, src []byte) ([]byte, error) {
	r := brotli.NewReader(bytes.NewReader(src))
	if _, err := io.ReadFull(r, dst); err != nil {
		return nil, err
	}
	var more [1]byte
	if _, err := io.ReadFull(r, more[:]); err == nil {
		return nil, errLonger
	} else if err != io.EOF {
		return nil, err
	}
	return dst, nil
}
