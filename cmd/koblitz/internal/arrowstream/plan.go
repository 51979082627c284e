package arrowstream

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// A plan says which nodes and buffers the batches of a stream have: those that the types of its
// schema ask for, in the order of the columns.
type plan struct {
	columns      []arrow.Field
	dictionaries map[int64]arrow.Field // by number; the type is that of the values
}

// newPlan returns the plan of a schema. ids are the numbers of its dictionaries, in the order of
// the fields in which they are used.
func newPlan(schema *arrow.Schema, ids []int64) (*plan, error) {
	p := &plan{columns: schema.Fields(), dictionaries: map[int64]arrow.Field{}}
	var visit func(name string, t arrow.DataType)
	visit = func(name string, t arrow.DataType) {
		t = unextended(t)
		if d, ok := t.(*arrow.DictionaryType); ok {
			if len(ids) > 0 {
				p.dictionaries[ids[0]] = arrow.Field{Name: name, Type: d.ValueType}
				ids = ids[1:]
			}
			t = unextended(d.ValueType)
		}
		if nested, ok := t.(arrow.NestedType); ok {
			for _, f := range nested.Fields() {
				visit(name, f.Type)
			}
		}
	}
	for _, f := range p.columns {
		visit(f.Name, f.Type)
	}
	if len(ids) > 0 {
		return nil, fmt.Errorf("the schema has %d dictionaries that no column uses", len(ids))
	}
	return p, nil
}

// unextended returns the type in which an extension type is stored.
func unextended(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// Versions of messages: since 1.0 Arrow writes the second.
const (
	version4 = 3
	version5 = 4
)

// batchNumbers are the numbers of a RecordBatch that nothing has compared yet.
type batchNumbers struct {
	body    int64 // bytes after the description
	version int16

	bytes                    []byte // the description
	length                   int64
	nodes, buffers, variadic numberList
	dictionary               bool
}

// A numberList is a list of structs of two numbers, or of numbers.
type numberList struct {
	at    int // place of the next one
	width int // bytes of each
	left  int
}

func (n *batchNumbers) list(t flatbuffers.Table, slot flatbuffers.VOffsetT, width int) numberList {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return numberList{}
	}
	return numberList{at: int(t.Vector(o)), width: width, left: t.VectorLen(o)}
}

// take returns the place of the next element of a list.
func (n *batchNumbers) take(list *numberList) (at int, err error) {
	if list.left == 0 {
		return 0, errLength
	}
	at = list.at
	list.at += list.width
	list.left--
	return at, nil
}

func (n *batchNumbers) number(at int) int64 {
	return int64(binary.LittleEndian.Uint64(n.bytes[at:]))
}

// batch compares the numbers of a RecordBatch with each other and with the types of the columns.
func (p *plan) batch(n batchNumbers, t flatbuffers.Table) error {
	return n.check(t, p.columns)
}

// dictionary does that with the values of a dictionary.
func (p *plan) dictionary(n batchNumbers, t, batch flatbuffers.Table) error {
	id := t.GetInt64Slot(4, 0)
	f, ok := p.dictionaries[id]
	if !ok {
		return fmt.Errorf("a dictionary %d that no column uses", id)
	}
	if t.GetBoolSlot(8, false) {
		return fmt.Errorf("column %q: its dictionary is sent in parts (deltas): send it whole",
			columns.Short(f.Name))
	}
	n.dictionary = true
	if err := n.check(batch, []arrow.Field{f}); err != nil {
		return fmt.Errorf("dictionary of %w", err)
	}
	return nil
}

func (n *batchNumbers) check(t flatbuffers.Table, fields []arrow.Field) error {
	if n.version != version4 && n.version != version5 {
		return fmt.Errorf("version %d of Arrow's metadata, where 4 or 5 is needed", n.version+1)
	}
	n.bytes, n.length = t.Bytes, t.GetInt64Slot(4, 0)
	n.nodes, n.buffers = n.list(t, 6, 16), n.list(t, 8, 16)
	n.variadic = n.list(t, 12, 8)
	// An allocation of the library may be as large as the largest length.
	if n.length < 0 || !n.dictionary && n.length > maxRows {
		return fmt.Errorf("%d rows, more than the %d that a batch may have: send smaller ones",
			n.length, maxRows)
	}
	for _, f := range fields {
		length, err := n.column(f.Type)
		if err == nil && length != n.length {
			err = fmt.Errorf("it has %d rows, and its batch %d", length, n.length)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", columns.Short(f.Name), err)
		}
	}
	if left := n.nodes.left + n.buffers.left + n.variadic.left; left > 0 {
		return fmt.Errorf("%d nodes or buffers belong to no column", left)
	}
	return nil
}

// column checks the node and the buffers of a column of type t, with those of the columns inside.
// It returns the length that the node claims.
//
// The library leaves the bitmap of a column out that claims to have no nulls. With a null count of
// -1 it reads the bitmap, so column replaces such a 0 by -1: arrays.check then counts.
func (n *batchNumbers) column(t arrow.DataType) (length int64, err error) {
	t = unextended(t)
	id := t.ID()
	union := id == arrow.SPARSE_UNION || id == arrow.DENSE_UNION
	if (union || id == arrow.RUN_END_ENCODED) && (n.dictionary || n.version < version5) {
		return 0, fmt.Errorf("%v in a dictionary or before version 5 of Arrow's metadata", t)
	}
	node, err := n.take(&n.nodes)
	if err != nil {
		return 0, err
	}
	length, nulls := n.number(node), n.number(node+8)
	if length < 0 || length > maxBody*8 || nulls < 0 || nulls > length {
		return 0, fmt.Errorf("%d rows and %d nulls", length, nulls)
	}
	if (union || id == arrow.RUN_END_ENCODED) && nulls > 0 {
		return 0, fmt.Errorf("%d nulls, where %v has none", nulls, t)
	}
	if id == arrow.NULL && nulls != length {
		return 0, fmt.Errorf("%d rows of %v and %d nulls", length, t, nulls)
	}
	layout := t.Layout()
	for i, spec := range layout.Buffers {
		if spec.Kind == arrow.KindAlwaysNull {
			continue
		}
		size, err := n.buffer()
		if err != nil {
			return 0, err
		}
		if i > 0 || union {
			continue
		}
		switch {
		case size == 0 && nulls > 0:
			return 0, fmt.Errorf("%d nulls, and nothing says where", nulls)
		case size > 0 && nulls == 0:
			unknown := int64(array.UnknownNullCount)
			binary.LittleEndian.PutUint64(n.bytes[node+8:], uint64(unknown))
		}
	}
	if layout.VariadicSpec != nil {
		at, err := n.take(&n.variadic)
		if err != nil {
			return 0, err
		}
		for range n.number(at) {
			if _, err := n.buffer(); err != nil {
				return 0, err
			}
		}
	}
	if nested, ok := t.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if _, err := n.column(f.Type); err != nil {
				return 0, err
			}
		}
	}
	return length, nil
}

// buffer checks that the next buffer lies in the body, and returns its length.
func (n *batchNumbers) buffer() (size int64, err error) {
	at, err := n.take(&n.buffers)
	if err != nil {
		return 0, err
	}
	offset, size := n.number(at), n.number(at+8)
	switch {
	case offset < 0 || size < 0 || offset > n.body || size > n.body-offset:
		return 0, fmt.Errorf("a buffer of %d bytes at %d of the %d of the batch", size, offset, n.body)
	case offset%8 != 0:
		return 0, fmt.Errorf("a buffer at byte %d, which is no multiple of 8", offset)
	}
	return size, nil
}
