package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bounded"
)

// maxFields is the most columns of a stream, with those inside of others.
const maxFields = 10_000

// continuation begins a message since version 0.15 of Arrow.
const continuation = 0xffffffff

// messages passes a stream on, message by message. It checks the numbers in the description of each
// message first: the library (arrow-go 18.8.0) allocates the length that a list claims before it
// reads the list, and does not compare lengths, null counts and places of buffers with each other.
type messages struct {
	in      io.Reader
	head    bytes.Reader // of the message that is being passed on
	body    int64        // bytes of it that are still to come
	pending []byte
	err     error
	limit   error // err, if it is that of a limit or of a description that is broken

	ids  []int64 // of dictionaries, in the order of the schema's fields
	plan *plan   // what batches must hold; nil before the schema is known
}

func (m *messages) Read(b []byte) (int, error) {
	for m.head.Len() == 0 && m.body == 0 {
		if m.err != nil {
			return 0, m.err
		}
		if err := bounded.Guard(m.next); err != nil {
			m.err, m.limit = err, err
		}
	}
	if m.head.Len() > 0 {
		return m.head.Read(b)
	}
	n, err := m.in.Read(b[:min(int64(len(b)), m.body)])
	m.body -= int64(n)
	return n, err
}

// next reads the head of a message: its length and its description. What is cut off it passes
// on as it is, for the library to say what is missing.
func (m *messages) next() error {
	m.pending = m.pending[:0]
	err := m.more(4)
	n := uint32(continuation)
	if err == nil {
		n = binary.LittleEndian.Uint32(m.pending)
	}
	if err == nil && n == continuation {
		if err = m.more(4); err == nil {
			n = binary.LittleEndian.Uint32(m.pending[4:])
		}
	}
	at := len(m.pending)
	if err == nil {
		if n > maxMeta {
			return fmt.Errorf("a description of %d bytes, more than the %d that are read", n, maxMeta)
		}
		err = m.more(int(n))
	}
	if err == nil && n > 0 {
		if m.body, err = m.check(m.pending[at:]); err != nil {
			m.body = 0
			return err
		}
	}
	m.head.Reset(m.pending)
	if err != nil || n == 0 { // an end, whether it is the mark or not
		m.err = io.EOF
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			m.err = err
		}
	}
	return nil
}

// more appends n bytes of the stream to pending, or what there is of them.
func (m *messages) more(n int) error {
	at := len(m.pending)
	m.pending = append(m.pending, make([]byte, n)...)
	got, err := io.ReadFull(m.in, m.pending[at:])
	m.pending = m.pending[:at+got]
	return err
}

var errLength = errors.New("a description claims more than it has")

// check walks over the lists of a Message (Message.fbs and Schema.fbs of Arrow), and returns the
// length of its body. It panics, as the library would, where a place is outside of the message.
func (m *messages) check(b []byte) (body int64, err error) {
	const version, kind, header, body64 = 4, 6, 8, 10
	t := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	body = t.GetInt64Slot(body64, 0)
	if body < 0 || body > maxBody {
		return 0, fmt.Errorf("a batch of %d bytes, more than the %d that are read: send smaller ones",
			body, maxBody)
	}
	o := t.Offset(header)
	if o == 0 {
		return body, nil
	}
	var inner flatbuffers.Table
	t.Union(&inner, flatbuffers.UOffsetT(o))
	w := &walk{left: maxFields}
	numbers := batchNumbers{body: body, version: t.GetInt16Slot(version, 0)}
	switch t.GetByteSlot(kind, 0) {
	case 1:
		w.schema(inner)
		m.ids = w.ids
	case 2:
		if batch, ok := w.dictionary(inner); ok && w.err == nil && m.plan != nil {
			w.err = m.plan.dictionary(numbers, inner, batch)
		}
	case 3:
		if w.batch(inner); w.err == nil && m.plan != nil {
			w.err = m.plan.batch(numbers, inner)
		}
	}
	return body, w.err
}

// A walk remembers how much it may still visit.
type walk struct {
	left int
	ids  []int64 // of dictionaries, in the order of the fields
	err  error
}

// list returns the elements of a list, each of which has size bytes.
func (w *walk) list(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int64) (
	at flatbuffers.UOffsetT, n int) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 || w.err != nil {
		return 0, 0
	}
	at, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || int64(at)+int64(n)*size > int64(len(t.Bytes)) {
		w.err = errLength
		return 0, 0
	}
	return at, n
}

// tables visits the tables of a list.
func (w *walk) tables(t flatbuffers.Table, slot flatbuffers.VOffsetT,
	visit func(flatbuffers.Table)) {
	at, n := w.list(t, slot, 4)
	for i := range n {
		if w.left--; w.left < 0 {
			w.err = fmt.Errorf("more than %d columns", maxFields)
		}
		if w.err != nil {
			return
		}
		visit(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))})
	}
}

func (w *walk) schema(t flatbuffers.Table) {
	w.tables(t, 6, w.field)
	w.list(t, 8, 4)
	w.list(t, 10, 8)
}

func (w *walk) field(t flatbuffers.Table) {
	if o := t.Offset(12); o != 0 {
		encoding := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}
		w.ids = append(w.ids, encoding.GetInt64Slot(4, 0))
	}
	w.tables(t, 14, w.field)
	w.list(t, 16, 4)
	const union = 14
	if o := t.Offset(8); o != 0 && t.GetUint8(t.Pos+flatbuffers.UOffsetT(o)) == union {
		var u flatbuffers.Table
		t.Union(&u, flatbuffers.UOffsetT(t.Offset(10)))
		w.list(u, 6, 4)
	}
}

// dictionary returns the batch of a DictionaryBatch.
func (w *walk) dictionary(t flatbuffers.Table) (batch flatbuffers.Table, ok bool) {
	if o := t.Offset(6); o != 0 {
		batch, ok = flatbuffers.Table{Bytes: t.Bytes,
			Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
		w.batch(batch)
	}
	return batch, ok
}

func (w *walk) batch(t flatbuffers.Table) {
	w.list(t, 6, 16)
	_, buffers := w.list(t, 8, 16)
	at, n := w.list(t, 12, 8) // how many buffers of data each column of views has
	for i := range n {
		if k := t.GetInt64(at + flatbuffers.UOffsetT(8*i)); k < 0 || k > int64(buffers) {
			w.err = errLength
		}
	}
}
