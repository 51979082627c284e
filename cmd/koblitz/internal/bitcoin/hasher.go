package bitcoin

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/hash"
)

// A hasher collects messages that are hashed at once: sixteen in the lanes of vectors take little
// more time than four one after the other.
type hasher struct {
	messages [][]byte
	to       []*[32]byte
	digests  [][32]byte
	copies   []byte // of messages that are nowhere in one piece
}

// later has run set *to to the hash of a message, which must not change until then.
func (h *hasher) later(to *[32]byte, message []byte) {
	h.messages = append(h.messages, message)
	h.to = append(h.to, to)
}

// copied is later for the end of h.copies, from begin on.
func (h *hasher) copied(to *[32]byte, begin int) { h.later(to, h.copies[begin:]) }

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
