// Package ipc encodes the messages of an Arrow IPC stream (Message.fbs and Schema.fbs of Arrow).
package ipc

//ci:untested The tests of package arrowstream run it.

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Continuation is the marker that precedes each message since version 0.15 of Arrow. End is the
// end-of-stream marker.
const (
	Continuation = 0xffffffff
	End          = "\xff\xff\xff\xff\x00\x00\x00\x00"
)

// These are values of MetadataVersion. Arrow has written Version5 since release 1.0.
const (
	Version4 = 3
	Version5 = 4
)

// These are values of MessageHeader.
const (
	SchemaMessage = 1
	BatchMessage  = 3
)

// These are values of Type.
const (
	Null   = 1 // all cells are null
	Binary = 4
	Text   = 5
)

// Message returns the message in b without its body. header is the FlatBuffers table that describes
// the message's content, kind is the type of this table, and body is the size of the body in bytes.
func Message(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int) []byte {
	b.StartObject(4)
	b.PrependInt64Slot(3, int64(body), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt16Slot(0, Version5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	meta := b.FinishedBytes()
	padding := -len(meta) & 7
	out := binary.LittleEndian.AppendUint32(nil, Continuation)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(meta)+padding))
	out = append(out, meta...)
	return append(out, make([]byte, padding)...)
}

// List appends to b a list of n elements of size bytes each, aligned to align bytes. The callback
// element appends element i.
func List(b *flatbuffers.Builder, n, size, align int, element func(i int)) flatbuffers.UOffsetT {
	b.StartVector(size, n, align)
	for i := n - 1; i >= 0; i-- {
		element(i)
	}
	return b.EndVector(n)
}

// Field appends to b the description of a column with values of a type that has no parameters.
// nullable reports whether the column can hold nulls.
func Field(b *flatbuffers.Builder, name string, nullable bool, typ byte) flatbuffers.UOffsetT {
	text := b.CreateString(name)
	children := List(b, 0, 4, 4, nil)
	b.StartObject(0)
	parameters := b.EndObject()
	b.StartObject(6)
	b.PrependUOffsetTSlot(0, text, 0)
	b.PrependBoolSlot(1, nullable, false)
	b.PrependByteSlot(2, typ, 0)
	b.PrependUOffsetTSlot(3, parameters, 0)
	b.PrependUOffsetTSlot(5, children, 0)
	return b.EndObject()
}

// Schema returns the message in b with a schema. fields are the descriptions of its columns, and
// custom is its list of key-value pairs, or 0.
func Schema(b *flatbuffers.Builder, fields []flatbuffers.UOffsetT,
	custom flatbuffers.UOffsetT) []byte {
	list := List(b, len(fields), 4, 4, func(i int) { b.PrependUOffsetT(fields[i]) })
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	b.PrependUOffsetTSlot(2, custom, 0)
	return Message(b, SchemaMessage, b.EndObject(), 0)
}

// A Batch holds the fields of the FlatBuffers table RecordBatch.
type Batch struct {
	Length         int64      // number of rows
	Nodes, Buffers [][2]int64 // nodes: length and null count; buffers: offset and length
	Variadic       []int64    // number of data buffers of each view column
}

// Write writes to w the message with the batch and its body. The body consists of the bytes to
// which Buffers refer, and of the columns, which Write adds to the batch.
func (r *Batch) Write(w io.Writer, body []byte, columns ...*Column) error {
	parts, size := [][]byte{body}, padded(len(body))
	for _, c := range columns {
		r.Nodes = append(r.Nodes, [2]int64{c.Rows, c.Nulls})
		if c.Null {
			continue
		}
		valid := c.valid
		if c.Nulls == 0 {
			valid = nil
		}
		for _, part := range [][]byte{valid, c.offsets, c.data} {
			r.Buffers = append(r.Buffers, [2]int64{int64(size), int64(len(part))})
			size += padded(len(part))
			parts = append(parts, part)
		}
	}
	if _, err := w.Write(r.description(size)); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, padded(len(part))-len(part))); err != nil {
			return err
		}
	}
	return nil
}

// padded returns n, rounded up to a multiple of 8.
func padded(n int) int { return (n + 7) &^ 7 }

// description returns the message with the batch, without its body.
func (r *Batch) description(body int) []byte {
	b := flatbuffers.NewBuilder(0)
	var lists [2]flatbuffers.UOffsetT
	for i, pairs := range [][][2]int64{r.Nodes, r.Buffers} {
		lists[i] = List(b, len(pairs), 16, 8, func(k int) {
			b.PrependInt64(pairs[k][1])
			b.PrependInt64(pairs[k][0])
		})
	}
	variadic := List(b, len(r.Variadic), 8, 8, func(i int) { b.PrependInt64(r.Variadic[i]) })
	b.StartObject(5)
	b.PrependInt64Slot(0, r.Length, 0)
	b.PrependUOffsetTSlot(1, lists[0], 0)
	b.PrependUOffsetTSlot(2, lists[1], 0)
	b.PrependUOffsetTSlot(4, variadic, 0)
	return Message(b, BatchMessage, b.EndObject(), body)
}

// A Column is a column of a batch, with values of the type Binary or Text.
type Column struct {
	Rows, Nulls int64 // number of cells, and of those that are null
	Null        bool  // the type is Null instead, whose columns have no buffers

	valid   []byte // one bit for each row; 0 marks a null
	offsets []byte
	data    []byte
}

// Append appends a cell with the given value, or a null.
func Append[T string | []byte](c *Column, value T, isNull bool) {
	if c.Rows == 0 {
		c.offsets = append(c.offsets, 0, 0, 0, 0)
	}
	if c.Rows%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	if isNull {
		c.Nulls++
	} else {
		c.valid[c.Rows/8] |= 1 << (c.Rows % 8)
	}
	c.Rows++
	c.data = append(c.data, value...)
	c.offsets = binary.LittleEndian.AppendUint32(c.offsets, uint32(len(c.data)))
}

// Reset empties c.
func (c *Column) Reset() {
	*c = Column{valid: c.valid[:0], offsets: c.offsets[:0], data: c.data[:0]}
}
