// Package hashing hashes messages together. A reader names messages while it parses, and has all of
// them hashed before it needs the first digest: many at a time take a fraction of the time (package
// hashes of the library).
package hashing

import "sync"

// A Hasher collects messages of one hash function.
type Hasher struct {
	// Copies holds the messages of LaterOf until Reset or Release. Callers may append what they
	// need as long.
	Copies []byte

	sum      func(dst [][32]byte, messages [][]byte) [][32]byte
	messages [][]byte
	to       []*[32]byte // where the digests go
	digests  [][32]byte
}

const (
	// maxCopies is the most bytes of Copies that a Hasher in pool has, enough for a batch of
	// Ethereum, and maxMessages the most messages.
	maxCopies   = 1536 << 10
	maxMessages = 1 << 10
)

// pool has Hashers without messages, and with memory for some.
var pool = sync.Pool{New: func() any { return new(Hasher) }}

// New returns a Hasher without messages. The function sum, of package hashes, appends their digests
// to dst.
func New(sum func(dst [][32]byte, messages [][]byte) [][32]byte) *Hasher {
	h := pool.Get().(*Hasher)
	h.sum = sum
	return h
}

// Release gives the memory of h to Hashers that New returns later. The caller must not use h or
// Copies any more.
func (h *Hasher) Release() {
	if cap(h.Copies) <= maxCopies && cap(h.messages) <= maxMessages {
		h.Reset()
		pool.Put(h)
	}
}

// Reset empties h, with its Copies.
func (h *Hasher) Reset() {
	h.forget()
	h.Copies = h.Copies[:0]
}

// forget empties h but for Copies.
func (h *Hasher) forget() {
	clear(h.messages)
	clear(h.to)
	h.messages, h.to = h.messages[:0], h.to[:0]
}

// Later has Run set *to to the digest of message, which must not change until then.
func (h *Hasher) Later(to *[32]byte, message []byte) {
	h.messages = append(h.messages, message)
	h.to = append(h.to, to)
}

// LaterOf has Run set *to to the digest of a message in parts, one after the other. It copies them.
func (h *Hasher) LaterOf(to *[32]byte, parts ...[]byte) {
	begin := len(h.Copies)
	for _, p := range parts {
		h.Copies = append(h.Copies, p...)
	}
	h.Later(to, h.Copies[begin:])
}

// Run computes the digests of all messages that were named since the last Run. Copies stay.
func (h *Hasher) Run() {
	h.digests = h.sum(h.digests[:0], h.messages)
	for i, to := range h.to {
		*to = h.digests[i]
	}
	h.forget()
}
