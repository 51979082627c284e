package nostr

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"

// Messages collects what a relay sends, message by message, for a batch. Its zero value is empty.
type Messages struct{ b documentBatch }

// Add adds a message, which is not copied. It is read as a line of a file is: an event, bare or in
// an envelope, or what is none. number is the line that its place is given as, from 1.
func (m *Messages) Add(text []byte, number int) { m.b.add(value{text: text, line: number}) }

// Any reports whether there is a message.
func (m *Messages) Any() bool { return len(m.b.values) > 0 }

// Full reports whether a batch should have no more.
func (m *Messages) Full() bool { return m.b.full() }

// Take empties m and returns its messages as those of the relay of that name. consumed is how many
// bytes were read so far.
func (m *Messages) Take(name string, consumed int64) rows.Batch {
	b := m.b
	b.file, b.consumed = name, consumed
	m.b = documentBatch{}
	return &b
}
