package arrowstream

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// An arrays checks the offsets, indexes and lengths inside all columns of batches. It also checks
// columns without signature data, since Run passes them on to other programs.
type arrays struct {
	checked map[*array.Data]bool // dictionaries of the previous batch, which this batch may share
	seen    map[*array.Data]bool // dictionaries checked in this batch
}

// check checks the columns of b.
func (c *arrays) check(b arrow.RecordBatch) error {
	c.seen = make(map[*array.Data]bool)
	for i, a := range b.Columns() {
		d, ok := a.Data().(*array.Data)
		err := errors.New("no array")
		if ok {
			amend(d)
			if err = array.Validate(a); err == nil {
				err = c.values(d)
			}
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(b.ColumnName(i)), arrowError(err))
		}
	}
	c.checked = c.seen
	return nil
}

// amend adds to d the buffers that arrow-go omits when it reads an array but requires when it
// checks one: the nil buffer of an array of nulls, and the offsets of a dense union without rows.
func amend(d *array.Data) {
	t, buffers := unextended(d.DataType()), d.Buffers()
	switch {
	case t.ID() == arrow.NULL && len(buffers) == 0:
		d.Reset(d.DataType(), d.Len(), []*memory.Buffer{nil}, nil, d.NullN(), d.Offset())
	case t.ID() == arrow.DENSE_UNION && len(buffers) == 3 && buffers[2] == nil:
		buffers[2] = memory.NewBufferBytes([]byte{})
	}
	for _, child := range d.Children() {
		amend(child.(*array.Data))
	}
	if dictionary, ok := d.Dictionary().(*array.Data); ok && dictionary != nil {
		amend(dictionary)
	}
}

// values checks every element of the array d, which array.Validate must have accepted. It differs
// from array.ValidateFull in three ways. It accepts text cells with invalid UTF-8, since such a
// cell must not prevent the verdicts on other rows. It does not check a dictionary of the previous
// batch again. It also checks the offsets of empty lists.
func (c *arrays) values(d *array.Data) error {
	t := unextended(d.DataType())
	data := array.NewData(asBytes(t), d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	defer data.Release()
	a := array.MakeFromData(data)
	defer a.Release()
	if v, ok := a.(array.Validator); ok {
		if err := v.ValidateFull(); err != nil {
			return err
		}
	}
	var err error
	switch a := a.(type) {
	case *array.ListView:
		err = inside(a.Offsets()[:a.Len()], a.ListValues().Len())
	case *array.LargeListView:
		err = inside(a.Offsets()[:a.Len()], a.ListValues().Len())
	}
	if err != nil {
		return err
	}
	for _, child := range d.Children() {
		if err := c.values(child.(*array.Data)); err != nil {
			return err
		}
	}
	dictionary, ok := d.Dictionary().(*array.Data)
	if !ok || dictionary == nil {
		return nil
	}
	if err := indexes(d, dictionary.Len()); err != nil {
		return err
	}
	_, nested := t.(*arrow.DictionaryType).ValueType.(arrow.NestedType)
	if !nested {
		c.seen[dictionary] = true
		if c.checked[dictionary] {
			return nil
		}
	}
	if err := c.values(dictionary); err != nil {
		return fmt.Errorf("its dictionary: %w", err)
	}
	return nil
}

// inside checks that every offset is at most n.
func inside[T int32 | int64](offsets []T, n int) error {
	for _, o := range offsets {
		if o < 0 || int64(o) > int64(n) {
			return fmt.Errorf("a list that begins at %d of %d values", o, n)
		}
	}
	return nil
}

// asBytes returns the binary type with the same layout as t if t is a text type, and otherwise t.
func asBytes(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.STRING:
		return arrow.BinaryTypes.Binary
	case arrow.LARGE_STRING:
		return arrow.BinaryTypes.LargeBinary
	case arrow.STRING_VIEW:
		return arrow.BinaryTypes.BinaryView
	case arrow.DICTIONARY:
		return t.(*arrow.DictionaryType).IndexType
	}
	return t
}

// indexes checks that the indexes of the dictionary array d are below n.
func indexes(d *array.Data, n int) error {
	data := array.NewDataWithDictionary(unextended(d.DataType()), d.Len(), d.Buffers(), d.NullN(),
		d.Offset(), d.Dictionary().(*array.Data))
	defer data.Release()
	a := array.NewDictionaryData(data)
	defer a.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if k := a.GetValueIndex(i); k < 0 || k >= n {
			return fmt.Errorf("entry %d of a dictionary of %d", k, n)
		}
	}
	return nil
}
