package batch

import (
	"fmt"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/device"
)

// A Column is one field of all rows, at equal distances in memory. Row i begins
// at byte i·Stride of Data; a Stride of 0 means one value for every row. The
// width of the field is for the use to say: a Stride of the width is a packed
// column, and a larger one picks a field out of longer records.
//
// Data is only read. It may be shared with other columns, and must not change
// while a call runs.
type Column struct {
	Data   []byte
	Stride int
}

// Packed returns the column of values that follow each other without a gap, each
// width bytes long.
func Packed(data []byte, width int) Column { return Column{data, width} }

// A field is a column with what is to be in it.
type field struct {
	name  string
	width int
	Column
}

// columns returns the fields as those of a call of rows rows, or an error if one does
// not hold that number.
func columns(rows int, fields ...field) (cols [4]device.Column, err error) {
	for i, f := range fields {
		if err := f.check(rows); err != nil {
			return cols, err
		}
		cols[i] = device.Column(f.Column)
	}
	return cols, nil
}

// check returns an error if the field does not have rows rows.
func (f *field) check(rows int) error {
	if err := f.checkStride(); err != nil {
		return err
	}
	if rows == 0 {
		return nil
	}
	short := 0 // the first row that does not fit
	if have := len(f.Data); have >= f.width {
		if f.Stride == 0 || (rows-1) <= (have-f.width)/f.Stride {
			return nil
		}
		short = (have-f.width)/f.Stride + 1
	}
	hi, want := bits.Mul64(uint64(rows-1), uint64(f.Stride))
	want, carry := bits.Add64(want, uint64(f.width), 0)
	if hi|carry != 0 {
		return fmt.Errorf("batch: %s: %d bytes, want more than there can be "+
			"for %d rows with a stride of %d; row %d does not fit",
			f.name, len(f.Data), rows, f.Stride, short)
	}
	return fmt.Errorf("batch: %s: %d bytes, want at least %d "+
		"for %d rows of %d with a stride of %d; row %d does not fit",
		f.name, len(f.Data), want, rows, f.width, f.Stride, short)
}

func (f *field) checkStride() error {
	if f.Stride < 0 || f.Stride > 0 && f.Stride < f.width {
		return fmt.Errorf("batch: %s: a stride of %d, want 0 or at least %d", f.name, f.Stride, f.width)
	}
	return nil
}

// rows returns how many rows all of the fields have, which must be the same number: a
// column that is shorter than the others would otherwise leave rows out. A field with
// a stride of 0 has any number of rows, and if all are such there is one.
func rows(fields ...field) (n int, err error) {
	first := ""
	for _, f := range fields {
		if err := f.checkStride(); err != nil {
			return 0, err
		}
		if f.Stride == 0 {
			continue
		}
		if rest := len(f.Data) % f.width; f.Stride == f.width && rest != 0 {
			return 0, fmt.Errorf("batch: %s: %d bytes, of which the last %d are no whole row of %d",
				f.name, len(f.Data), rest, f.width)
		}
		have := 0
		if len(f.Data) >= f.width {
			have = (len(f.Data)-f.width)/f.Stride + 1
		}
		switch {
		case first == "":
			first, n = f.name, have
		case have != n:
			return 0, fmt.Errorf("batch: %s has %d rows, and %s %d", first, n, f.name, have)
		}
	}
	if first == "" {
		return 1, nil
	}
	return n, nil
}

// checkResults returns an error if dst is not as long as rows results of the width.
func checkResults(dst []byte, rows, width int) error {
	if hi, want := bits.Mul64(uint64(rows), uint64(width)); hi != 0 || want != uint64(len(dst)) {
		return fmt.Errorf("batch: dst: %d bytes, want %d times %d, the number of verdicts",
			len(dst), width, rows)
	}
	return nil
}
