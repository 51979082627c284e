package nostr

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"

// Messages collects a relay's messages for a batch. The zero value is empty.
type Messages struct{ b documentBatch }

// Add adds a message without copying it. The message is parsed like a line of a file. number is
// reported as its line number, from 1.
func (m *Messages) Add(text []byte, number int) { m.b.add(value{text: text, line: number}) }

// Any reports whether there is a message.
func (m *Messages) Any() bool { return len(m.b.values) > 0 }

// Full reports whether the batch is full.
func (m *Messages) Full() bool { return m.b.full() }

// Take empties m and returns its messages as a batch of the relay called name. consumed is the
// number of bytes read so far.
func (m *Messages) Take(name string, consumed int64) rows.Batch {
	b := m.b
	b.file, b.consumed = name, consumed
	m.b = documentBatch{}
	return &b
}
