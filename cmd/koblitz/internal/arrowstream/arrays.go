package arrowstream

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// An arrays checks that the columns of batches are what they claim to be, all of them: those that
// hold no part of a signature are passed on, and programs behind this one read them.
type arrays struct {
	checked map[*array.Data]bool // dictionaries of the last batch, which the next may have too
	seen    map[*array.Data]bool // those of this batch
}

// check returns an error if a column of a batch is not as its length, its null count and its
// type say.
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

// amend gives an array the buffers that array.Validate expects: a null array has one, which is nil,
// and no bitmap has no bytes.
func amend(d *array.Data) {
	if d.DataType().ID() == arrow.NULL {
		d.Reset(d.DataType(), d.Len(), []*memory.Buffer{nil}, nil, d.NullN(), d.Offset())
	}
	if bitmap := d.Buffers(); d.NullN() == array.UnknownNullCount && len(bitmap) > 0 &&
		bitmap[0].Len() == 0 {
		bitmap[0] = nil
	}
	for _, child := range d.Children() {
		amend(child.(*array.Data))
	}
	if dictionary, ok := d.Dictionary().(*array.Data); ok && dictionary != nil {
		amend(dictionary)
	}
}

// values does for an array what array.ValidateFull does, of which array.Validate is done. It
// differs from that in three things. Null counts that are unknown must be 0. A text that is no
// UTF-8 is a cell like any other: it must not keep its neighbours from getting their verdicts. A
// dictionary that the last batch had is not gone through again.
func (c *arrays) values(d *array.Data) error {
	if err := countNulls(d); err != nil {
		return err
	}
	t := unextended(d.DataType())
	a := array.MakeFromData(array.NewData(asBytes(t), d.Len(), d.Buffers(), d.Children(), d.NullN(),
		d.Offset()))
	if v, ok := a.(array.Validator); ok {
		if err := v.ValidateFull(); err != nil {
			return err
		}
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

// asBytes returns the type that has the layout of t and does not ask for UTF-8.
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

// countNulls compares the null count of an array with its bitmap, and sets one that is unknown.
func countNulls(d *array.Data) error {
	nulls, claimed := 0, max(d.NullN(), 0)
	if d.DataType().ID() == arrow.NULL {
		return nil // plan has compared it
	}
	if b := d.Buffers(); len(b) > 0 && b[0] != nil {
		nulls = d.Len() - bitutil.CountSetBits(b[0].Bytes(), d.Offset(), d.Len())
	}
	if nulls != claimed {
		return fmt.Errorf("%d cells are null, and its null count is %d", nulls, claimed)
	}
	d.SetNullN(nulls)
	return nil
}

// indexes checks that the indexes of a dictionary array are below n.
func indexes(d *array.Data, n int) error {
	data := array.NewDataWithDictionary(unextended(d.DataType()), d.Len(), d.Buffers(), d.NullN(),
		d.Offset(), d.Dictionary().(*array.Data))
	a := array.NewDictionaryData(data)
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
