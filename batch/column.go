//ct:public describes memory

package batch

import (
	"fmt"
	"io"
	"log/slog"
	"math/bits"
	"reflect"
	"slices"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// A Column holds one field of all rows of a call. [Packed], [Strided] and [Same] return columns.
// The zero Column is missing: a call that needs the column returns an error. Because its values may
// be private keys, a Column prints as a fixed text, also as a field of other values, and encoders
// return an error.
//
// A call reads the memory of its columns and never writes to it. The memory must not change while
// the call runs; the comment of package batch says what a change does. Several columns may share
// memory.
type Column struct {
	redacted

	// The function hides the memory from printers such as fmt, which read unexported fields by
	// reflection and follow slices. It is nil in the zero value.
	open func() values
}

// values describes the memory of a Column.
type values struct {
	form   form
	data   []byte
	width  int
	stride int // bytes from one row's value to the next row's
}

// A form says how the number of rows of a column is determined. A missing column has the zero form.
type form uint8

const (
	many form = iota + 1 // as many rows as data holds values
	same                 // any number of rows, all with the same value
)

// Packed returns a column of values that are width bytes long and follow one another in data. A
// call returns an error if the data ends within a value, or if width is not a width of the field.
func Packed(data []byte, width int) Column { return Strided(data, width, width) }

// Strided returns a column with one field, width bytes long, in each record, stride bytes long: the
// field of row i is data[i*stride : i*stride+width]. data begins at the field of the first record.
// For example, if each record is a 65-byte signature (r, s and the recovery id), these are the
// column of signatures and the column of ids:
//
//	batch.Strided(sigs, 64, 65)
//	batch.Strided(sigs[64:], 1, 65)
//
// data may end anywhere after the last field. A call returns an error if data ends within a field,
// if width is not a width of the field, or if stride is less than width.
func Strided(data []byte, width, stride int) Column {
	return Column{open: func() values { return values{many, data, width, stride} }}
}

// Same returns a column that has the same value in every row, such as one message that many keys
// have signed. Its width is the length of value.
func Same(value []byte) Column {
	return Column{open: func() values { return values{same, value, len(value), 0} }}
}

// A field is a column together with the field's name and the widths that it may have.
type field struct {
	name   string
	widths [3]int // the allowed widths in bytes, and zeros
	values
}

// field returns the column as a field with the given name and widths. A call converts its columns
// first, and does not keep c. So the function in c can stay on the stack of the caller.
func (c *Column) field(name string, widths ...int) field {
	f := field{name: name}
	copy(f.widths[:], widths)
	if c.open != nil {
		f.values = c.open()
	}
	return f
}

// fits returns an error unless the column is present, has an allowed width, and has the given
// number of rows.
func (f *field) fits(rows int) error {
	switch {
	case f.form == 0:
		return fmt.Errorf("batch: %s: no column; Packed, Strided or Same makes one", f.name)
	case f.width == 0 || !slices.Contains(f.widths[:], f.width):
		want := fmt.Sprint(f.widths[0])
		for _, width := range f.widths[1:] {
			if width != 0 {
				want += fmt.Sprint(" or ", width)
			}
		}
		return fmt.Errorf("batch: %s: a width of %d, want %s", f.name, f.width, want)
	case f.form == same:
		return nil
	case f.stride < f.width:
		return fmt.Errorf("batch: %s: a stride of %d, want at least %d", f.name, f.stride, f.width)
	}
	n := len(f.data) / f.stride
	switch rest := len(f.data) % f.stride; {
	case rest >= f.width:
		n++
	case rest > 0:
		return fmt.Errorf("batch: %s: row %d has %d bytes, want %d", f.name, n, rest, f.width)
	}
	if n != rows {
		return fmt.Errorf("batch: %s: %d rows, want %d", f.name, n, rows)
	}
	return nil
}

// fit returns an error if a column does not fit the number of rows, if dst does not have the given
// size for each row, or if dst shares memory with a column.
func fit(rows int, dst []byte, size int, fields ...field) error {
	for i := range fields {
		if err := fields[i].fits(rows); err != nil {
			return err
		}
	}
	if hi, want := bits.Mul64(uint64(rows), uint64(size)); hi != 0 || want != uint64(len(dst)) {
		return fmt.Errorf("batch: dst: %d bytes, want %d times %d, the number of verdicts",
			len(dst), size, rows)
	}
	for i := range fields {
		if overlap(dst, fields[i].data) {
			return fmt.Errorf("batch: dst overlaps %s", fields[i].name)
		}
	}
	return nil
}

// row returns the value of row i.
func (v *values) row(i int) []byte { return v.data[i*v.stride:][:v.width] }

// copyTo copies the values of the rows from lo to hi to dst, one after another.
func (v *values) copyTo(dst []byte, lo, hi int) {
	for i := lo; i < hi; i++ {
		copy(dst[(i-lo)*v.width:], v.row(i))
	}
}

// points sets p to the keys of the rows from lo on, and ok[i] to whether the key p[i] could be
// decoded. If it could not, p[i] is G.
func (v *values) points(p []point.Affine, ok []bool, lo int) {
	lanewise.Decode(p, ok, func(i int) []byte { return v.row(lo + i) })
}

// overlap reports whether a and b share a byte of memory. It compares addresses by package reflect,
// because builds with the tag purego have no package unsafe.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := reflect.ValueOf(&a[0]).Pointer(), reflect.ValueOf(&b[0]).Pointer()
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

// redacted is embedded in columns, which may hold secrets, and in rows of secrets. They print as a
// fixed text, and encoders get an error.
type redacted struct{ noEncoding }

// redactedText is the text that package fmt prints.
const redactedText = "batch: rows that may be secret (redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (redacted) Format(f fmt.State, verb rune) { io.WriteString(f, redactedText) }

// String returns the same fixed text as Format.
func (redacted) String() string { return redactedText }

// GoString returns the same fixed text as Format.
func (redacted) GoString() string { return redactedText }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (redacted) LogValue() slog.Value { return slog.StringValue(redactedText) }
