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

// Limits of a file of Parquet. A page is in memory twice, packed and unpacked.
const (
	// maxPage is the largest page, in bytes, packed or unpacked. Most writers make pages of
	// 1 MiB; DuckDB makes one of each column of a row group, 122,880 rows.
	maxPage = 32 << 20
	// maxPages is how many bytes the pages of all columns take together.
	maxPages = 56 << 20
	// maxDictionary is the most entries of a dictionary, for each of which there are 24 bytes.
	// Writers end a dictionary at 1 MiB.
	maxDictionary = 1 << 17
	// maxDelta is the most lengths of a page in DELTA_LENGTH_BYTE_ARRAY, and maxDeltaBlock of
	// a block of them. Writers have blocks of 128.
	maxDelta      = 1 << 20
	maxDeltaBlock = 1 << 16
)

// errPages is what a file meets whose pages are too large together.
var errPages = fmt.Errorf("the pages of a row group take more than %d bytes together: write "+
	"smaller pages, or smaller row groups", maxPages)

// checkedPages looks at every page before a decoder does, which would allocate what the page
// claims to hold.
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

// values are the bytes of a page behind its levels, or nothing if that cannot be told.
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

// boundCodecs replaces some of the library's decoders. Those of Snappy and zstd write into what
// there is for the page, and never allocate what the packed bytes claim. The library's own for
// Brotli (arrow-go 18.8.0) refuses a page without values.
var boundCodecs = sync.OnceFunc(func() {
	for kind, decode := range map[compress.Compression]func(dst, src []byte) ([]byte, error){
		compress.Codecs.Snappy: unpackSnappy,
		compress.Codecs.Zstd:   unpackZstd,
		compress.Codecs.Brotli: unpackBrotli,
	} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			panic(err) // the library has both
		}
		compress.RegisterCodec(kind, boundCodec{codec, decode})
	}
})

// A boundCodec unpacks in place.
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

// zstdDecoder works in the caller's goroutine, and refuses what does not fit.
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
