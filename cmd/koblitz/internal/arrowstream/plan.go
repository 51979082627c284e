package arrowstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// A plan lists the nodes and buffers that the schema requires in each batch of a stream, in the
// order of the columns.
type plan struct {
	columns      []arrow.Field
	dictionaries map[int64]arrow.Field // by id; the type is that of the values
}

// newPlan returns the plan of schema. ids holds the ids of the schema's dictionaries, in the order
// of the fields that use them.
func newPlan(schema *arrow.Schema, ids []int64) (*plan, error) {
	p := &plan{columns: schema.Fields(), dictionaries: map[int64]arrow.Field{}}
	var err error
	var visit func(name string, t arrow.DataType)
	visit = func(name string, t arrow.DataType) {
		if !utf8.ValidString(name) {
			err = errors.New("the name of a column is not UTF-8")
		}
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
				visit(name+"."+f.Name, f.Type)
			}
		}
	}
	for _, f := range p.columns {
		visit(f.Name, f.Type)
	}
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("the schema has %d dictionaries that no column uses", len(ids))
	}
	return p, err
}

// unextended returns the storage type if t is an extension type, and otherwise t.
func unextended(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// A batchNumbers checks that the lengths, null counts and offsets in the metadata of a RecordBatch
// agree with each other, with the types of the columns and with the buffers.
type batchNumbers struct {
	table      flatbuffers.Table
	fields     []arrow.Field
	version    int16
	dictionary bool // the batch holds the values of a dictionary

	body                     []byte
	nodes, buffers, variadic numberList
}

// A numberList is a list of numbers, or of structs of two numbers, in a FlatBuffers message.
type numberList struct {
	at    int // offset of the next element
	width int // size of an element in bytes
	left  int // number of elements that were not taken
}

func (n *batchNumbers) list(slot flatbuffers.VOffsetT, width int) numberList {
	o := flatbuffers.UOffsetT(n.table.Offset(slot))
	if o == 0 {
		return numberList{}
	}
	return numberList{at: int(n.table.Vector(o)), width: width, left: n.table.VectorLen(o)}
}

// take returns the offset of the next element and advances past it.
func (l *numberList) take() (at int, err error) {
	if l.left == 0 {
		return 0, errBroken
	}
	at = l.at
	l.at += l.width
	l.left--
	return at, nil
}

func (n *batchNumbers) number(at int) int64 {
	return int64(binary.LittleEndian.Uint64(n.table.Bytes[at:]))
}

// dictionary returns the batch inside t, which is a DictionaryBatch.
func (p *plan) dictionary(t flatbuffers.Table) (*batchNumbers, error) {
	id := t.GetInt64Slot(4, 0)
	f, ok := p.dictionaries[id]
	if !ok {
		return nil, fmt.Errorf("a dictionary %d that no column uses", id)
	}
	if t.GetBoolSlot(8, false) {
		return nil, fmt.Errorf("column %q: its dictionary is sent in parts (deltas): send it whole",
			columns.Short(f.Name))
	}
	o := t.Offset(6)
	if o == 0 {
		return nil, errBroken
	}
	batch := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}
	return &batchNumbers{table: batch, fields: []arrow.Field{f}, dictionary: true}, nil
}

// check checks a batch against the plan and returns its body with all buffers decompressed. It
// takes ownership of body, and the caller owns the result.
func (n *batchNumbers) check(body *memory.Buffer, u *unpacker) (*memory.Buffer, error) {
	rows := n.table.GetInt64Slot(4, 0)
	if rows < 0 || !n.dictionary && rows > maxRows {
		return nil, fmt.Errorf("%d rows, more than the %d that a batch may have: send smaller ones",
			rows, maxRows)
	}
	body, err := n.unpack(body, u)
	if err != nil {
		return nil, err
	}
	n.body = body.Bytes()
	n.nodes, n.buffers, n.variadic = n.list(6, 16), n.list(8, 16), n.list(12, 8)
	for _, f := range n.fields {
		length, err := n.column(f.Type)
		if err == nil && length != rows {
			err = fmt.Errorf("it has %d rows, and its batch %d", length, rows)
		}
		if err == nil {
			continue
		}
		if n.dictionary {
			err = fmt.Errorf("its dictionary: %w", err)
		}
		return nil, fmt.Errorf("column %q: %w", columns.Short(f.Name), err)
	}
	if left := n.nodes.left + n.buffers.left + n.variadic.left; left > 0 {
		return nil, fmt.Errorf("%d nodes or buffers belong to no column", left)
	}
	return body, nil
}

// column checks the node and the buffers of a column of type t, and those of its nested columns. It
// returns the number of elements that the node claims.
func (n *batchNumbers) column(t arrow.DataType) (length int64, err error) {
	t = unextended(t)
	id := t.ID()
	bitmapped := id != arrow.NULL && id != arrow.SPARSE_UNION && id != arrow.DENSE_UNION &&
		id != arrow.RUN_END_ENCODED
	if !bitmapped && id != arrow.NULL && (n.dictionary || n.version < version5) {
		return 0, fmt.Errorf("%v in a dictionary or before version 5 of Arrow's metadata", t)
	}
	node, err := n.nodes.take()
	if err != nil {
		return 0, err
	}
	length, nulls := n.number(node), n.number(node+8)
	if length < 0 || length > maxBody*8 {
		return 0, fmt.Errorf("%d rows", length)
	}
	found := int64(0)
	if id == arrow.NULL {
		found = length
	}
	layout := t.Layout()
	for i, spec := range layout.Buffers {
		if spec.Kind == arrow.KindAlwaysNull {
			continue
		}
		bitmap, err := n.buffer()
		if err != nil {
			return 0, err
		}
		if i > 0 || !bitmapped || len(bitmap) == 0 {
			continue
		}
		if int64(len(bitmap)) < (length+7)/8 {
			return 0, fmt.Errorf("a bitmap of %d bytes for %d rows", len(bitmap), length)
		}
		found = length - int64(bitutil.CountSetBits(bitmap, 0, int(length)))
	}
	if nulls != found {
		return 0, fmt.Errorf("%d cells are null, and it says %d", found, nulls)
	}
	if layout.VariadicSpec != nil {
		at, err := n.variadic.take()
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

// buffer returns the next buffer, which must lie within the body.
func (n *batchNumbers) buffer() ([]byte, error) {
	at, err := n.buffers.take()
	if err != nil {
		return nil, err
	}
	offset, size, have := n.number(at), n.number(at+8), int64(len(n.body))
	switch {
	case offset < 0 || size < 0 || offset > have || size > have-offset:
		return nil, fmt.Errorf("a buffer of %d bytes at byte %d of %d", size, offset, have)
	case offset%8 != 0:
		return nil, fmt.Errorf("a buffer at byte %d, which is no multiple of 8", offset)
	}
	return n.body[offset : offset+size], nil
}
