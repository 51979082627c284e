package arrowstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// continuation is the marker that precedes each message since version 0.15 of Arrow.
const continuation = 0xffffffff

// These are values of MetadataVersion (Schema.fbs of Arrow). Arrow has written version5 since
// release 1.0.
const (
	version4 = 3
	version5 = 4
)

// These are values of MessageHeader (Message.fbs of Arrow).
const (
	schemaMessage = 1
	batchMessage  = 3
)

// A message holds one message of an Arrow stream.
type message struct {
	recordBatch
	kind   byte // schemaMessage, batchMessage or another value
	schema *schema
	body   []byte
}

// size returns the number of bytes that a batch keeps in memory.
func (m *message) size() int {
	return cap(m.body) + 16*(len(m.nodes)+len(m.buffers)) + 8*cap(m.variadic)
}

// A recordBatch holds the fields of the FlatBuffers table RecordBatch (Message.fbs of Arrow).
type recordBatch struct {
	length         int64      // number of rows
	nodes, buffers [][2]int64 // nodes: length and null count; buffers: offset and length
	variadic       []int64    // number of data buffers of each view column
}

// readMessage reads the FlatBuffers table Message (Message.fbs), and returns the size of the
// message's body too.
func readMessage(t table) (m *message, body int64) {
	m = &message{kind: byte(t.number(1, 1, 0))}
	body = t.number(3, 8, 0)
	t.keyValues(4)
	switch m.kind {
	case schemaMessage:
		m.schema = readSchema(t.need(2))
	case batchMessage:
		m.recordBatch = readBatch(t.need(2))
	}
	version, rows := t.number(0, 2, 0), m.length
	switch {
	case version != version4 && version != version5:
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
func readBatch(t table) recordBatch {
	b := recordBatch{length: t.number(0, 8, 0), nodes: t.pairs(1), buffers: t.pairs(2)}
	if t.field(3) != 0 {
		fail(errors.New("its buffers are compressed: send them uncompressed"))
	}
	at, n := t.list(4, 8)
	for i := range n {
		k := integer(t.Bytes[at:], 64, int64(i))
		if k < 0 || k > int64(len(b.buffers)) {
			fail(errBroken)
		}
		b.variadic = append(b.variadic, k)
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
	if n == continuation {
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
