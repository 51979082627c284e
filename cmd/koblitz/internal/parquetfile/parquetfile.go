// Package parquetfile reads columns of signatures from Parquet files.
//
// It reads only the columns that the user names, row group by row group and page by page. Before it
// allocates memory for rows, pages or dictionaries, it checks the sizes that the file claims
// against limits. The descriptions of files and pages are decoded by parquet-go, and so are the
// encodings of values that need more than a few lines.
package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Magic is the first and last four bytes of a Parquet file.
const Magic = "PAR1"

// A reader reads all columns with a role together, one batch of rows at a time. It compares the
// sizes that pages claim with the limits before it allocates memory for them.
type reader struct {
	spec *columns.Spec
	src  reading.Source
	in   io.ReaderAt
	size int64 // size of the file in bytes
	file *footer
	used []*chunk

	budget *reading.Budget // limits the buffers of pages
	head   []byte          // description of a page
	packed []byte          // a compressed page

	group     int   // number of the open row group
	left      int64 // how many rows of the open row group are unread
	groupRows int64 // number of rows of the open row group
	row       int64 // rows read so far
	err       error
}

// Open returns a reader of the file in r, which has size bytes. It can resume at a place. src gives
// the file's name and the place. src.Consumed is nil.
func Open(src reading.Source, r io.ReaderAt, size int64, spec columns.Spec) (reading.Reader,
	error) {
	p := &reader{spec: &spec, src: src, in: r, size: size, group: -1,
		budget: reading.NewBudget(maxPages, errPages)}
	if err := reading.Guard(p.open); err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return p, nil
}

func (p *reader) open() (err error) {
	if p.file, err = readFooter(p.in, p.size); err != nil {
		return err
	}
	if err := p.resolve(); err != nil || p.src.From == nil {
		return err
	}
	if err := p.resume(); err != nil {
		return fmt.Errorf("no place in it: %w", err)
	}
	return nil
}

// A detail is the data, stored in a reading.Place, that a reader needs to resume.
type detail struct {
	Row int64 `json:"row"` // number, in the file, of the next row, from 0
}

// resume moves p to the place src.From. p must not have read anything. It does not read earlier row
// groups. It decodes the earlier rows of the place's row group again, since a page need not state
// which rows it holds.
func (p *reader) resume() error {
	var d detail
	if err := p.src.From.Tell(&d); err != nil {
		return err
	}
	if d.Row < 1 {
		return fmt.Errorf("row %d", d.Row)
	}
	for p.row < d.Row {
		if p.left == 0 {
			if p.group++; p.group == len(p.file.list.Groups) {
				return fmt.Errorf("row %d of %d", d.Row, p.row)
			}
			g, err := p.file.group(p.group)
			if err != nil {
				return err
			}
			if p.row+g.Rows <= d.Row {
				p.row += g.Rows
				continue
			}
			if err := p.openGroup(); err != nil {
				return err
			}
		}
		b, err := p.read(int(min(d.Row-p.row, p.left, columns.RowsPerBatch)))
		if err != nil {
			return err
		}
		p.row += int64(b.Rows)
	}
	return nil
}

// resolve finds, in the schema of the file, the columns that the spec names.
func (p *reader) resolve() error {
	at, err := p.spec.Find(p.file.paths)
	if err != nil {
		return err
	}
	for _, r := range p.spec.Used() {
		l := &p.file.leaves[at[r]]
		if err := l.check(); err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(l.path), err)
		}
		p.used = append(p.used, &chunk{leaf: l, role: r, column: at[r]})
	}
	return nil
}

// check checks that the column holds one value per row, of bytes or text.
func (l *leaf) check() error {
	switch {
	case l.repeated:
		return errors.New("a list, and a row has one value")
	case l.kind == format.ByteArray:
	case l.kind != format.FixedLenByteArray:
		return fmt.Errorf("%v, where bytes or text are needed", l.kind)
	case l.width < 1 || l.width > columns.MaxCell:
		return fmt.Errorf("values of %d bytes", l.width)
	}
	return nil
}

// Close implements reading.Reader. It does nothing.
func (p *reader) Close() error { return nil }

// Next reads the next batch of rows. A batch does not extend over two row groups.
func (p *reader) Next() (reading.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	var b *columns.Batch
	err := reading.Guard(func() (err error) {
		b, err = p.next()
		return err
	})
	if b != nil {
		p.row += int64(b.Rows)
	}
	switch p.err = err; err {
	case nil, io.EOF:
	case errNoRows:
		p.err = &reading.Error{File: p.src.Name, Offset: -1, Err: err}
	default:
		p.err = &reading.Error{File: p.src.Name, Offset: -1,
			Err: fmt.Errorf("row group %d, at row %d: %w", p.group, p.row, err)}
	}
	if b == nil || b.Rows == 0 {
		return nil, p.err
	}
	b.Read = p.src.Position(p.position())
	if p.err == nil {
		b.After = reading.NewPlace(0, detail{p.row})
	}
	return b, nil
}

// position returns an estimate of the number of bytes read. There is no exact number, since a row
// group stores one whole column after another.
func (p *reader) position() int64 {
	if p.file.list.Rows <= 0 || p.row >= p.file.list.Rows {
		return p.size
	}
	return int64(float64(p.size) * (float64(p.row) / float64(p.file.list.Rows)))
}

var errNoRows = errors.New("a table without rows")

func (p *reader) next() (*columns.Batch, error) {
	for p.left == 0 {
		if p.group++; p.group == len(p.file.list.Groups) {
			switch {
			case p.row != p.file.list.Rows:
				return nil, fmt.Errorf("the row groups have %d rows, and the file says that it has %d", p.row,
					p.file.list.Rows)
			case p.row == 0:
				return nil, errNoRows
			}
			return nil, io.EOF
		}
		err := p.openGroup()
		if err == nil && p.left == 0 {
			err = p.ended()
		}
		if err != nil {
			return nil, err
		}
	}
	b, err := p.read(int(min(p.left, columns.RowsPerBatch)))
	if err == nil && p.left == 0 {
		err = p.ended()
	}
	return b, err
}

// of adds the column c to err.
func (p *reader) of(c *chunk, err error) error {
	return fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), truncated(err))
}

// ended returns an error if a column has values after the last row of its row group. Other programs
// may count the values of the column instead of the rows, and so use values that were not verified.
func (p *reader) ended() error {
	for _, c := range p.used {
		more, err := p.nextPage(c)
		if err == nil && more {
			err = fmt.Errorf("the column goes on after the %d rows of its row group", p.groupRows)
		}
		if err != nil {
			return p.of(c, err)
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
		cells.Text = c.leaf.text
		err := p.readColumn(c, cells, n)
		if err != nil && (failed == nil || cells.Len() < got) {
			failed = p.of(c, err)
		}
		got = min(got, cells.Len())
	}
	b.Rows = got
	p.left -= int64(got)
	return b, failed
}

// openGroup opens, in the row group with the number p.group, the columns that the user named.
func (p *reader) openGroup() error {
	g, err := p.file.group(p.group)
	if err != nil {
		return err
	}
	for _, c := range p.used {
		m, err := g.column(c.column)
		switch {
		case err != nil:
		case g.Rows == 0 && m.MetaData.NumValues == 0: // without rows, PyArrow writes no page offset
			c.left, c.page = 0, page{}
		default:
			err = p.begin(c, &m)
		}
		if err != nil {
			return p.of(c, err)
		}
	}
	p.left, p.groupRows = g.Rows, g.Rows
	return nil
}

// readColumn appends the next n cells of the column in its row group to dst. With an error, it
// appends fewer cells.
func (p *reader) readColumn(c *chunk, dst *columns.Cells, n int) error {
	for dst.Len() < n {
		more, err := p.nextPage(c)
		if err != nil {
			return err
		}
		if !more {
			return fmt.Errorf("the column ends %d rows before the row group does",
				p.left-int64(dst.Len()))
		}
		switch v, err := c.cell(); {
		case err != nil:
			return err
		case v == nil:
			dst.Fault(columns.Null)
		default:
			dst.Add(v)
		}
	}
	return nil
}
