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

// Limits for a Parquet file. Each page is in memory twice, compressed and decompressed.
const (
	// maxPage is the maximum size of a page in bytes, both compressed and decompressed. Most
	// writers make pages of 1 MiB. DuckDB makes one page per column of a row group, with 122,880
	// rows.
	maxPage = 32 << 20
	// maxPages is the maximum total size in bytes of the pages that are in memory, for all columns.
	maxPages = 56 << 20
	// maxDictionary is the maximum number of entries in a dictionary. Each entry takes 24 bytes of
	// memory. Writers limit a dictionary to 1 MiB.
	maxDictionary = 1 << 17
	// maxDelta is the maximum number of lengths in a page encoded with DELTA_LENGTH_BYTE_ARRAY, and
	// maxDeltaBlock the maximum number in a block of such a page. Writers use blocks of 128.
	maxDelta      = 1 << 20
	maxDeltaBlock = 1 << 16
)

// errPages is the error for pages that exceed maxPages in total.
var errPages = fmt.Errorf("the pages of a row group take more than %d bytes together: write "+
	"smaller pages, or smaller row groups", maxPages)

// checkedPages reads pages and checks the sizes that each claims before the page is decoded, since
// a decoder allocates the claimed size.
type checkedPages struct {
	file.PageReader
	levels bool // pages begin with levels, since the column may have nulls
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

// values returns the part of a page's data after the levels, or nil if that part cannot be found.
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

// boundCodecs replaces three of arrow-go's decompressors. The replacements for Snappy and zstd
// write into the page's buffer, and never allocate the size that the compressed bytes claim. The
// replacement for Brotli accepts a page without values, which the one in arrow-go 18.8.0 rejects.
var boundCodecs = sync.OnceFunc(func() {
	for kind, decode := range map[compress.Compression]func(dst, src []byte) ([]byte, error){
		compress.Codecs.Snappy: unpackSnappy,
		compress.Codecs.Zstd:   unpackZstd,
		compress.Codecs.Brotli: unpackBrotli,
	} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			panic(err) // unreachable: the library has all three codecs
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

// zstdDecoder returns a decoder that uses no goroutine of its own and fails if its output does not
// fit into the buffer given.
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
