package parquetfile

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A detail is the data, stored in a reading.Place, that a reader needs to resume: it continues in
// the row group with the number Group, after the first Skip rows of that group. All numbers begin
// at 0.
type detail struct {
	Group int   `json:"group"`
	Skip  int   `json:"skip"`
	Row   int64 `json:"row"` // number, in the file, of the next row
}

// place returns the place of the next row of p.
func (p *reader) place() *reading.Place {
	if p.left == 0 {
		return reading.NewPlace(0, detail{Group: p.group + 1, Row: p.row})
	}
	return reading.NewPlace(0, detail{p.group, p.groupRows - p.left, p.row})
}

var errNoPlace = errors.New("no place in it")

// resume moves p to the place src.From. p must not have read anything. It does not read earlier row
// groups. It decodes the earlier rows of the place's row group again, since a page need not state
// which rows it holds.
func (p *reader) resume() error {
	var d detail
	if err := p.src.From.Tell(&d); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	if d.Group < 0 || d.Group > p.groups || d.Skip < 0 || d.Group == p.groups && d.Skip > 0 {
		return fmt.Errorf("%w: row %d of row group %d", errNoPlace, d.Skip, d.Group)
	}
	for i := range d.Group {
		g, err := p.file.group(i)
		if err != nil {
			return err
		}
		p.row += g.Rows
	}
	p.group = d.Group - 1
	if d.Skip > 0 {
		p.group++
		if err := p.openGroup(); err != nil {
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
