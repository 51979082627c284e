package arrowstream

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// storage returns the type of a column's values: the value type of a dictionary, or the storage
// type of an extension.
func storage(t arrow.DataType) arrow.DataType {
	for {
		switch inner := t.(type) {
		case *arrow.DictionaryType:
			t = inner.ValueType
		case arrow.ExtensionType:
			t = inner.StorageType()
		default:
			return t
		}
	}
}

// readable reports whether a column holds bytes or text, or only nulls.
func readable(t arrow.DataType) bool {
	switch storage(t).ID() {
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.BINARY_VIEW, arrow.STRING,
		arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.NULL:
		return true
	}
	return false
}

// isText reports whether cells of type t are read as text under the encoding e.
func isText(t arrow.DataType, e columns.Encoding) bool {
	switch storage(t).ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return e == columns.Hex || e == columns.Base64
}

// appendCells appends to out the n cells of the column a that begin at row first.
func appendCells(out *columns.Cells, a arrow.Array, first, n int) error {
	for i := first; i < first+n; i++ {
		if err := appendCell(out, a, i); err != nil {
			return err
		}
	}
	return nil
}

func appendCell(out *columns.Cells, a arrow.Array, i int) error {
	if a.IsNull(i) {
		out.Fault(columns.Null)
		return nil
	}
	switch a := a.(type) {
	case *array.Binary:
		out.Add(a.Value(i))
	case *array.LargeBinary:
		out.Add(a.Value(i))
	case *array.FixedSizeBinary:
		out.Add(a.Value(i))
	case *array.BinaryView:
		out.Add(a.Value(i))
	case *array.String:
		out.Add([]byte(a.Value(i)))
	case *array.LargeString:
		out.Add([]byte(a.Value(i)))
	case *array.StringView:
		out.Add([]byte(a.Value(i)))
	case *array.Null:
		out.Fault(columns.Null)
	case *array.Dictionary:
		return appendCell(out, a.Dictionary(), a.GetValueIndex(i))
	case array.ExtensionArray:
		return appendCell(out, a.Storage(), i)
	default:
		return fmt.Errorf("%v, where bytes or text are needed", a.DataType())
	}
	return nil
}
