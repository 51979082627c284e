package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// These are limits for a Parquet file. Each page is in memory twice, compressed and decompressed.
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
	// maxPageHeader is the maximum size in bytes of a page's description, which can contain the
	// page's least and greatest value.
	maxPageHeader = 4 << 20
)

// errPages is the error for pages that exceed maxPages in total.
var errPages = fmt.Errorf("the pages of a row group take more than %d bytes together: write "+
	"smaller pages, or smaller row groups", maxPages)

// A chunk is the part of a column in the open row group, for a column that has a role.
type chunk struct {
	*leaf
	role       columns.Role
	column     int // number of the column in the file
	codec      format.CompressionCodec
	at, end    int64  // offsets of the next page and of the end of the last page
	data       int64  // offset before which the dictionary's page must end
	left       int64  // number of cells in the pages that were not read
	page       page   // the current page
	buffer     []byte // content of the page
	dictionary [][]byte
	entries    []byte // content of the dictionary's page
}

// begin prepares c to read the pages that m describes.
func (p *reader) begin(c *chunk, m *format.ColumnChunk) error {
	k := &m.MetaData
	c.codec, c.at, c.data, c.left = k.Codec, k.DataPageOffset, p.size, k.NumValues
	if k.DictionaryPageOffset > 0 {
		c.at, c.data = min(c.at, k.DictionaryPageOffset), k.DataPageOffset
	}
	c.page, c.dictionary = page{}, nil
	n := k.TotalCompressedSize
	switch {
	case m.FilePath != "" || m.CryptoMetadata.Value != nil:
		return errors.New("its pages are in another file, or encrypted")
	case k.Type != c.kind:
		return fmt.Errorf("%v in the row group, and %v in the file", k.Type, c.kind)
	case c.left < 0:
		return fmt.Errorf("%d values", c.left)
	case c.at < int64(len(Magic)) || n < 0 || c.at > p.size || n > p.size-c.at:
		return fmt.Errorf("%d bytes at byte %d, in a file of %d", n, c.at, p.size)
	}
	c.end = c.at + n
	return nil
}

// header decodes the description of the page that begins at offset, and returns the offset of the
// page's content. end is the end of the column.
func (p *reader) header(offset, end int64) (h format.PageHeader, body int64, err error) {
	for n := int64(512); ; n *= 8 {
		n = min(n, maxPageHeader, end-offset)
		if int64(cap(p.head)) < n {
			p.head = make([]byte, n)
		}
		p.head = p.head[:n]
		if err := p.readAt(p.head, offset); err != nil {
			return h, 0, err
		}
		size, err := decode(p.head, &h)
		if err == io.ErrUnexpectedEOF && n < maxPageHeader && n < end-offset {
			continue
		}
		return h, offset + int64(size), err
	}
}

func (p *reader) readAt(b []byte, at int64) error {
	if n, err := p.in.ReadAt(b, at); n < len(b) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// nextPage reads pages until it finds one with cells. It returns false after the last page.
func (p *reader) nextPage(c *chunk) (bool, error) {
	for c.page.left == 0 {
		if c.left <= 0 || c.at == c.end {
			return false, nil
		}
		h, body, err := p.header(c.at, c.end)
		if err != nil {
			return false, err
		}
		packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		switch {
		case packed > maxPage || size > maxPage:
			return false, fmt.Errorf("a page of %d bytes, more than the %d that are read",
				max(packed, size), maxPage)
		case packed < 0 || size < 0 || packed > c.end-body,
			h.Type == format.DictionaryPage && packed > c.data-body:
			return false, io.ErrUnexpectedEOF
		}
		c.at = body + packed
		switch {
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
			err = p.dictionary(c, &h, body)
		case h.Type == format.DataPage && h.DataPageHeader.Valid:
			d := &h.DataPageHeader.V
			err = p.data(c, &h, d.NumValues, d.Encoding, body)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
			d := &h.DataPageHeaderV2.V
			err = p.data(c, &h, d.NumValues, d.Encoding, body)
		case h.Type == format.DictionaryPage, h.Type == format.DataPage, h.Type == format.DataPageV2:
			err = errThrift
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// dictionary reads the page with the values that the indexes of other pages refer to.
func (p *reader) dictionary(c *chunk, h *format.PageHeader, at int64) (err error) {
	d := &h.DictionaryPageHeader.V
	switch {
	case c.dictionary != nil:
		return errors.New("a second dictionary")
	case d.NumValues > maxDictionary:
		return fmt.Errorf("a dictionary of %d values, more than the %d that are read", d.NumValues,
			maxDictionary)
	case d.NumValues < 0 || d.Encoding != format.Plain && d.Encoding != plainDictionary:
		return fmt.Errorf("a dictionary of %d values in %v", d.NumValues, d.Encoding)
	}
	if c.entries, err = p.body(c.entries, c.codec, h, 0, at); err != nil {
		return err
	}
	entries := page{data: c.entries, width: c.width}
	c.dictionary = make([][]byte, d.NumValues)
	for i := range c.dictionary {
		if c.dictionary[i], err = entries.value(); err != nil {
			return err
		}
	}
	return nil
}

// data reads a page of n cells.
func (p *reader) data(c *chunk, h *format.PageHeader, n int32, e format.Encoding,
	at int64) (err error) {
	if n < 0 {
		return fmt.Errorf("a page of %d values", n)
	}
	if c.left -= int64(n); n == 0 {
		return nil
	}
	codec, levels, others := c.codec, int64(0), int64(0)
	if h.Type == format.DataPageV2 {
		d := &h.DataPageHeaderV2.V
		definition := int64(d.DefinitionLevelsByteLength)
		others = int64(d.RepetitionLevelsByteLength)
		levels = definition + others
		if definition < 0 || others < 0 ||
			levels > int64(min(h.CompressedPageSize, h.UncompressedPageSize)) {
			return errPageEnds
		}
		if d.IsCompressed.Valid && !d.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	if c.buffer, err = p.body(c.buffer, codec, h, levels, at); err != nil {
		return err
	}
	data, definition := c.buffer[levels:], c.buffer[others:levels]
	if h.Type == format.DataPage && c.definition > 0 {
		if e := h.DataPageHeader.V.DefinitionLevelEncoding; e != format.RLE {
			return fmt.Errorf("%v is an encoding of levels that is not read", e)
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return errPageEnds
		}
		size := 4 + int(binary.LittleEndian.Uint32(data))
		definition, data = data[4:size], data[size:]
	}
	levelBits := bits.Len(uint(c.definition))
	c.page = page{levels: hybrid{b: definition, width: levelBits}, data: data, width: c.width}
	if err := c.values(e); err != nil {
		return err
	}
	c.page.left = int(n)
	return nil
}

// body reads the content of a page into buffer, or into a larger one, and decompresses all but the
// first bytes, which are the levels.
func (p *reader) body(buffer []byte, c format.CompressionCodec, h *format.PageHeader, levels,
	at int64) ([]byte, error) {
	larger, err := p.budget.Buffer(buffer, int(h.UncompressedPageSize))
	if err != nil {
		return buffer, err
	}
	buffer = larger
	if c == format.Uncompressed && h.CompressedPageSize == h.UncompressedPageSize {
		return buffer, p.readAt(buffer, at)
	}
	packed, err := p.budget.Buffer(p.packed, int(h.CompressedPageSize))
	if err != nil {
		return buffer, err
	}
	p.packed = packed
	if err := p.readAt(packed, at); err != nil {
		return buffer, err
	}
	copy(buffer, packed[:levels])
	return buffer, unpack(c, buffer[levels:], packed[levels:])
}

// cell reads the next cell of the page. A nil cell is null.
func (c *chunk) cell() ([]byte, error) {
	c.page.left--
	if c.definition > 0 {
		level, ok := c.page.levels.next()
		switch {
		case !ok || level > uint32(c.definition):
			return nil, errPageEnds
		case level < uint32(c.definition):
			return nil, nil
		}
	}
	if c.page.dictionary {
		return c.page.entry(c.dictionary)
	}
	return c.page.value()
}
