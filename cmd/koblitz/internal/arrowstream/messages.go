package arrowstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A message holds one message of an Arrow stream.
type message struct {
	ipc.Batch
	kind   byte // ipc.SchemaMessage, ipc.BatchMessage or another value
	schema *schema
	body   []byte
}

// size returns the number of bytes that a batch keeps in memory.
func (m *message) size() int {
	return cap(m.body) + 16*(len(m.Nodes)+len(m.Buffers)) + 8*cap(m.Variadic)
}

// readMessage reads the FlatBuffers table Message (Message.fbs), and returns the size of the
// message's body too.
func readMessage(t table) (m *message, body int64) {
	m = &message{kind: byte(t.number(1, 1, 0))}
	body = t.number(3, 8, 0)
	t.keyValues(4)
	switch m.kind {
	case ipc.SchemaMessage:
		m.schema = readSchema(t.need(2))
	case ipc.BatchMessage:
		m.Batch = readBatch(t.need(2))
	}
	version, rows := t.number(0, 2, 0), m.Length
	switch {
	case version != ipc.Version4 && version != ipc.Version5:
		fail(fmt.Errorf("version %d of Arrow's metadata, where 4 or 5 is needed", version+1))
	case body < 0 || body > maxBody:
		fail(fmt.Errorf("a batch of %d bytes, more than the %d that are read: send smaller ones", body,
			maxBody))
	case rows < 0 || rows > maxRows:
		fail(fmt.Errorf("%d rows, more than the %d that a batch may have: send smaller ones", rows,
			maxRows))
	}
	return m, body
}

// readBatch reads the FlatBuffers table RecordBatch (Message.fbs).
func readBatch(t table) ipc.Batch {
	b := ipc.Batch{Length: t.number(0, 8, 0), Nodes: t.pairs(1), Buffers: t.pairs(2)}
	if t.field(3) != 0 {
		fail(errors.New("its buffers are compressed: send them uncompressed"))
	}
	at, n := t.list(4, 8)
	for i := range n {
		k := integer(t.Bytes[at:], 64, int64(i))
		if k < 0 || k > int64(len(b.Buffers)) {
			fail(errBroken)
		}
		b.Variadic = append(b.Variadic, k)
	}
	return b
}

// messages reads the messages of a stream. It checks the sizes that a message claims before it
// allocates memory for them. Package verify limits the memory of the batches under way, including
// their bodies (see columns.Batch); one more body is in memory while it is read.
type messages struct {
	in     io.Reader
	bodies *reading.Budget // without a limit: it runs the garbage collector in time
	begun  bool            // a message has been read
}

// next returns the next message, or io.EOF at the end of the stream.
func (m *messages) next() (d *message, err error) {
	meta, err := m.head()
	if err != nil {
		return nil, err
	}
	m.begun = true
	body := int64(0)
	if err := catch(func() { d, body = readMessage(root(meta)) }); err != nil {
		return nil, err
	}
	if d.body, err = m.bodies.Buffer(nil, int(body)); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(m.in, d.body); err != nil {
		return nil, fmt.Errorf("the stream ends inside a message: %w", unexpected(err))
	}
	return d, nil
}

// unexpected returns io.ErrUnexpectedEOF if err is io.EOF, and otherwise err.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// head reads the metadata of a message. It returns io.EOF at the end of the stream, with or without
// an end-of-stream marker.
func (m *messages) head() ([]byte, error) {
	var word [4]byte
	if _, err := io.ReadFull(m.in, word[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(word[:])
	if n == ipc.Continuation {
		if _, err := io.ReadFull(m.in, word[:]); err != nil {
			return nil, unexpected(err)
		}
		n = binary.LittleEndian.Uint32(word[:])
	} else if n > maxMeta && !m.begun {
		return nil, errors.New("this is no stream of Arrow IPC, as pyarrow.ipc.new_stream writes it; " +
			"'koblitz check --columns …' reads Parquet and tables of text")
	}
	switch {
	case n == 0:
		return nil, io.EOF
	case n > maxMeta:
		return nil, fmt.Errorf("a description of %d bytes, more than the %d that are read", n, maxMeta)
	}
	meta := make([]byte, n)
	_, err := io.ReadFull(m.in, meta)
	return meta, unexpected(err)
}

// ended waits until the input is closed. It returns an error if bytes follow the end of the stream,
// because the rows of a second stream, for example, would get no verdicts.
func (m *messages) ended() error {
	switch _, err := io.ReadFull(m.in, make([]byte, 1)); err {
	case nil:
		return errors.New("the input goes on behind the end of the stream, and that is not verified")
	case io.EOF:
		return nil
	default:
		return err
	}
}
