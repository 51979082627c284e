// Package parquetfile reads columns of signatures from Parquet files, through arrow-go.
//
// It reads only the columns that the user names, row group by row group and page by page. Before it
// allocates memory for rows, pages or dictionaries, it checks the sizes that the file claims
// against limits.
package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bounded"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Magic is the first and last four bytes of a Parquet file.
const Magic = "PAR1"

const (
	// maxFooter is the maximum size of a file's metadata in bytes. Decoded metadata takes several
	// times as much memory. A row group of three columns has about 500 bytes of metadata.
	maxFooter = 4 << 20
	// chunkBuffer is the number of bytes of a column that are read at a time.
	chunkBuffer = 64 << 10
)

// A reader reads all columns with a role together, one batch of rows at a time.
type reader struct {
	spec *columns.Spec
	src  rows.Source
	size int64 // size of the file in bytes
	file *file.Reader
	used []*column

	group, left  int   // number of the open row group, and how many of its rows are unread
	groupRows    int   // number of rows of the open row group
	row, total   int64 // rows read so far, and rows that the metadata states
	groups       int
	leavesOfFile int
	err          error
}

// A column is a column with a role.
type column struct {
	role columns.Role
	leaf int // number of the column in the file
	desc *schema.Column
	text bool

	chunk  file.ColumnChunkReader // in the open row group
	bytes  []parquet.ByteArray
	fixed  []parquet.FixedLenByteArray
	levels []int16 // per cell; below desc.MaxDefinitionLevel for a null
}

// Open returns a reader of the file in r, which has size bytes. It can resume at a place. src gives
// the file's name and the place. Open does not call src.Consumed.
func Open(src rows.Source, r io.ReaderAt, size int64, spec columns.Spec) (rows.Reader, error) {
	p := &reader{spec: &spec, src: src, size: size, group: -1}
	if err := bounded.Guard(func() error { return p.open(r) }); err != nil {
		p.closeChunks()
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return p, nil
}

func (p *reader) open(r io.ReaderAt) error {
	if err := p.load(r); err != nil {
		return err
	}
	p.groups, p.total = p.file.NumRowGroups(), p.file.NumRows()
	if err := p.resolve(p.file.MetaData().Schema); err != nil || p.src.From == nil {
		return err
	}
	return p.resume()
}

// load reads the metadata of the file.
func (p *reader) load(r io.ReaderAt) error {
	if err := checkFooter(r, p.size); err != nil {
		return err
	}
	boundCodecs()
	props := parquet.NewReaderProperties(bounded.New(maxPages, errPages))
	props.BufferedStreamEnabled = true
	props.BufferSize = chunkBuffer
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = maxPage, maxPage
	var err error
	p.file, err = file.NewParquetReader(io.NewSectionReader(r, 0, p.size), file.WithReadProps(props))
	if err != nil {
		return plain(err)
	}
	return nil
}

// checkFooter checks the end of the file before the library parses it.
func checkFooter(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < int64(len(Magic)+len(end)) {
		return errors.New("the file is too short for Parquet")
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if string(end[4:]) != Magic {
		return errors.New("the file does not end as Parquet does (truncated, or encrypted)")
	}
	if n := binary.LittleEndian.Uint32(end[:]); n > maxFooter {
		return fmt.Errorf("the description of the file has %d bytes, more than the %d that are read",
			n, maxFooter)
	}
	return nil
}

// resolve finds the columns that the spec names in the schema.
func (p *reader) resolve(s *schema.Schema) error {
	p.leavesOfFile = s.NumColumns()
	for _, r := range p.spec.Used() {
		name := p.spec.Names[r]
		leaf := -1
		for i := range s.NumColumns() {
			if s.Column(i).Path() != name {
				continue
			}
			if leaf >= 0 {
				return fmt.Errorf("there are two columns %q", columns.Short(name))
			}
			leaf = i
		}
		if leaf < 0 {
			return fmt.Errorf("there is no column %q; there are %s", columns.Short(name),
				columns.Listed(names(s)))
		}
		c := &column{role: r, leaf: leaf, desc: s.Column(leaf)}
		if err := c.prepare(p.spec.Encoding); err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(name), err)
		}
		p.used = append(p.used, c)
	}
	for i := range s.NumColumns() {
		if err := p.spec.Alike(s.Column(i).Path()); err != nil {
			return err
		}
	}
	return nil
}

// names returns the names of a file's columns.
func names(s *schema.Schema) (list []string) {
	for i := range s.NumColumns() {
		list = append(list, s.Column(i).Path())
	}
	return list
}

// Columns returns the names of the columns of the file in r, which has size bytes.
func Columns(r io.ReaderAt, size int64) (list []string, err error) {
	err = bounded.Guard(func() error {
		p := &reader{size: size}
		if err := p.load(r); err != nil {
			return err
		}
		list = names(p.file.MetaData().Schema)
		return nil
	})
	return list, err
}

// prepare checks the type of the column and allocates buffers for a batch.
func (c *column) prepare(e columns.Encoding) error {
	switch {
	case c.desc.MaxRepetitionLevel() > 0:
		return errors.New("a list, and a row has one value")
	case c.desc.PhysicalType() == parquet.Types.ByteArray:
		c.bytes = make([]parquet.ByteArray, columns.RowsPerBatch)
	case c.desc.PhysicalType() == parquet.Types.FixedLenByteArray:
		if n := c.desc.TypeLength(); n < 1 || n > columns.MaxCell {
			return fmt.Errorf("values of %d bytes", n)
		}
		c.fixed = make([]parquet.FixedLenByteArray, columns.RowsPerBatch)
	default:
		return fmt.Errorf("%v, where bytes or text are needed", c.desc.PhysicalType())
	}
	c.text = e == columns.Hex || e == columns.Base64 ||
		c.desc.ConvertedType() == schema.ConvertedTypes.UTF8 ||
		c.desc.LogicalType() != nil && c.desc.LogicalType().Equals(schema.StringLogicalType{})
	c.levels = make([]int16, columns.RowsPerBatch)
	return nil
}

func (p *reader) Close() error {
	p.closeChunks()
	return nil
}

func (p *reader) closeChunks() {
	for _, c := range p.used {
		if c.chunk != nil {
			bounded.Guard(c.chunk.Close)
			c.chunk = nil
		}
	}
}

// Next reads the next batch of rows. A batch does not extend over two row groups.
func (p *reader) Next() (rows.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	b, err := p.next()
	if err != nil {
		switch p.err = err; err {
		case io.EOF:
		case errNoRows:
			p.err = &rows.Error{File: p.src.Name, Offset: -1, Err: err}
		default:
			p.err = p.where(err)
		}
	}
	if b == nil || b.Rows == 0 {
		return nil, p.err
	}
	p.row += int64(b.Rows)
	b.Read = p.src.Position(p.position())
	if p.err != nil {
		return batch{Batch: b}, nil
	}
	return batch{b, p.place()}, nil
}

// position returns an estimate of the number of bytes read. There is no exact number, since a row
// group stores one whole column after another.
func (p *reader) position() int64 {
	if p.total <= 0 || p.row >= p.total {
		return p.size
	}
	return int64(float64(p.size) * (float64(p.row) / float64(p.total)))
}

var errNoRows = errors.New("a table without rows")

// where adds the file, the row group and the row to err.
func (p *reader) where(err error) error {
	return &rows.Error{File: p.src.Name, Offset: -1,
		Err: fmt.Errorf("row group %d, at row %d: %w", p.group, p.row, err)}
}

func (p *reader) next() (*columns.Batch, error) {
	for p.left == 0 {
		if p.group++; p.group == p.groups {
			p.closeChunks()
			switch {
			case p.row != p.total:
				return nil, fmt.Errorf("the row groups have %d rows, and the file says that it has %d", p.row,
					p.total)
			case p.row == 0:
				return nil, errNoRows
			}
			return nil, io.EOF
		}
		if err := bounded.Guard(p.openGroup); err != nil {
			return nil, err
		}
		if p.left == 0 {
			if err := p.ended(); err != nil {
				return nil, err
			}
		}
	}
	b, err := p.read(min(p.left, columns.RowsPerBatch))
	if err == nil && p.left == 0 {
		err = p.ended()
	}
	return b, err
}

// ended returns an error if a column has values after the last row of its row group. Other programs
// may count the values of the column instead of the rows, and so use values that were not verified.
func (p *reader) ended() error {
	for _, c := range p.used {
		if c.chunk == nil { // the row group has no rows
			continue
		}
		more := false
		err := bounded.Guard(func() error {
			more = c.chunk.HasNext()
			return c.chunk.Err()
		})
		if err == nil && more {
			err = fmt.Errorf("the column goes on after the %d rows of its row group", p.groupRows)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), plain(err))
		}
	}
	return nil
}

// read reads n rows of the row group, of which at least n must be left. After an error the batch
// has fewer rows.
func (p *reader) read(n int) (*columns.Batch, error) {
	b := &columns.Batch{Spec: p.spec, File: p.src.Name, First: p.row}
	got := n
	var failed error
	for _, c := range p.used {
		cells := &b.Cells[c.role]
		cells.Text = c.text
		cells.Grow(n)
		err := bounded.Guard(func() error { return c.read(cells, n) })
		if err == nil && cells.Len() < n {
			err = fmt.Errorf("the column ends %d rows before the row group does",
				p.left-cells.Len())
		}
		if err != nil && (failed == nil || cells.Len() < got) {
			failed = fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), err)
		}
		got = min(got, cells.Len())
	}
	b.Rows = got
	p.left -= got
	return b, failed
}

// openGroup opens the named columns of row group p.group.
func (p *reader) openGroup() error {
	p.closeChunks()
	g := p.file.RowGroup(p.group)
	n := g.NumRows()
	if n < 0 || n > 1<<40 {
		return fmt.Errorf("a row group of %d rows", n)
	}
	if g.NumColumns() != p.leavesOfFile {
		return fmt.Errorf("the row group has %d columns, and the file %d", g.NumColumns(),
			p.leavesOfFile)
	}
	for _, c := range p.used {
		meta, err := g.MetaData().ColumnChunk(c.leaf)
		if err != nil {
			return plain(err)
		}
		if n == 0 && meta.NumValues() == 0 {
			continue // without rows, PyArrow writes no page offset
		}
		if err := p.checkChunk(meta); err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), err)
		}
		pages, err := g.GetColumnPageReader(c.leaf)
		if err != nil {
			return plain(err)
		}
		// RowGroupReader.Column is not deprecated, but with it no page can be checked before its
		// decoder allocates the size that the page claims.
		//lint:ignore SA1019 see above
		c.chunk = file.NewColumnReader(c.desc, &checkedPages{PageReader: pages,
			levels: c.desc.MaxDefinitionLevel() > 0}, bounded.New(maxPages, errPages), p.file.BufferPool())
	}
	p.left, p.groupRows = int(n), int(n)
	return nil
}

// checkChunk compares the metadata of a column with the limits.
func (p *reader) checkChunk(c *metadata.ColumnChunkMetaData) error {
	begin, n := c.DataPageOffset(), c.TotalCompressedSize()
	if c.HasDictionaryPage() && c.DictionaryPageOffset() > 0 {
		begin = min(begin, c.DictionaryPageOffset())
	}
	if begin < int64(len(Magic)) || n < 0 || begin > p.size || n > p.size-begin {
		return fmt.Errorf("%d bytes at byte %d, in a file of %d", n, begin, p.size)
	}
	return nil
}

// read appends the next n cells of the column in its row group to out, or fewer and an error.
func (c *column) read(out *columns.Cells, n int) error {
	nulls := c.desc.MaxDefinitionLevel()
	for out.Len() < n && c.chunk.HasNext() {
		want := int64(n - out.Len())
		var levels int64
		var values int
		var err error
		switch r := c.chunk.(type) {
		case *file.ByteArrayColumnChunkReader:
			levels, values, err = r.ReadBatchInPage(want, c.bytes, c.levels, nil)
		case *file.FixedLenByteArrayColumnChunkReader:
			levels, values, err = r.ReadBatchInPage(want, c.fixed, c.levels, nil)
		}
		if err != nil {
			return plain(err)
		}
		present := c.levels[:levels]
		if nulls == 0 {
			clear(present)
		}
		if full := int(levels) - countNulls(present, nulls); full != values || levels == 0 {
			return fmt.Errorf("a page has %d values where %d are due", values, full)
		}
		out.GrowBytes(c.bytesOf(values))
		value := 0
		for _, level := range present {
			switch {
			case level < nulls:
				out.Fault(columns.Null)
				continue
			case c.fixed != nil:
				out.Add(c.fixed[value])
			default:
				out.Add(c.bytes[value])
			}
			value++
		}
	}
	if err := c.chunk.Err(); err != nil {
		return plain(err)
	}
	return nil
}

// bytesOf returns the total size in bytes of the first n values in the column's buffer, without the
// values that are longer than columns.MaxCell.
func (c *column) bytesOf(n int) (size int) {
	if c.fixed != nil {
		return n * c.desc.TypeLength()
	}
	for _, v := range c.bytes[:n] {
		if len(v) <= columns.MaxCell {
			size += len(v)
		}
	}
	return size
}

// countNulls returns how many levels are below full, which is the level of a value that is not
// null.
func countNulls(levels []int16, full int16) int {
	n := 0
	for _, l := range levels {
		if l < full {
			n++
		}
	}
	return n
}

// plain returns err without the library's name, and marks the unexpected end of a file as a
// truncation.
func plain(err error) error {
	text := strings.TrimPrefix(err.Error(), "parquet: ")
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		text += " (truncated)"
	}
	return errors.New(text)
}
