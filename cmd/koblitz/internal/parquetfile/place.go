package parquetfile

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bounded"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A detail is where in a file a reader begins (rows.Place): Skip rows of row group Group are
// passed over, all numbers from 0.
type detail struct {
	Group int   `json:"group"`
	Skip  int   `json:"skip"`
	Row   int64 `json:"row"` // there, counted from the beginning of the file
}

// A batch is one of the reader's, with the place behind it.
type batch struct {
	*columns.Batch
	place *rows.Place // nil in front of an error
}

// Place is the place behind the batch.
func (b batch) Place() *rows.Place { return b.place }

// place is where p stands.
func (p *reader) place() *rows.Place {
	if p.left == 0 {
		return rows.NewPlace(0, detail{Group: p.group + 1, Row: p.row})
	}
	return rows.NewPlace(0, detail{p.group, p.groupRows - p.left, p.row})
}

var errNoPlace = errors.New("no place in it")

// resume moves p, of which nothing has been read, to the place at which src begins. Row groups in
// front of it are not read. What stands before it in its own row group is decoded once more: its
// pages need not say which rows they hold.
func (p *reader) resume() error {
	var d detail
	if err := p.src.From.Tell(&d); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	if d.Group < 0 || d.Group > p.groups || d.Skip < 0 || d.Group == p.groups && d.Skip > 0 {
		return fmt.Errorf("%w: row %d of row group %d", errNoPlace, d.Skip, d.Group)
	}
	for g := range d.Group {
		p.row += p.file.MetaData().RowGroup(g).NumRows()
	}
	p.group = d.Group - 1
	if d.Skip > 0 {
		p.group++
		if err := bounded.Guard(p.openGroup); err != nil {
			return err
		}
	}
	for skip := d.Skip; skip > 0; {
		if p.left == 0 {
			return fmt.Errorf("%w: row %d of row group %d, which has %d", errNoPlace, d.Skip, d.Group,
				p.groupRows)
		}
		b, err := p.read(min(skip, p.left, columns.RowsPerBatch))
		if err != nil {
			return err
		}
		skip -= b.Rows
		p.row += int64(b.Rows)
	}
	if p.row != d.Row {
		return fmt.Errorf("%w: row %d, which is row %d of the file", errNoPlace, d.Row, p.row)
	}
	return nil
}
