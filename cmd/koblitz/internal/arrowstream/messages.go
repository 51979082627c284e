package arrowstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// continuation is the marker that precedes each message since version 0.15 of Arrow.
const continuation = 0xffffffff

// These are values of MetadataVersion (Schema.fbs of Arrow). Arrow has written version5 since
// release 1.0.
const (
	version4 = 3
	version5 = 4
)

// messages reads the messages of a stream. It checks the sizes that a message claims before it
// allocates memory for them, and decompresses each buffer to its end, where the checksum is.
type messages struct {
	in io.Reader
	unpacker
	pending []byte // bytes already read of the head of the message being read
	begun   bool   // a message has been read
}

// next returns the next message and its body, or io.EOF at the end of the stream.
func (m *messages) next() (*message, []byte, error) {
	meta, err := m.head()
	if err != nil {
		return nil, nil, err
	}
	m.begun = true
	v := &verifier{b: meta}
	var d message
	v.root(func(t table) { d = v.message(t) })
	switch {
	case v.err != nil:
		return nil, nil, v.err
	case d.version != version4 && d.version != version5:
		return nil, nil, fmt.Errorf("version %d of Arrow's metadata, where 4 or 5 is needed", d.version+1)
	case d.body < 0 || d.body > maxBody:
		return nil, nil, fmt.Errorf("a batch of %d bytes, more than the %d that are read: send smaller "+
			"ones", d.body, maxBody)
	case d.batch.length < 0 || d.kind == batchMessage && d.batch.length > maxRows:
		return nil, nil, fmt.Errorf("%d rows, more than the %d that a batch may have: send smaller ones",
			d.batch.length, maxRows)
	}
	body, err := m.budget.Buffer(nil, int(d.body))
	if err != nil {
		return nil, nil, err
	}
	if _, err := io.ReadFull(m.in, body); err != nil {
		return nil, nil, fmt.Errorf("the stream ends inside a message: %w", unexpected(err))
	}
	body, err = m.unpack(&d.batch, body)
	return &d, body, err
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
	m.pending = m.pending[:0]
	if err := m.more(4); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(m.pending)
	if !m.begun && n != continuation && n > maxMeta {
		return nil, noStream(m.pending)
	}
	if n == continuation {
		if err := m.more(4); err != nil {
			return nil, unexpected(err)
		}
		n = binary.LittleEndian.Uint32(m.pending[4:])
	}
	if n == 0 {
		return nil, io.EOF
	}
	if n > maxMeta {
		return nil, fmt.Errorf("a description of %d bytes, more than the %d that are read", n, maxMeta)
	}
	at := len(m.pending)
	if err := m.more(int(n)); err != nil {
		return nil, unexpected(err)
	}
	return bytes.Clone(m.pending[at:]), nil
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

// noStream returns an error with advice for an input that is not an Arrow stream. head holds the
// first bytes of the input.
func noStream(head []byte) error {
	switch string(head) {
	case "PAR1":
		return errors.New("this is Parquet, which is read from its end: 'koblitz check --columns … " +
			"--verdicts VERDICTS FILE' reads it")
	case "ARRO", "FEA1":
		return errors.New("this is a file of Arrow (Feather), where a stream is needed: write it with " +
			"pyarrow.ipc.new_stream, or as Parquet for 'koblitz check'")
	}
	return errors.New("this is no stream of Arrow IPC; 'koblitz check --columns …' reads " +
		"tables of text")
}

// more appends the next n bytes of the input to pending, or fewer if the input ends before.
func (m *messages) more(n int) error {
	at := len(m.pending)
	m.pending = append(m.pending, make([]byte, n)...)
	got, err := io.ReadFull(m.in, m.pending[at:])
	m.pending = m.pending[:at+got]
	return err
}
