package batch

import (
	"fmt"
	"math/bits"
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

// check returns an error if the column does not hold rows rows of the width.
func (c Column) check(name string, rows, width int) error {
	if c.Stride < 0 || c.Stride > 0 && c.Stride < width {
		return fmt.Errorf("batch: %s: a stride of %d, want 0 or at least %d", name, c.Stride, width)
	}
	if rows == 0 {
		return nil
	}
	short := 0 // the first row that does not fit
	if have := len(c.Data); have >= width {
		if c.Stride == 0 || (rows-1) <= (have-width)/c.Stride {
			return nil
		}
		short = (have-width)/c.Stride + 1
	}
	hi, want := bits.Mul64(uint64(rows-1), uint64(c.Stride))
	want, carry := bits.Add64(want, uint64(width), 0)
	if hi|carry != 0 {
		return fmt.Errorf("batch: %s: %d bytes, want more than there can be for %d rows with a stride of %d; row %d does not fit",
			name, len(c.Data), rows, c.Stride, short)
	}
	return fmt.Errorf("batch: %s: %d bytes, want at least %d for %d rows of %d with a stride of %d; row %d does not fit",
		name, len(c.Data), want, rows, width, c.Stride, short)
}

// checkResults returns an error if dst is not as long as rows results of the width.
func checkResults(dst []byte, rows, width int) error {
	if hi, want := bits.Mul64(uint64(rows), uint64(width)); hi != 0 || want != uint64(len(dst)) {
		return fmt.Errorf("batch: dst: %d bytes, want %d times %d, the number of verdicts", len(dst), width, rows)
	}
	return nil
}

// Fields of a row that check has seen to be there.

func (c Column) at32(i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func (c Column) at33(i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func (c Column) at64(i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func (c Column) at65(i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }
