package batch

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"

	"github.com/koblitz-go/koblitz/internal/device"
)

// A Column is one field of all rows of a call. [Packed], [Strided] and [Same] return one. The zero
// Column holds nothing: a call that needs the column returns an error.
//
// A call reads the memory of a Column and never writes to it. Several columns may share memory. It
// must not change while the call runs.
type Column struct {
	form   form
	data   []byte
	width  int
	stride int // from one row to the next
}

// A form tells how many rows a column has. The zero Column has none of them.
type form uint8

const (
	many form = iota + 1 // as many rows as the data holds
	same                 // any number of rows, with one value
)

// isZero reports whether c is the zero Column.
func (c *Column) isZero() bool { return c.form == 0 }

// Packed returns a column of values that follow each other without a gap, width bytes each.
//
// There is one row for each value. A call returns an error if the data ends within a value, or if
// width is not the width of the field.
func Packed(data []byte, width int) Column { return Column{many, data, width, width} }

// Strided returns a column that takes a field of width bytes out of each record of stride bytes:
// row i is data[i*stride : i*stride+width]. The data begins where the field of the first record
// does. For signatures of 65 bytes, r, s and the recovery id, these are the first 64 bytes, and the
// ids:
//
//	batch.Strided(sigs, 64, 65)
//	batch.Strided(sigs[64:], 1, 65)
//
// The data may end anywhere after the last field. A call returns an error if the data ends within a
// field, if width is not the width of the field, or if stride is less than width.
func Strided(data []byte, width, stride int) Column { return Column{many, data, width, stride} }

// Same returns a column with one value for every row: the message that many have signed, or the key
// that has signed many messages. Its width is the length of value.
func Same(value []byte) Column { return Column{same, value, len(value), 0} }

// A field is a column with the name and the width that it must have.
type field struct {
	name  string
	width int
	Column
}

// rows returns the number of rows of the field, and whether it is a certain number: a Same column
// has any.
func (f *field) rows() (n int, certain bool, err error) {
	switch {
	case f.isZero():
		return 0, false, fmt.Errorf("batch: %s: no column; Packed, Strided or Same makes one", f.name)
	case f.Column.width != f.width:
		return 0, false, fmt.Errorf("batch: %s: a width of %d, want %d", f.name, f.Column.width, f.width)
	case f.form == same:
		return 0, false, nil
	case f.stride < f.width:
		return 0, false, fmt.Errorf("batch: %s: a stride of %d, want at least %d",
			f.name, f.stride, f.width)
	}
	n = len(f.data) / f.stride
	switch rest := len(f.data) % f.stride; {
	case rest >= f.width:
		n++
	case rest > 0:
		return 0, false, fmt.Errorf("batch: %s: row %d has %d bytes, want %d", f.name, n, rest, f.width)
	}
	return n, true, nil
}

var (
	errNoRows  = errors.New("batch: no rows")
	errAllSame = errors.New("batch: all columns are Same, so that the number of rows is not known")
)

// commonRows returns the number of rows of all fields. It must be the same for each of them: a
// column that is shorter than the others would otherwise leave rows out.
func commonRows(fields ...field) (common int, err error) {
	first := ""
	for _, f := range fields {
		n, certain, err := f.rows()
		switch {
		case err != nil:
			return 0, err
		case !certain:
		case first == "":
			first, common = f.name, n
		case n != common:
			return 0, fmt.Errorf("batch: %s has %d rows, and %s %d", first, common, f.name, n)
		}
	}
	switch {
	case first == "":
		return 0, errAllSame
	case common == 0:
		return 0, errNoRows
	}
	return common, nil
}

// set gives the call its columns and checks dst, the memory for its results. It returns an error if
// a column does not have as many rows as there are verdicts, if dst has not the length of their
// results, or if dst shares memory with a column.
func (c *call) set(verdicts int, dst []byte, fields ...field) error {
	for i, f := range fields {
		n, certain, err := f.rows()
		if err != nil {
			return err
		}
		if certain && n != verdicts {
			return fmt.Errorf("batch: %s: %d rows, want %d, the number of verdicts",
				f.name, n, verdicts)
		}
		c.Cols[i] = device.Column{Data: f.data, Stride: f.stride}
	}
	size := c.Kind.ResultSize()
	if hi, want := bits.Mul64(uint64(verdicts), uint64(size)); hi != 0 || want != uint64(len(dst)) {
		return fmt.Errorf("batch: dst: %d bytes, want %d times %d, the number of verdicts",
			len(dst), size, verdicts)
	}
	for _, f := range fields {
		if overlap(dst, f.data) {
			return fmt.Errorf("batch: dst overlaps %s", f.name)
		}
	}
	return nil
}

// overlap reports whether a and b have a byte of memory in common. Package reflect tells addresses
// also where the tag purego excludes package unsafe.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := reflect.ValueOf(&a[0]).Pointer(), reflect.ValueOf(&b[0]).Pointer()
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}
