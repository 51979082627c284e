// Package arrowstreamtest writes Arrow IPC streams for tests, with columns of a few types. The
// module lab has tests with streams that another library wrote, with columns of all types.
package arrowstreamtest

//ci:untested The tests of koblitz stream run it.

import (
	"bytes"
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

// A Type is the type of a column's values, with its number in Schema.fbs of Arrow.
type Type byte

const (
	Null   Type = 1 // all cells are null
	Binary Type = 4
	Text   Type = 5
)

// A Column is a column of a batch.
type Column struct {
	columnstest.Column
	Type Type
}

// Binaries returns the columns of a table, with the type Binary.
func Binaries(table []columnstest.Column) (list []Column) {
	for _, c := range table {
		list = append(list, Column{Column: c, Type: Binary})
	}
	return list
}

// A Writer writes a stream. Its first batch determines the schema.
type Writer struct {
	Out   io.Writer
	begun bool
}

// Batch writes a batch with the given number of rows.
func (w *Writer) Batch(rows int, columns ...Column) error {
	if !w.begun {
		w.begun = true
		if err := w.message(1, nil, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return schema(b, columns)
		}); err != nil {
			return err
		}
	}
	body, table := records(rows, columns)
	return w.message(3, body, table)
}

// EndSize is the number of bytes that mark the end of a stream.
const EndSize = 8

// Close writes the end of the stream.
func (w *Writer) Close() error {
	_, err := w.Out.Write([]byte{0xff, 0xff, 0xff, 0xff, EndSize - 1: 0})
	return err
}

// Stream returns a stream with a batch for each table in batches.
func Stream(batches ...[]Column) []byte {
	var out bytes.Buffer
	w := Writer{Out: &out}
	for _, columns := range batches {
		w.Batch(len(columns[0].Values), columns...) // a bytes.Buffer returns no error
	}
	w.Close()
	return out.Bytes()
}

// message writes a message. header appends the table of the given kind, which describes the body.
func (w *Writer) message(kind byte, body []byte,
	header func(b *flatbuffers.Builder) flatbuffers.UOffsetT) error {
	b := flatbuffers.NewBuilder(0)
	h := header(b)
	b.StartObject(4)
	b.PrependInt64Slot(3, int64(len(body)), 0)
	b.PrependUOffsetTSlot(2, h, 0)
	b.PrependInt16Slot(0, 4, 0) // version 5 of the metadata
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	meta := pad(b.FinishedBytes())
	head := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(meta)))
	_, err := w.Out.Write(append(head, meta...))
	if err == nil {
		_, err = w.Out.Write(body)
	}
	return err
}

// pad appends zeros to b, up to a multiple of 8 bytes.
func pad(b []byte) []byte { return append(b, make([]byte, -len(b)&7)...) }

// list appends to b a vector of n elements of size bytes. element appends one of them.
func list(b *flatbuffers.Builder, n, size int, element func(i int)) flatbuffers.UOffsetT {
	b.StartVector(size, n, min(size, 8))
	for i := n - 1; i >= 0; i-- {
		element(i)
	}
	return b.EndVector(n)
}

// schema appends the table Schema.
func schema(b *flatbuffers.Builder, columns []Column) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(columns))
	for i, c := range columns {
		name, children := b.CreateString(c.Name), list(b, 0, 4, nil)
		b.StartObject(0)
		typ := b.EndObject()
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependBoolSlot(1, true, false) // the column can hold nulls
		b.PrependByteSlot(2, byte(c.Type), 0)
		b.PrependUOffsetTSlot(3, typ, 0)
		b.PrependUOffsetTSlot(5, children, 0)
		fields[i] = b.EndObject()
	}
	all := list(b, len(fields), 4, func(i int) { b.PrependUOffsetT(fields[i]) })
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, all, 0)
	return b.EndObject()
}

// records returns the body of a batch, and a function that appends the table RecordBatch.
func records(rows int, columns []Column) (body []byte,
	table func(b *flatbuffers.Builder) flatbuffers.UOffsetT) {
	var nodes, buffers [][2]int64
	for _, c := range columns {
		bitmap, offsets, data, nulls := make([]byte, (rows+7)/8), make([]byte, 4), []byte{}, 0
		if c.Type == Null {
			nodes = append(nodes, [2]int64{int64(rows), int64(rows)})
			continue
		}
		for i, v := range c.Values {
			if v == nil {
				nulls++
			} else {
				bitmap[i/8] |= 1 << (i % 8)
			}
			data = append(data, v...)
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(data)))
		}
		nodes = append(nodes, [2]int64{int64(rows), int64(nulls)})
		for _, part := range [][]byte{bitmap, offsets, data} {
			buffers = append(buffers, [2]int64{int64(len(body)), int64(len(part))})
			body = pad(append(body, part...))
		}
	}
	return body, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		var lists [2]flatbuffers.UOffsetT
		for i, pairs := range [][][2]int64{nodes, buffers} {
			lists[i] = list(b, len(pairs), 16, func(k int) {
				b.PrependInt64(pairs[k][1])
				b.PrependInt64(pairs[k][0])
			})
		}
		b.StartObject(5)
		b.PrependInt64Slot(0, int64(rows), 0)
		b.PrependUOffsetTSlot(1, lists[0], 0)
		b.PrependUOffsetTSlot(2, lists[1], 0)
		return b.EndObject()
	}
}
