package bitcoin

import (
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/internal/hash"
)

// A hasher collects messages that are hashed at once: sixteen in the lanes of vectors take little
// more time than four one after the other.
type hasher struct {
	messages [][]byte
	to       []*[32]byte
	digests  [][32]byte
	copies   []byte // of messages that are nowhere in one piece, or that change
}

const (
	// maxCopies is the most bytes of copies that a hasher in hashers has, and maxMessages the most
	// messages.
	maxCopies   = 128 << 10
	maxMessages = 1 << 10
)

// hashers are without messages, and have memory for some.
var hashers = sync.Pool{New: func() any { return new(hasher) }}

// release gives the hasher's memory to others.
func (h *hasher) release() {
	if cap(h.copies) <= maxCopies && cap(h.messages) <= maxMessages {
		hashers.Put(h)
	}
}

// later has run set *to to the hash of a message, which must not change until then.
func (h *hasher) later(to *[32]byte, message []byte) {
	h.messages = append(h.messages, message)
	h.to = append(h.to, to)
}

// laterOf is later for a message in parts, one after the other, which may change.
func (h *hasher) laterOf(to *[32]byte, parts ...[]byte) {
	begin := len(h.copies)
	for _, p := range parts {
		h.copies = append(h.copies, p...)
	}
	h.later(to, h.copies[begin:])
}

// run hashes all messages with SHA-256, or twice with double, and empties h.
func (h *hasher) run(double bool) {
	n := len(h.messages)
	h.digests = slices.Grow(h.digests[:0], n)[:n]
	if double {
		hash.DoubleSHA256Each(h.digests, h.messages)
	} else {
		hash.SHA256Each(h.digests, h.messages)
	}
	for i, to := range h.to {
		*to = h.digests[i]
	}
	clear(h.messages)
	clear(h.to)
	h.messages, h.to, h.copies = h.messages[:0], h.to[:0], h.copies[:0]
}
