package nostr

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"

// Messages collects the messages of a relay for a batch. The zero value holds no messages.
type Messages struct{ b documentBatch }

// Add adds a message without copying it. The message will be parsed like a line of a file, and
// number, counted from 1, is reported as its line number.
func (m *Messages) Add(text []byte, number int) { m.b.add(value{text: text, line: number}) }

// Any reports whether m holds a message.
func (m *Messages) Any() bool { return len(m.b.values) > 0 }

// Full reports whether the messages of m fill a batch.
func (m *Messages) Full() bool { return m.b.full() }

// Take empties m and returns its messages as a batch. name is the relay's name in reports, and
// consumed the number of bytes read from the relay so far.
func (m *Messages) Take(name string, consumed int64) rows.Batch {
	b := m.b
	b.file, b.consumed = name, consumed
	m.b = documentBatch{}
	return &b
}
