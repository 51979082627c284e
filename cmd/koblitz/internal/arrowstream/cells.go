package arrowstream

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"

// readable reports whether a column holds bytes or text, or only nulls.
func (f *field) readable() bool {
	switch f.kind {
	case typeBinary, typeLargeBinary, typeFixedBinary, typeBinaryView, typeNull:
		return true
	}
	return f.text()
}

// text reports whether a column holds text.
func (f *field) text() bool {
	return f.kind == typeText || f.kind == typeLargeText || f.kind == typeTextView
}

// appendCells appends n cells of the column to dst, from row start onwards.
func (a *vector) appendCells(dst *columns.Cells, start, n int64) {
	for i := start; i < start+n; i++ {
		if value, ok := a.cell(i); ok {
			dst.Add(value)
		} else {
			dst.Fault(columns.Null)
		}
	}
}

// cell returns the value in row i of a readable column, or false if the value is null.
func (a *vector) cell(i int64) ([]byte, bool) {
	if a.isNull(i) {
		return nil, false
	}
	f := a.field
	if a.indexes {
		return f.dictionary.values.cell(a.index(i))
	}
	switch f.kind {
	case typeBinaryView, typeTextView:
		return a.view(i), true
	case typeFixedBinary:
		n := f.bits / 8
		return a.buffers[0][n*i : n*i+n], true
	case typeNull:
		return nil, false
	}
	return a.buffers[1][integer(a.buffers[0], f.bits, i):integer(a.buffers[0], f.bits, i+1)], true
}
