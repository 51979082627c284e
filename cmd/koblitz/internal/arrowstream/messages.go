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

// messages passes a stream on, message by message, after a look at the lengths that each claims:
// the library (arrow-go 18.8.0) allocates what a list says to hold before it reads it.
type messages struct {
	in      io.Reader
	head    bytes.Reader // of the message that is being passed on
	body    int64        // bytes of it that are still to come
	pending []byte
	err     error
	limit   error // err, if it is that of a limit or of a description that is broken
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
		if m.body, err = checkMessage(m.pending[at:]); err != nil {
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

// checkMessage walks over the lists of a Message (Message.fbs and Schema.fbs of Arrow), and
// returns the length of its body. It panics, as the library would, where a place is outside.
func checkMessage(b []byte) (body int64, err error) {
	const header, body64 = 8, 10
	t := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	if o := t.Offset(body64); o != 0 {
		body = t.GetInt64(t.Pos + flatbuffers.UOffsetT(o))
	}
	if body < 0 || body > maxBody {
		return 0, fmt.Errorf("a batch of %d bytes, more than the %d that are read: send smaller ones",
			body, maxBody)
	}
	var inner flatbuffers.Table
	o, kind := t.Offset(header), t.Offset(6)
	if o == 0 || kind == 0 {
		return body, nil
	}
	t.Union(&inner, flatbuffers.UOffsetT(o))
	w := &walk{left: maxFields}
	switch t.GetUint8(t.Pos + flatbuffers.UOffsetT(kind)) {
	case 1:
		w.schema(inner)
	case 2:
		w.dictionary(inner)
	case 3:
		w.batch(inner)
	}
	return body, w.err
}

// A walk remembers how much it may still visit.
type walk struct {
	left int
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
	w.tables(t, 14, w.field)
	w.list(t, 16, 4)
	const union = 14
	if o := t.Offset(8); o != 0 && t.GetUint8(t.Pos+flatbuffers.UOffsetT(o)) == union {
		var u flatbuffers.Table
		t.Union(&u, flatbuffers.UOffsetT(t.Offset(10)))
		w.list(u, 6, 4)
	}
}

func (w *walk) dictionary(t flatbuffers.Table) {
	if o := t.Offset(6); o != 0 {
		w.batch(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))})
	}
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
