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

// A reader reads all columns with a role together, one batch of rows at a time.
type reader struct {
	spec  *columns.Spec
	src   reading.Source
	size  int64 // size of the file in bytes
	file  *footer
	pages pageReader
	used  []*column
	cells [columns.RowsPerBatch][]byte // cells of one column

	group, left int   // number of the open row group, and how many of its rows are unread
	groupRows   int   // number of rows of the open row group
	row, total  int64 // rows read so far, and rows that the metadata states
	groups      int
	err         error
}

// A column is a column of the file that has a role, such as that of the signature.
type column struct {
	chunk
	role columns.Role
	at   int // number of the column in the file
}

// Open returns a reader of the file in r, which has size bytes. It can resume at a place. src gives
// the file's name and the place. src.Consumed is nil.
func Open(src reading.Source, r io.ReaderAt, size int64, spec columns.Spec) (reading.Reader,
	error) {
	p := &reader{spec: &spec, src: src, size: size, group: -1}
	if err := reading.Guard(func() error { return p.open(r) }); err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return p, nil
}

func (p *reader) open(r io.ReaderAt) error {
	var err error
	if p.file, err = readFooter(r, p.size); err != nil {
		return err
	}
	p.groups, p.total = len(p.file.list.Groups), p.file.list.Rows
	p.pages = pageReader{in: r, size: p.size, budget: reading.NewBudget(maxPages, errPages)}
	if err := p.resolve(); err != nil || p.src.From == nil {
		return err
	}
	return p.resume()
}

// resolve finds, in the schema of the file, the columns that the spec names.
func (p *reader) resolve() error {
	at, err := p.spec.Find(p.file.names())
	if err != nil {
		return err
	}
	for _, r := range p.spec.Used() {
		l := &p.file.leaves[at[r]]
		if err := l.check(); err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(l.path), err)
		}
		p.used = append(p.used, &column{chunk: chunk{leaf: l}, role: r, at: at[r]})
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
	case l.length < 1 || l.length > columns.MaxCell:
		return fmt.Errorf("values of %d bytes", l.length)
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
	b, err := p.next()
	if err != nil {
		switch p.err = err; err {
		case io.EOF:
		case errNoRows:
			p.err = &reading.Error{File: p.src.Name, Offset: -1, Err: err}
		default:
			p.err = p.where(err)
		}
	}
	if b == nil || b.Rows == 0 {
		return nil, p.err
	}
	p.row += int64(b.Rows)
	b.Read = p.src.Position(p.position())
	if p.err == nil {
		b.After = p.place()
	}
	return b, nil
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
	return &reading.Error{File: p.src.Name, Offset: -1,
		Err: fmt.Errorf("row group %d, at row %d: %w", p.group, p.row, err)}
}

func (p *reader) next() (*columns.Batch, error) {
	for p.left == 0 {
		if p.group++; p.group == p.groups {
			switch {
			case p.row != p.total:
				return nil, fmt.Errorf("the row groups have %d rows, and the file says that it has %d", p.row,
					p.total)
			case p.row == 0:
				return nil, errNoRows
			}
			return nil, io.EOF
		}
		if err := reading.Guard(p.openGroup); err != nil {
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
		more := false
		err := reading.Guard(func() (err error) {
			more, err = p.pages.next(&c.chunk)
			return err
		})
		if err == nil && more {
			err = fmt.Errorf("the column goes on after the %d rows of its row group", p.groupRows)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), truncated(err))
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
		cells.Grow(n)
		err := truncated(reading.Guard(func() error { return p.readColumn(c, cells, n) }))
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

// openGroup opens, in the row group with the number p.group, the columns that the user named.
func (p *reader) openGroup() error {
	g, err := p.file.group(p.group)
	if err != nil {
		return err
	}
	for _, c := range p.used {
		m, err := g.column(c.at)
		switch {
		case err != nil:
		case g.Rows == 0 && m.MetaData.NumValues == 0: // without rows, PyArrow writes no page offset
			c.left, c.page = 0, page{}
		default:
			err = p.pages.begin(&c.chunk, &m)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(p.spec.Names[c.role]), err)
		}
	}
	p.left, p.groupRows = int(g.Rows), int(g.Rows)
	return nil
}

// readColumn appends the next n cells of the column in its row group to dst. At the end of the
// column, or with an error, it appends fewer cells.
func (p *reader) readColumn(c *column, dst *columns.Cells, n int) error {
	for dst.Len() < n {
		if more, err := p.pages.next(&c.chunk); err != nil || !more {
			return err
		}
		cells := p.cells[:min(n-dst.Len(), c.page.left)]
		if err := c.read(cells); err != nil {
			return err
		}
		size := 0
		for _, v := range cells {
			if len(v) <= columns.MaxCell {
				size += len(v)
			}
		}
		dst.GrowBytes(size)
		for _, v := range cells {
			if v == nil {
				dst.Fault(columns.Null)
			} else {
				dst.Add(v)
			}
		}
	}
	return nil
}
